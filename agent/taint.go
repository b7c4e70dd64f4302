package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/pageside/pageside/agent/pagetool"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

// A branch of a thread is tainted once its model has read text that somebody other than the user
// and the operator may have written: from then on the model may do what somebody else wants. Taint
// is stored with the run and inherited by every later run on the branch, because text the model
// wrote under its influence stays in the thread. It is never cleared.

// Taints reports whether a request taints its branch: whether it gives the model text that neither
// the user nor the operator has written. in.History holds the messages that the request brings, as
// its client wrote them. Tool results taint too; the run checks them itself.
//
// These do not taint: the user's text; answers to ask_user and to approvals, and which payload was
// accepted or dismissed; a registered place, its suggestions, and the definitions of backend tools,
// which are the operator's; the names, descriptions and schemas of the page's tools, and the page's
// instructions, which are the application developer's; a shared state that no model is shown, or
// that is still the operator's initial one; and what the model itself wrote, such as a summary,
// which is as tainted as its branch. A clicked suggestion of a model or of the page's code is not
// the user's text: its message is marked as suggested.
func (a *Agent) Taints(ctx context.Context, in Input) bool {
	return a.surroundingsTaint(ctx, in) || slices.ContainsFunc(in.History, a.broughtTaints)
}

// surroundingsTaint is Taints for everything except messages.
func (a *Agent) surroundingsTaint(ctx context.Context, in Input) bool {
	switch {
	// what the page shows, and the client's instructions where they are data
	case len(in.Context) > 0:
	case a.sharesForeign(in): // what the page, or a tool, has put into the shared state
	// somebody else describes a tool of the page
	case slices.ContainsFunc(in.Frontend, pagetool.IsForeign):
	case a.look(ctx, &in).offersForeign(): // what an MCP server says about its tools
	case len(in.Instructions) > 0: // stored by any user of the tenant
	case len(in.Place.Scope) > 0: // kinds and ids are chosen by the client
	case !a.Pages.Knows(in.Place): // an unregistered name is the client's choice too
	case a.look(ctx, &in).describes(): // what a page's context builder writes may be anybody's
	default:
		return false
	}
	return true
}

// offersForeign reports whether a tool is offered that somebody other than the operator describes.
func (l *Look) offersForeign() bool {
	return slices.ContainsFunc(l.view.Tools, func(t *tool.Tool) bool { return t.Foreign })
}

// describes reports whether a context builder has said something.
func (l *Look) describes() bool { return l.shown.built != page.Built{} }

// sharesForeign reports whether the model is shown a state that is not the operator's.
func (a *Agent) sharesForeign(in Input) bool {
	return a.State.Shows(in.State) && (a.State.Initial == nil || !jsonx.Equal(in.State, a.State.Initial))
}

// broughtTaints reports whether a client's message taints its branch.
func (a *Agent) broughtTaints(m agui.Message) bool {
	switch m.Role {
	case agui.RoleUser:
		return attaches(m) || a.isSuggested(m)
	case agui.RoleActivity: // a note of the server
		return false
	}
	return true // a frontend tool's result, or a history written by the client
}

// isSuggested reports whether a user's message is a clicked suggestion that is not the operator's.
func (a *Agent) isSuggested(m agui.Message) bool {
	if m.Role != agui.RoleUser || len(m.Metadata) == 0 {
		return false
	}
	marks, _ := agui.ReadMetadata(m.Metadata)
	return marks.Suggested && !a.Pages.Suggests(m.Content.Text())
}

// attaches reports whether a message carries something the user did not type: an image, a document,
// an address.
func attaches(m agui.Message) bool {
	if m.Content.IsText() || m.Content.IsZero() {
		return false
	}
	parts, err := m.Content.Parts()
	return err != nil || slices.ContainsFunc(parts, func(p agui.ContentPart) bool { return p.Type != agui.PartText })
}

// taint tracks whether the branch of a run is tainted.
type taint struct {
	marked  bool // tainted, and recorded in the journal
	journal Journal
}

// readInput taints the branch if the run's input does.
func (t *taint) readInput(ctx context.Context, a *Agent, in *Input, history []agui.Message, tools toolset) error {
	if t.marked {
		return nil
	}
	if a.surroundingsTaint(ctx, *in) || slices.ContainsFunc(history, attaches) ||
		slices.ContainsFunc(history, a.isSuggested) || hasOutside(history, tools) {
		return t.mark(ctx)
	}
	return nil
}

// readResults taints the branch if a step has called tools, since the model will read their results
// or errors. The calls of the step itself are judged before that: the model had not read the
// results when it made them.
func (t *taint) readResults(ctx context.Context, calls []*call) error {
	if slices.ContainsFunc(calls, func(c *call) bool { return c.offer == nil || !c.offer.question }) {
		return t.mark(ctx)
	}
	return nil
}

// mark taints the branch. It returns once the taint is durable: the model may only be asked after
// that.
func (t *taint) mark(ctx context.Context) error {
	if t.marked {
		return nil
	}
	if err := t.journal.Taint(ctx); err != nil {
		return fmt.Errorf("agent: noting that the branch is tainted: %w", err)
	}
	t.marked = true
	return nil
}

// hasOutside reports whether messages hold a tool result, or that of a suggested action. An answer
// to ask_user is the user's own.
func hasOutside(messages []agui.Message, tools toolset) bool {
	own := map[string]bool{}
	for i := range messages {
		if _, acted := agui.ReadAction(&messages[i]); acted {
			return true // the model is told the result
		}
		for _, c := range messages[i].ToolCalls {
			if o := tools.offers[c.Name]; o != nil && o.question {
				own[c.ID] = true
			}
		}
		if messages[i].Role == agui.RoleTool && !own[messages[i].ToolCallID] {
			return true
		}
	}
	return false
}
