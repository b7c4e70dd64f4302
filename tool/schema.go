package tool

import (
	"encoding/json"

	"github.com/pageside/pageside/internal/schema"
)

// Schema is a compiled JSON Schema of a tool's arguments. It is immutable and safe for concurrent
// use. A nil *Schema takes any object.
type Schema = schema.Schema

// CompileSchema checks and compiles the schema of a tool's arguments, be it our own or a client's.
// nil or null is a tool without arguments. It refuses what could keep a validator busy: more than
// 16 KiB, 32 levels or 1,000 objects and arrays, references that leave the schema or lead back to
// themselves, and more than 2,000 nodes once references are expanded. It opens no file and no URL.
//
// Patterns that Go's regular expressions cannot express (look-ahead, back-references) are not
// checked: a browser that declared one checks it itself. Compiled schemas are kept, so that a
// client may send its tools with every run.
func CompileSchema(raw json.RawMessage) (*Schema, error) { return schema.Compile(raw) }

// ClosedSchema returns the schema of a tool's arguments such that arguments it does not declare are
// refused, unless it says otherwise: what the model adds on its own does not get to an endpoint.
func ClosedSchema(raw json.RawMessage) (json.RawMessage, error) { return schema.Closed(raw) }
