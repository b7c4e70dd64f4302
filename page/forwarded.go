package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// ParseForwarded reads the pageside member of a run's forwardedProps. A missing member, or
// forwardedProps of another kind, is not an error: plain AG-UI clients do not have it. A malformed
// member is an error that names the field.
func ParseForwarded(forwardedProps json.RawMessage) (Forwarded, error) {
	var props struct {
		Pageside json.RawMessage `json:"pageside"`
	}
	if len(forwardedProps) == 0 || forwardedProps[0] != '{' {
		return Forwarded{}, nil
	}
	if err := json.Unmarshal(forwardedProps, &props); err != nil {
		return Forwarded{}, fmt.Errorf("forwardedProps: %w", err)
	}
	if len(props.Pageside) == 0 || string(props.Pageside) == "null" {
		return Forwarded{}, nil
	}
	f, err := decodeForwarded("forwardedProps.pageside", props.Pageside)
	f.IsGiven = err == nil
	return f, err
}

// ContextDescription is the description of the context item that gives the place of a client
// without forwardedProps.
const ContextDescription = "page"

// ParseContextItem reads the value of a context item described ContextDescription. It returns false
// if the value has another form: then it is an ordinary item that happens to have this description.
func ParseContextItem(value string) (f Forwarded, ok bool) {
	f, err := decodeForwarded(ContextDescription, json.RawMessage(value))
	return f, err == nil && f.Page != ""
}

func decodeForwarded(where string, raw json.RawMessage) (Forwarded, error) {
	var f Forwarded
	err := jsonv2.Unmarshal(raw, &f)
	if e, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		path := where + strings.ReplaceAll(string(e.JSONPointer), "/", ".")
		return Forwarded{}, fmt.Errorf("%s: expected %s", path, jsonKind(e))
	}
	if err != nil {
		return Forwarded{}, fmt.Errorf("%s: not valid JSON", where)
	}
	if err := f.Place.Check(); err != nil {
		return Forwarded{}, fmt.Errorf("%s.%w", where, err)
	}
	if f.History < 0 || f.History > MaxHistory {
		return Forwarded{}, fmt.Errorf("%s.history: must be a number from 1 to %d, or 0 for all messages",
			where, MaxHistory)
	}
	return f, nil
}

// MaxHistory is the largest window of a thread that can be asked for, in messages.
const MaxHistory = 200

// Limits of a scope: each entry is looked up in the store.
const (
	maxScopes = 16
	maxScope  = 256 // bytes of a kind or an id
)

// Check refuses a place with a gap (a tab without a page, a subtab without a tab) or too large a
// scope. Its error begins with the field.
func (p Place) Check() error {
	switch {
	case p.Tab != "" && p.Page == "":
		return errors.New("tab: a tab needs a page")
	case p.Subtab != "" && p.Tab == "":
		return errors.New("subtab: a subtab needs a tab")
	case len(p.Scope) > maxScopes:
		return fmt.Errorf("scope: must hold at most %d entries", maxScopes)
	}
	for kind, id := range p.Scope {
		if len(kind) > maxScope || len(id) > maxScope {
			return fmt.Errorf("scope: a kind and an id are at most %d bytes", maxScope)
		}
	}
	return nil
}

// jsonKind names the JSON type that a Go type is read from.
func jsonKind(e *jsonv2.SemanticError) string {
	if e.GoType == nil {
		return "another type"
	}
	switch e.GoType.Kind().String() {
	case "string":
		return "a string"
	case "int":
		return "a whole number"
	case "slice":
		return "an array"
	}
	return "an object"
}
