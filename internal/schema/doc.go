// Package schema reads JSON Schemas, and JSON that they describe, from untrusted sources: clients,
// models, configuration files.
//
//	s, err := schema.Compile(declared) // linted first
//	data, err := schema.Parse(written) // strict, repaired where that is possible
//	err = s.Validate(data)             // $.filters[0].op: must be one of "is", "is not"
//
// The linter is there because a hundred bytes of JSON Schema can keep a validator busy for minutes.
// Errors are written for a model. What the data is for, and who gets an error, is up to packages
// tool and payload.
package schema
