package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/nearest"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// toolset is what a run offers to the model.
type toolset struct {
	offers     map[string]*offer
	registered *tool.Registry // all tools of the server, at whatever place
}

// offer is one tool of a run: a backend tool of the place, or a frontend tool that the client
// declared for this run.
type offer struct {
	backend  *tool.Tool // nil is a frontend tool
	schema   *tool.Schema
	decl     llm.ToolDecl
	question bool          // the user answers it
	payload  *payload.Type // a call of it is a payload that is shown, and nobody runs it
}

// InputError says which field of a run's input cannot be used. Its text can be shown to the client.
type InputError struct {
	Field string // "tools[2].parameters"
	Err   error
}

// Error implements error.
func (e *InputError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *InputError) Unwrap() error { return e.Err }

// CheckFrontend reports the first frontend tool that cannot be used, as an *InputError: a name no
// provider takes, or parameters that are not a schema or one that could keep a validator busy. A
// server calls it before it accepts a run.
func CheckFrontend(tools []agui.Tool) error {
	for i, t := range tools {
		if _, err := frontendOffer(i, t); err != nil {
			return err
		}
	}
	return nil
}

// offerTools collects the tools of a run. A backend tool wins over a frontend tool of the same
// name, and the first of two frontend tools.
func offerTools(ctx context.Context, view page.View, registered *tool.Registry, frontend []agui.Tool, log *slog.Logger) (toolset, error) {
	set := toolset{make(map[string]*offer, len(view.Tools)+len(frontend)), registered}
	for _, t := range view.Tools {
		set.offers[t.Name] = backendOffer(t)
	}
	for i, t := range frontend {
		o, err := frontendOffer(i, t)
		if err != nil {
			return toolset{}, err
		}
		if first, taken := set.offers[t.Name]; taken {
			log.WarnContext(ctx, "a frontend tool is ignored: its name is taken", "tool", t.Name, "byBackendTool", first.backend != nil)
			continue
		}
		set.offers[t.Name] = o
	}
	return set, nil
}

func frontendOffer(i int, t agui.Tool) (*offer, error) {
	if !tool.ValidName(t.Name) {
		return nil, &InputError{fmt.Sprintf("tools[%d].name", i), errors.New("a name is 1 to 64 letters, digits, _ and -")}
	}
	schema, err := tool.CompileSchema(t.Parameters)
	if err != nil {
		return nil, &InputError{fmt.Sprintf("tools[%d].parameters", i), err}
	}
	decl := llm.ToolDecl{Name: t.Name, Description: t.Description, Parameters: schema.Declaration()}
	return &offer{schema: schema, decl: decl}, nil
}

func backendOffer(t *tool.Tool) *offer {
	decl := llm.ToolDecl{Name: t.Name, Description: t.Description, Parameters: t.InputSchema}
	return &offer{backend: t, schema: t.Schema(), decl: decl}
}

// add offers a tool, unless its name is taken. It returns the offer, made or not.
func (s toolset) add(t *tool.Tool) *offer {
	o := backendOffer(t)
	if s.offers[t.Name] == nil {
		s.offers[t.Name] = o
	}
	return o
}

// backend returns a tool of the server that a call of an earlier run named, wherever the user is
// now and whatever the client has declared there under that name. It is the one way to a tool that
// the place does not offer: what a call may not use any more must not come back from here.
func (s toolset) backend(name string) *tool.Tool {
	if o := s.offers[name]; o != nil && o.backend != nil {
		return o.backend
	}
	t, _ := s.registered.Get(name)
	return t
}

// builtin compiles a tool of Pageside's own.
func builtin(t *tool.Tool) *tool.Tool {
	registry, err := tool.NewRegistry(t)
	if err != nil {
		panic("agent: " + err.Error())
	}
	ready, _ := registry.Get(t.Name)
	return ready
}

// decls are the declarations for the model, sorted by name: the same tools make the same bytes,
// which a provider's cache needs.
func (s toolset) decls() []llm.ToolDecl {
	decls := make([]llm.ToolDecl, 0, len(s.offers))
	for _, name := range s.names() {
		decls = append(decls, s.offers[name].decl)
	}
	return decls
}

func (s toolset) names() []string {
	names := make([]string, 0, len(s.offers))
	for name := range s.offers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// unknown says that there is no such tool. It is never taken for a frontend tool, which the client
// must have declared for this run.
func (s toolset) unknown(name string) *tool.Error {
	e := &tool.Error{Code: tool.CodeUnknownTool, Message: fmt.Sprintf("there is no tool %.100q here", name), Retryable: true}
	if near := s.nearest(name); len(near) > 0 {
		e.Message += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	e.Hint = "The tools are: " + strings.Join(s.names(), ", ") + "."
	if len(s.offers) == 0 {
		e.Hint = "No tools are offered here: answer without one."
	}
	return e
}

// nearest returns up to three offered names that look like name.
func (s toolset) nearest(name string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, n := range s.names() {
		if d := nearest.Distance(fold(name), fold(n)); d <= max(2, len(n)/3) {
			near = append(near, candidate{n, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var names []string
	for _, c := range near[:min(3, len(near))] {
		names = append(names, c.name)
	}
	return names
}

// fold ignores what models confuse most: case, and the character between words.
func fold(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, name[:min(len(name), 128)]))
}
