package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/pageside/pageside/agui"
)

// A branch of a thread is tainted once its model has read what somebody other than the user and the
// operator may have written: from then on the model may do what somebody else wants. Taint is kept
// with the run, and every run that goes on from a tainted one is tainted, because what the model
// said under the influence of a text stays where the text does not. Nothing takes it away.

// Taints reports whether what a request brings taints its branch: whether the model is given a text
// with it that neither the user nor the operator has written. in.History are the messages that the
// request brings, as its client wrote them. What tools return during a run taints as well, and is
// the run's own to see.
//
// These do not taint: what the user types, answers to ask_user and to approvals, and which payload
// was accepted or dismissed; a registered place and the definitions of backend tools, which are the
// operator's; the state, which no model is given; and what the model itself wrote, in a summary for
// instance, which is as tainted as the branch it was made of. A suggested value that was clicked
// comes as any message of the user does: nothing tells it apart.
func (a *Agent) Taints(ctx context.Context, in Input) bool {
	return a.surroundingsTaint(in) || slices.ContainsFunc(in.History, broughtTaints)
}

// surroundingsTaint is Taints for everything but messages.
func (a *Agent) surroundingsTaint(in Input) bool {
	switch {
	// what the page shows, and what its code says where that is not trusted as instructions
	case len(in.Context) > 0:
	case len(in.Frontend) > 0: // the page's tools: their descriptions and schemas
	case len(in.ClientInstructions) > 0: // what the page's code says
	case len(in.Instructions) > 0: // any user of the tenant may have stored them
	case len(in.Place.Scope) > 0: // kinds and ids are the client's choice
	case !a.Pages.Knows(in.Place): // so is a name that is not registered
	case a.describes(in): // what a page's context builder writes may come from anywhere
	default:
		return false
	}
	return true
}

func (a *Agent) describes(in Input) bool {
	// an error is logged where the text is used
	text, _ := a.Pages.Resolve(in.Place).Describe(nil, in.Details)
	return text != ""
}

// broughtTaints reports whether a message taints the branch that a client brings it to.
func broughtTaints(m agui.Message) bool {
	switch m.Role {
	case agui.RoleUser:
		return attaches(m)
	case agui.RoleActivity: // a note of the server's
		return false
	}
	return true // the result of a page's tool, or a history that the client wrote
}

// attaches reports whether a message carries what the user did not type: a picture, a document, an
// address.
func attaches(m agui.Message) bool {
	if m.Content.IsText() || m.Content.IsZero() {
		return false
	}
	parts, err := m.Content.Parts()
	return err != nil || slices.ContainsFunc(parts, func(p agui.ContentPart) bool { return p.Type != agui.PartText })
}

// taint says whether the branch that a run goes on from is tainted.
type taint struct {
	marked  bool // it is, and the journal knows
	journal Journal
}

// readInput taints the branch where something that the run begins with does.
func (t *taint) readInput(ctx context.Context, a *Agent, in *Input, history []agui.Message, tools toolset) error {
	if t.marked {
		return nil
	}
	if a.surroundingsTaint(*in) || slices.ContainsFunc(history, attaches) || hasOutside(history, tools) {
		return t.mark(ctx)
	}
	return nil
}

// readResults taints the branch where a step has called tools: the model is going to read what
// comes of it, a result or an error. The calls of the step itself are judged before, since what
// asked for them had not read it.
func (t *taint) readResults(ctx context.Context, calls []*call) error {
	if slices.ContainsFunc(calls, func(c *call) bool { return c.offer == nil || !c.offer.question }) {
		return t.mark(ctx)
	}
	return nil
}

// mark taints the branch. It returns once that is stored: nothing may come of what taints the
// branch before the journal knows.
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

// hasOutside reports whether messages hold the result of a tool. An answer to ask_user is the
// user's own.
func hasOutside(messages []agui.Message, tools toolset) bool {
	own := map[string]bool{}
	for i := range messages {
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
