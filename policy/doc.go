// Package policy says what a principal may do.
//
//	answer := policy.Decide(ctx, authorizer, policy.Question{Principal: p, Kind: policy.Tool, Name: "delete_item", Verb: policy.Use, Args: args})
//	if answer.Decision == policy.Deny { … }
//
// It is asked twice about a tool: when it is offered to the model, without arguments, and when it
// is about to run, with them.
package policy
