package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/nearest"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/tool"
)

// toolset holds the tools a run offers to the model.
type toolset struct {
	offers     map[string]*offer
	denied     map[string]policy.Answer // tools of the place or the page that the user may not use
	registered *tool.Registry           // all tools of the server, at any place
}

// offer is one tool of a run: a backend tool of the place, or a frontend tool declared by the
// client.
type offer struct {
	backend  *tool.Tool // nil for a frontend tool
	schema   *tool.Schema
	decl     llm.ToolDecl
	question bool          // answered by the user
	builtin  bool          // one of the agent's own: it reaches only what the run was given
	payload  *payload.Type // set if a call is shown as a payload and never run
}

// InputError names the field of a run's input that is invalid. Its text can be shown to the client.
type InputError struct {
	Field string // "tools[2].parameters"
	Err   error
}

// Error implements error.
func (e *InputError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *InputError) Unwrap() error { return e.Err }

// CheckFrontend returns an *InputError for the first unusable frontend tool: a name that no
// provider accepts, or parameters that are not a schema or could keep a validator busy. A server
// calls it before it accepts a run.
func CheckFrontend(tools []agui.Tool) error {
	for i, t := range tools {
		if _, err := frontendOffer(i, t); err != nil {
			return err
		}
	}
	return nil
}

// offerTools collects the tools of a run. Of two tools with the same name, a backend tool wins over
// a frontend tool, and the first frontend tool over the second.
func offerTools(ctx context.Context, view page.View, registered *tool.Registry, frontend []agui.Tool, log *slog.Logger) (toolset, error) {
	set := toolset{make(map[string]*offer, len(view.Tools)+len(frontend)), map[string]policy.Answer{}, registered}
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
	// The page answers retrieve_items from what it has sent.
	return &offer{schema: schema, decl: decl, builtin: t.Name == prompt.RetrieveItems}, nil
}

func backendOffer(t *tool.Tool) *offer {
	decl := llm.ToolDecl{Name: t.Name, Description: t.Description, Parameters: t.InputSchema}
	return &offer{backend: t, schema: t.Schema(), decl: decl}
}

// add offers a tool and returns its offer, even if the name was taken.
func (s toolset) add(t *tool.Tool) *offer {
	o := backendOffer(t)
	o.builtin = true
	if s.offers[t.Name] == nil {
		s.offers[t.Name] = o
	}
	return o
}

// backend returns the server's tool with a name, whatever the current place and the client's
// declarations. It is the only way to a tool that the place does not offer: it must not return one
// that calls may no longer use.
func (s toolset) backend(name string) *tool.Tool {
	if o := s.offers[name]; o != nil && o.backend != nil {
		return o.backend
	}
	t, _ := s.registered.Get(name)
	return t
}

// builtin compiles a built-in tool.
func builtin(t *tool.Tool) *tool.Tool {
	registry, err := tool.NewRegistry(t)
	if err != nil {
		panic("agent: " + err.Error())
	}
	ready, _ := registry.Get(t.Name)
	return ready
}

// decls returns the declarations for the model, sorted by name: a provider's cache needs identical
// bytes for identical tools.
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

// withheld lists the tools that the user may not use, for the inspector.
func (s toolset) withheld() (list []Withheld) {
	for _, name := range slices.Sorted(maps.Keys(s.denied)) {
		list = append(list, Withheld{name, s.denied[name].Rule, s.denied[name].Reason})
	}
	return list
}

// unknown returns the error for an unknown tool. It never counts as a frontend tool, which the
// client must have declared for this run.
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

// nearest returns up to three offered names that resemble name.
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

// fold ignores what models confuse most: case, and the separator between words.
func fold(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, name[:min(len(name), 128)]))
}
