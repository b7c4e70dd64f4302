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
type toolset struct{ offers map[string]*offer }

// offer is one tool of a run: a backend tool of the place, or a frontend tool that the client
// declared for this run.
type offer struct {
	backend  *tool.Tool // nil is a frontend tool
	schema   *tool.Schema
	decl     llm.ToolDecl
	question bool          // the user answers it
	card     *payload.Type // it shows this card, and nobody runs it
}

// InputError says which field of a run's input cannot be used. Its text can be shown to the client.
type InputError struct {
	Field string // "tools[2].parameters"
	Err   error
}

func (e *InputError) Error() string { return e.Field + ": " + e.Err.Error() }
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
func offerTools(ctx context.Context, view page.View, frontend []agui.Tool) (toolset, error) {
	set := toolset{make(map[string]*offer, len(view.Tools)+len(frontend))}
	for _, t := range view.Tools {
		set.offers[t.Name] = backendOffer(t)
	}
	for i, t := range frontend {
		o, err := frontendOffer(i, t)
		if err != nil {
			return toolset{}, err
		}
		if first, taken := set.offers[t.Name]; taken {
			slog.WarnContext(ctx, "a frontend tool is ignored: its name is taken", "tool", t.Name, "byBackendTool", first.backend != nil)
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

// offerBuiltins adds the tools that Pageside itself has. One that the host or the client has under
// the same name wins.
func (r *run) offerBuiltins() {
	if !r.model.Tools {
		return
	}
	if r.agent.AskUser {
		r.offer(askUser()).question = true
	}
	if r.compaction.Through != "" || slices.ContainsFunc(r.in.History, r.cuts) {
		r.offer(r.readResult())
	}
}

// offer adds a tool, unless its name is taken.
func (r *run) offer(t *tool.Tool) *offer {
	o := backendOffer(t)
	if r.tools.offers[t.Name] == nil {
		r.tools.offers[t.Name] = o
	}
	return o
}

// backendTool returns a tool of the server that a call of an earlier run named, wherever the user
// is now and whatever the client has declared there under that name. It is the one way to a tool
// that the place does not offer: what a call may not use any more must not come back from here.
func (r *run) backendTool(name string) *tool.Tool {
	if o := r.tools.offers[name]; o != nil && o.backend != nil {
		return o.backend
	}
	t, _ := r.agent.Pages.Tools().Get(name)
	return t
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
