// Package schema reads JSON Schemas and the JSON they describe from untrusted sources: clients,
// models, configuration files.
//
//	s, err := schema.Compile(declared) // linted first
//	data, err := schema.Parse(written) // strict, repaired where that is possible
//	err = s.Validate(data)             // $.filters[0].op: must be one of "is", "is not"
//
// The linter exists because a hundred bytes of JSON Schema can keep a validator busy for minutes.
// It leaves schemas without cycles, dynamic references and other documents, which attempt checks
// keyword by keyword: draft-07, 2019-09 and 2020-12 (https://json-schema.org/specification).
// Errors are worded for a model. Packages tool and payload decide what the data is for and who gets
// an error.
package schema
