package demo

import (
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxBody is the largest request body that is read, in bytes.
const maxBody = 64 << 10

// decode reads a request's body: unknown, repeated and case-folded names, wrong types and invalid UTF-8 are refused by name.
func decode(body io.Reader, into any) error {
	raw, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if err != nil {
		return badField("body", "could not be read")
	}
	if len(raw) > maxBody {
		return &requestError{http.StatusRequestEntityTooLarge, "too_large", "the body is larger than 64 KiB", map[string]string{"field": "body"}}
	}
	err = jsonv2.Unmarshal(raw, into, jsonv2.RejectUnknownMembers(true))
	if semantic, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		return badField(fieldOf(semantic.JSONPointer), "%s", semanticProblem(semantic))
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return badField(fieldOf(syntax.JSONPointer), "is not valid JSON: %v", syntax.Err)
	}
	if err != nil {
		return badField("body", "is not valid JSON")
	}
	return nil
}

func semanticProblem(e *jsonv2.SemanticError) string {
	if errors.Is(e.Err, jsonv2.ErrUnknownName) {
		return "is not known"
	}
	if e.GoType == nil {
		return "has a value that is not allowed"
	}
	kinds := map[reflect.Kind]string{reflect.String: "a string", reflect.Int: "a whole number", reflect.Bool: "true or false", reflect.Slice: "an array", reflect.Struct: "an object"}
	t := e.GoType
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return "must be " + kinds[t.Kind()]
}

// fieldOf turns the JSON pointer /filters/0/op into filters[0].op.
func fieldOf(p jsontext.Pointer) string {
	var field strings.Builder
	for token := range p.Tokens() {
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			field.WriteString("[" + token + "]")
		case field.Len() > 0:
			field.WriteString("." + clip(token, 100))
		default:
			field.WriteString(clip(token, 100))
		}
	}
	if field.Len() == 0 {
		return "body"
	}
	return field.String()
}

// clip shortens text to n bytes or a little less.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}
