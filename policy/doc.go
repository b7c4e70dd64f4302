// Package policy says what a principal may do.
//
//	q := policy.Question{Principal: p, Kind: policy.Tool, Name: "delete", Verb: policy.Use}
//	answer := policy.Decide(ctx, authorizer, q)
//	if answer.Decision == policy.Deny { … }
//
// It is asked several times about a tool: when it is offered to the model, without arguments; when
// it is called, with them; and once more before it runs.
//
// Rules is an Authorizer made of rules, as a configuration has them, with conditions in CEL
// (package policy/condition); any other Authorizer will do.
package policy
