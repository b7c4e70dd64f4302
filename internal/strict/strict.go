// Package strict decodes small JSON documents from others, and says which field is invalid.
//
// It refuses unknown names, names in another case, duplicate names, wrong types, invalid UTF-8, and
// deep nesting: what is read can be written again as part of something else.
// Code that must be fast, or reads its fields itself, uses package jsonx.
package strict

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/internal/jsonx"
)

// Decode reads raw into a struct. Its error is a *jsonx.FieldError.
func Decode(raw []byte, into any) error {
	if jsonx.Depth(raw) > jsonx.MaxNested {
		return &jsonx.FieldError{Reason: fmt.Sprintf("is nested deeper than %d levels", jsonx.MaxNested)}
	}
	err := jsonv2.Unmarshal(raw, into, jsonv2.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	if semantic, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		return &jsonx.FieldError{Path: fieldOf(semantic.JSONPointer), Reason: problem(semantic)}
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return &jsonx.FieldError{Path: fieldOf(syntax.JSONPointer), Reason: "is not valid JSON: " + syntax.Err.Error()}
	}
	return &jsonx.FieldError{Reason: "is not valid JSON"}
}

func problem(e *jsonv2.SemanticError) string {
	if errors.Is(e.Err, jsonv2.ErrUnknownName) {
		return "is not known"
	}
	if e.GoType == reflect.TypeFor[time.Time]() {
		return "must be a time, such as 2026-01-31T12:00:00Z"
	}
	if e.Err != nil && e.GoType != nil && reflect.PointerTo(e.GoType).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return e.Err.Error() // the type says it better
	}
	if e.GoType == nil {
		return "has a value that is not allowed"
	}
	t := e.GoType
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "must be a string"
	case reflect.Bool:
		return "must be true or false"
	case reflect.Int, reflect.Int64:
		return "must be a whole number"
	case reflect.Float64:
		return "must be a number"
	case reflect.Slice:
		return "must be an array"
	case reflect.Struct, reflect.Map:
		return "must be an object"
	}
	return "has a value that is not allowed"
}

// fieldOf turns the JSON pointer /filters/0/op into filters[0].op.
func fieldOf(p jsontext.Pointer) string {
	path := ""
	for token := range p.Tokens() {
		if token != "" && len(token) < 10 && strings.Trim(token, "0123456789") == "" {
			path += "[" + token + "]"
			continue
		}
		path = jsonx.Join(path, jsonx.KeyPath(token))
	}
	return path
}
