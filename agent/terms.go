package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

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

// terms are what an always allows.
type terms struct {
	Scope    string   `json:"scope"`
	MaxAge   int      `json:"maxAge"` // in seconds
	OpenArgs []string `json:"openArgs"`
}

// readTerms reads always and allowance of an answer. It returns nil for an answer that is for one
// call only.
func readTerms(fields map[string]json.RawMessage) (*terms, error) {
	always, given := fields["always"]
	offer, extended := fields["allowance"]
	switch {
	case given && string(always) != "true" && string(always) != "false":
		return nil, &InputError{"always", errors.New("must be true or false")}
	case string(always) != "true" && extended:
		return nil, &InputError{"allowance", errors.New("goes with always only")}
	case string(always) != "true":
		return nil, nil
	case !extended:
		return &terms{Scope: scopeThread, MaxAge: threadMaxAge}, nil
	}
	t := &terms{Scope: scopeThread, MaxAge: threadMaxAge}
	if err := jsonv2.Unmarshal(offer, t, jsonv2.RejectUnknownMembers(true)); err != nil || string(offer) == "null" {
		return nil, &InputError{"allowance", errors.New("must be an object with scope, maxAge and openArgs")}
	}
	return t, nil
}

// check returns an *InputError for terms that the server never offers, or not for this call.
func (t *terms) check(openArgs []string) error {
	for i, name := range t.OpenArgs {
		if !slices.Contains(openArgs, name) {
			return &InputError{fmt.Sprintf("allowance.openArgs[%d]", i), fmt.Errorf("%.100q cannot be left open", name)}
		}
	}
	switch {
	case t.Scope != scopeThread && t.Scope != scopeUser:
		return &InputError{"allowance.scope", errors.New(`must be "thread" or "user"`)}
	case t.Scope == scopeThread && t.MaxAge != threadMaxAge, t.Scope == scopeUser && !slices.Contains(userMaxAges, t.MaxAge):
		return &InputError{"allowance.maxAge", fmt.Errorf("%d seconds are not offered for this scope", t.MaxAge)}
	}
	return nil
}

// allowance returns what the terms allow for a call.
func (t *terms) allowance(of *tool.Tool, definition string, args json.RawMessage) (Allowance, error) {
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

// allowableSchema is approvalSchema if the answer may be always, and may leave arguments open.
func allowableSchema(openArgs []string) json.RawMessage {
	const path = "/properties/allowance/properties/openArgs"
	change := patchOp{Op: "remove", Path: path}
	if len(openArgs) > 0 {
		change = patchOp{"replace", path + "/items/enum", jsonx.Marshal(openArgs)}
	}
	schema, err := jsonx.NewDocument(schemaOf("allowable")).Patch(jsonx.Marshal([]patchOp{change}))
	if err != nil {
		panic("agent: change a schema: " + err.Error()) // it is our own
	}
	return schema.Raw()
}
