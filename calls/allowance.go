package calls

import (
	"context"
	_ "embed" // a schema
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/tool"
)

// notAllowable is the problem with an "always" that cannot be granted.
const notAllowable = "always: this call can only be approved for itself"

// Allowance is a standing approval: until it expires, calls of a tool with these arguments run
// without asking.
type Allowance struct {
	Tool       string
	Definition string          // of the tool, as it was when the user agreed
	Args       json.RawMessage // as approved
	OpenArgs   []string        // the ones that may have any value
	ArgsHash   string          // tool.HashExcept(Args, OpenArgs)
	UserWide   bool            // on all threads of the user, not only on this one
	ExpiresAt  time.Time
}

// Allowances stores the standing approvals of one user for one agent on one branch of a thread.
// Safe for concurrent use.
type Allowances interface {
	// Find returns the id of an unexpired allowance for a call of this tool definition, or "". open
	// holds the arguments that an allowance of the tool may leave open. After an error the user is
	// asked.
	Find(ctx context.Context, tool, definition string, args json.RawMessage, open []string) (id string, err error)
	// Give stores an allowance. It returns once that is durable. An error fails the run.
	Give(ctx context.Context, a Allowance) error
}

// Grants are the standing approvals of the user that calls are made for.
type Grants struct {
	Kept Allowances // may be nil: then there are none
	Log  *slog.Logger
}

// allowable returns the definition of a tool whose calls can be allowed for good, else "".
func (g *Grants) allowable(t *tool.Tool, permission policy.Answer) string {
	on := Judgement{Permission: permission}
	if g.Kept == nil || !on.Case(t, false).Allowable() {
		return ""
	}
	return t.Definition()
}

// Offer fills in the kind of call that an approval is about, and how such calls can be allowed for
// good.
func (g *Grants) Offer(i *Interrupt, t *tool.Tool, args json.RawMessage, permission policy.Answer) {
	i.Effect, i.Allowable, i.OpenArgs, i.ResponseSchema = t.Effect, g.allowable(t, permission), nil, ApprovalSchema
	if i.Allowable != "" {
		i.OpenArgs = openable(t, args)
		i.ResponseSchema = allowableSchema(i.OpenArgs)
	}
}

// Check returns what is wrong with the terms of an answer, or "". No terms are right.
func (g *Grants) Check(t *Terms, i *Interrupt, of *tool.Tool, permission policy.Answer) string {
	if t == nil {
		return ""
	}
	if i.Allowable == "" || i.Allowable != g.allowable(of, permission) {
		return notAllowable
	}
	open := slices.DeleteFunc(slices.Clone(i.OpenArgs), func(name string) bool {
		return !slices.Contains(of.Policy.OpenArgs, name)
	})
	if err := t.check(open); err != nil {
		return err.Error()
	}
	return ""
}

// Find returns the id of an allowance that holds for a call, or "". If the lookup fails there is
// none: the user is asked.
func (g *Grants) Find(ctx context.Context, t *tool.Tool, args json.RawMessage, permission policy.Answer) string {
	definition := g.allowable(t, permission)
	if definition == "" {
		return ""
	}
	id, err := g.Kept.Find(ctx, t.Name, definition, args, t.Policy.OpenArgs)
	if err != nil {
		g.Log.ErrorContext(ctx,
			"what the user has allowed could not be looked up: the call does not run unasked", "tool", t.Name,
			"error", err)
		return ""
	}
	return id
}

// Give stores a standing approval on the terms of an answer. It returns once that is durable.
func (g *Grants) Give(
	ctx context.Context, terms *Terms, t *tool.Tool, args json.RawMessage, permission policy.Answer,
) error {
	given, err := terms.allowance(t, g.allowable(t, permission), args)
	if err != nil {
		return err
	}
	return g.Kept.Give(ctx, given)
}

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
			return &agui.FieldError{
				Path:   fmt.Sprintf("allowance.openArgs[%d]", i),
				Reason: fmt.Sprintf("%.100q cannot be left open", name),
			}
		}
	}
	switch {
	case t.Scope != scopeThread && t.Scope != scopeUser:
		return &agui.FieldError{Path: "allowance.scope", Reason: `must be "thread" or "user"`}
	case t.Scope == scopeThread && t.MaxAge != threadMaxAge,
		t.Scope == scopeUser && !slices.Contains(userMaxAges, t.MaxAge):
		return &agui.FieldError{
			Path:   "allowance.maxAge",
			Reason: fmt.Sprintf("%d seconds are not offered for this scope", t.MaxAge),
		}
	}
	return nil
}

// allowance returns what the terms allow for a call.
func (t *Terms) allowance(of *tool.Tool, definition string, args json.RawMessage) (Allowance, error) {
	open := slices.Compact(slices.Sorted(slices.Values(t.OpenArgs)))
	hash, err := tool.HashExcept(args, open)
	return Allowance{
		Tool: of.Name, Definition: definition, Args: args, OpenArgs: open, ArgsHash: hash,
		UserWide:  t.Scope == scopeUser,
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
