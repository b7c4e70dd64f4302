package calls

import (
	_ "embed" // a schema
	"encoding/json"
	"fmt"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// Scopes of an allowance.
const (
	scopeThread = "thread"
	scopeUser   = "user"
)

// How long an allowance may hold, in seconds. On its thread it holds for a day: the next day the
// user is asked again.
const threadMaxAge = 24 * 60 * 60

var userMaxAges = []int{24 * 60 * 60, 7 * 24 * 60 * 60}

// Terms are what an always allows.
type Terms struct {
	Scope    string   `json:"scope"`
	MaxAge   int      `json:"maxAge"` // in seconds
	OpenArgs []string `json:"openArgs"`
}

// readTerms reads always and allowance of an answer. It returns nil for an answer that is for one
// call only.
func readTerms(fields map[string]json.RawMessage) (*Terms, error) {
	always, given := fields["always"]
	offer, extended := fields["allowance"]
	switch {
	case given && string(always) != "true" && string(always) != "false":
		return nil, &agui.FieldError{Path: "always", Reason: "must be true or false"}
	case string(always) != "true" && extended:
		return nil, &agui.FieldError{Path: "allowance", Reason: "goes with always only"}
	case string(always) != "true":
		return nil, nil
	case !extended:
		return &Terms{Scope: scopeThread, MaxAge: threadMaxAge}, nil
	}
	t := &Terms{Scope: scopeThread, MaxAge: threadMaxAge}
	if err := jsonv2.Unmarshal(offer, t, jsonv2.RejectUnknownMembers(true)); err != nil || string(offer) == "null" {
		return nil, &agui.FieldError{Path: "allowance", Reason: "must be an object with scope, maxAge and openArgs"}
	}
	return t, nil
}

// check returns an *agui.FieldError for terms that the server never offers, or not for this call.
func (t *Terms) check(openArgs []string) error {
	for i, name := range t.OpenArgs {
		if !slices.Contains(openArgs, name) {
			return &agui.FieldError{Path: fmt.Sprintf("allowance.openArgs[%d]", i), Reason: fmt.Sprintf("%.100q cannot be left open", name)}
		}
	}
	switch {
	case t.Scope != scopeThread && t.Scope != scopeUser:
		return &agui.FieldError{Path: "allowance.scope", Reason: `must be "thread" or "user"`}
	case t.Scope == scopeThread && t.MaxAge != threadMaxAge, t.Scope == scopeUser && !slices.Contains(userMaxAges, t.MaxAge):
		return &agui.FieldError{Path: "allowance.maxAge", Reason: fmt.Sprintf("%d seconds are not offered for this scope", t.MaxAge)}
	}
	return nil
}

// allowance returns what the terms allow for a call.
func (t *Terms) allowance(of *tool.Tool, definition string, args json.RawMessage) (Allowance, error) {
	open := slices.Compact(slices.Sorted(slices.Values(t.OpenArgs)))
	hash, err := tool.HashExcept(args, open)
	return Allowance{
		Tool: of.Name, Definition: definition, Args: args, OpenArgs: open, ArgsHash: hash, UserWide: t.Scope == scopeUser,
		ExpiresAt: time.Now().Add(time.Duration(t.MaxAge) * time.Second),
	}, err
}

// openable returns the arguments of a call that an allowance may leave open.
func openable(t *tool.Tool, args json.RawMessage) (names []string) {
	for _, name := range t.Policy.OpenArgs {
		if _, err := tool.HashExcept(args, []string{name}); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// allowableSchema is ApprovalSchema if the answer may be always, and may leave arguments open.
func allowableSchema(openArgs []string) json.RawMessage {
	const path = "/properties/allowance/properties/openArgs"
	change := map[string]any{"op": "remove", "path": path}
	if len(openArgs) > 0 {
		change = map[string]any{"op": "replace", "path": path + "/items/enum", "value": openArgs}
	}
	schema, err := jsonx.NewDocument(allowableFile).Patch(jsonx.Marshal([]any{change}))
	if err != nil {
		panic("calls: change a schema: " + err.Error()) // it is our own
	}
	return schema.Raw()
}

//go:embed schemas/allowable.json
var allowableFile []byte
