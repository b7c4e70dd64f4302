package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pageside/pageside/agent/pagetool"
	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/nearest"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/sharedstate"
	"github.com/pageside/pageside/tool"
)

// toolset holds the tools a run offers to the model.
type toolset struct {
	offers     map[string]*offer
	denied     map[string]policy.Answer // tools of the place or the page that the user may not use
	unmet      map[string]string        // tools of the place that lack something there, and what
	registered *tool.Registry           // all tools of the server, at any place
}

// offer is one tool of a run: a backend tool of the place, or a frontend tool declared by the
// client.
type offer struct {
	backend  *tool.Tool   // nil for a frontend tool
	page     *tool.Tool   // what the client says of a frontend tool; nil for a backend tool
	declared *tool.Schema // of a frontend tool
	decl     llm.ToolDecl
	question bool          // answered by the user
	builtin  bool          // one of the agent's own: it reaches only what the run was given
	withheld bool          // a frontend tool whose calls the client gets once they are decided
	calls    *tool.Limiter // of a frontend tool; nil is no limit
	payload  *payload.Type // set if a call is shown as a payload and never run
}

// tool returns what is offered, wherever it runs.
func (o *offer) tool() *tool.Tool {
	if o.page != nil {
		return o.page
	}
	return o.backend
}

// schema is what arguments of the tool must match.
func (o *offer) schema() *tool.Schema {
	if o.page != nil {
		return o.declared
	}
	return o.backend.Schema()
}

// AskUser is the name of the built-in tool by which the model asks the user.
const AskUser = "ask_user"

// reserved are the names of the built-in tools, which the page cannot have.
var reserved = []string{AskUser, prompt.ReadResult}

// RunsOnServer reports whether calls of a name are of a backend tool, at whatever place, or of a
// built-in one: no client can have made or answered them.
func (a *Agent) RunsOnServer(name string) bool {
	_, registered := a.Pages.Tools().Get(name)
	return registered || a.reserves(name)
}

// reserves reports whether a name is that of a built-in tool of the agent.
func (a *Agent) reserves(name string) bool {
	return slices.Contains(reserved, name) || name == updateStateName && a.State.Model == sharedstate.Write
}

// offerTools collects the tools of a run. A frontend tool is ignored if its name is reserved or
// that of a backend tool, at whatever place: its calls would look like that one's. The first
// frontend tool wins over the second.
func (a *Agent) offerTools(ctx context.Context, view page.View, frontend []agui.Tool) (toolset, error) {
	registered, log := a.Pages.Tools(), a.log()
	set := toolset{
		make(map[string]*offer, len(view.Tools)+len(frontend)), map[string]policy.Answer{}, map[string]string{},
		registered,
	}
	for _, t := range view.Tools {
		set.offers[t.Name] = backendOffer(t)
	}
	for i, t := range frontend {
		o, err := frontendOffer(i, &t)
		if err != nil {
			return toolset{}, err
		}
		_, registered := registered.Get(t.Name)
		if set.offers[t.Name] != nil || registered || a.reserves(t.Name) {
			log.WarnContext(ctx, "a frontend tool is ignored: its name is taken", "tool", t.Name,
				"byBackendTool", registered)
			continue
		}
		if len(o.decl.Description) < len(t.Description) {
			log.WarnContext(ctx,
				"the description of a frontend tool was cut, or held characters that nobody sees",
				"tool", t.Name, "bytes", len(t.Description))
		}
		if p, ok := a.PageTools[t.Name]; ok {
			o.calls = p.Calls
			o.page.Effect = cmp.Or(p.Effect, o.page.Effect)
			o.page.Policy.Approval = cmp.Or(p.Approval, o.page.Policy.Approval)
		}
		o.page.Effect = cmp.Or(o.page.Effect, a.Approvals.PageTools, tool.Page)
		set.offers[t.Name] = o
	}
	if len(set.offers) > manyTools {
		log.WarnContext(ctx, "more tools are offered than every provider takes; some get only the first",
			"tools", len(set.offers), "first", manyTools)
	}
	return set, nil
}

// manyTools is how many tools OpenAI takes.
const manyTools = 128

// frontendOffer returns the offer of the i-th frontend tool.
func frontendOffer(i int, t *agui.Tool) (*offer, error) {
	declared, err := pagetool.Read(i, t)
	if err != nil {
		return nil, err
	}
	// The page answers retrieve_items from what it has sent.
	return &offer{
		page: &declared.Tool, declared: declared.Schema, decl: declared.Decl, builtin: t.Name == prompt.RetrieveItems,
	}, nil
}

func backendOffer(t *tool.Tool) *offer {
	decl := llm.ToolDecl{Name: t.Name, Description: t.Description, Parameters: t.Declaration()}
	return &offer{backend: t, decl: decl}
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

// definition returns what a call's tool is, whether it runs on the server or in the page, or nil if
// there is no such tool now.
func (s toolset) definition(name string, frontend bool) (*tool.Tool, *tool.Schema) {
	if frontend {
		if o := s.offers[name]; o != nil && o.page != nil {
			return o.page, o.declared
		}
		return nil, nil
	}
	if t := s.backend(name); t != nil {
		return t, t.Schema()
	}
	return nil, nil
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

// withhold takes the tools from a run that lack something at its place, such as the scope that one
// of their arguments is bound to.
func (s toolset) withhold(p auth.Principal, from tool.Origin) {
	for name, o := range s.offers {
		if o.backend == nil {
			continue
		}
		if lacks := o.backend.Unmet(p, from); lacks != "" {
			s.unmet[name] = lacks
			delete(s.offers, name)
		}
	}
}

// withheld lists the tools of the place that are not offered, for the inspector.
func (s toolset) withheld() (list []Withheld) {
	for name, answer := range s.denied {
		list = append(list, Withheld{name, answer.Rule, answer.Reason})
	}
	for name, lacks := range s.unmet {
		list = append(list, Withheld{name, "", lacks})
	}
	slices.SortFunc(list, func(a, b Withheld) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// unknown returns the error for an unknown tool. It never counts as a frontend tool, which the
// client must have declared for this run.
func (s toolset) unknown(name string) *tool.Error {
	e := &tool.Error{
		Code: tool.CodeUnknownTool, Message: fmt.Sprintf("there is no tool %.100q here", name), Retryable: true,
	}
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

// updateStateName names the tool with which a model changes the state.
const updateStateName = "update_state"

// updateState is the tool with which the model changes the state. Nobody is asked before a call: it
// reaches only what the conversation holds, and the user sees it.
var updateState = sync.OnceValue(func() *tool.Tool {
	return tool.Builtin(tool.Tool{
		Name:        updateStateName,
		Description: "Changes the state that you and the page share. The page shows the change at once.",
		InputSchema: schemaOf("update_state"), Effect: tool.Write,
		Policy: tool.Policy{Approval: tool.ApprovalNever, Sequential: true},
		Handler: func(_ context.Context, call *tool.Call) (tool.Result, error) {
			if err := call.PatchState(jsonx.Find(call.Args, "patch")); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: `{"ok":true}`}, nil
		},
	})
})

// updateTool returns updateState with the schema of the agent's state, or nil if its model may not
// change that.
func updateTool(c *sharedstate.Config) *tool.Tool {
	if c.Model != sharedstate.Write {
		return nil
	}
	t := *updateState()
	if c.Schema != nil {
		t.Description += " The state must match this JSON Schema: " + string(c.Schema.Declaration())
	}
	return &t
}
