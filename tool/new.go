package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pageside/pageside/internal/schema"
)

// New makes a tool from a function. The schema is inferred from In, which must be a struct or a map
// with string keys: `json` tags name the properties, `omitempty` makes them optional, `jsonschema`
// tags describe them. Arguments are validated against the schema and decoded strictly before h
// runs. Set the other fields on what New returns. A type no schema can describe is reported by
// NewRegistry.
func New[In any](name, description string, h func(ctx context.Context, call *Call, in In) (Result, error)) *Tool {
	t := &Tool{Name: name, Description: description}
	t.InputSchema, t.err = inferSchema[In]()
	if h != nil {
		t.Handler = typed(h)
	}
	return t
}

// typed decodes the arguments of a call before it runs h.
func typed[In any](h func(context.Context, *Call, In) (Result, error)) Handler {
	return func(ctx context.Context, call *Call) (Result, error) {
		var in In
		if err := decodeStrict(call.Args, &in); err != nil {
			return Result{}, &Error{
				Code: CodeInvalidArgs, Message: "the arguments could not be read: " + readProblem(err),
				Retryable: true,
			}
		}
		return h(ctx, call, in)
	}
}

// decodeStrict refuses unknown and case-folded names, duplicate keys and invalid UTF-8.
func decodeStrict(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	return jsonv2.Unmarshal(raw, into, jsonv2.RejectUnknownMembers(true), jsonv1.FormatDurationAsNano(true),
		jsonv1.FormatByteArrayAsArray(true))
}

// readProblem says, in words for a model, what the schema allows and the Go type cannot hold.
func readProblem(err error) string {
	e, ok := errors.AsType[*jsonv2.SemanticError](err)
	if !ok || e.GoType == nil {
		return err.Error()
	}
	at := schema.Path(e.JSONPointer)
	switch kind := e.GoType.Kind(); {
	case e.GoType == reflect.TypeFor[time.Time]():
		return at + ": must be a time such as 2026-03-12T14:00:00Z"
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return fmt.Sprintf("%s: must be a whole number in range, written without fraction or exponent", at)
	}
	return at + ": has a value that is not allowed"
}

// wireTypes are the types whose JSON differs from what their kind suggests.
var wireTypes = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
	reflect.TypeFor[json.RawMessage](): {},
	reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
}

func inferSchema[In any]() (json.RawMessage, error) {
	s, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: wireTypes})
	if err != nil {
		return nil, fmt.Errorf("no schema can be inferred from %v: %w", reflect.TypeFor[In](), err)
	}
	if s.Type != "object" {
		return nil, fmt.Errorf("no schema can be inferred from %v: the input of a tool must be a struct or a map with string keys",
			reflect.TypeFor[In]())
	}
	dropNullArrays(s)
	return json.Marshal(s)
}

// dropNullArrays undoes what inference does for slices. It allows null for every array, which is
// right for what Go writes but confuses a model about what to send.
func dropNullArrays(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" && s.Types[1] == "array" {
		s.Type, s.Types = "array", nil
	}
	dropNullArrays(s.Items)
	dropNullArrays(s.AdditionalProperties)
	for _, p := range s.Properties {
		dropNullArrays(p)
	}
}
