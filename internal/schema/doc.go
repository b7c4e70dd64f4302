// Package schema is JSON Schema and JSON from sources that are not trusted: clients, models,
// configuration files.
//
//	s, err := schema.Compile(declared)    // linted first: a hundred bytes of JSON Schema can keep a validator busy for minutes
//	data, err := schema.Parse(written)    // strict, repaired where that is possible
//	err = s.Validate(data)                // in words for a model: $.filters[0].op: must be one of "is", "is not"
//
// What the data is for, and who is told of an error, is left to package tool and package payload.
package schema
