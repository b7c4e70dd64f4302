package agent

import (
	"fmt"
	"log/slog"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

// maxCallsPerTurn bounds what one turn of a model may ask for.
const maxCallsPerTurn = 128

func (t *turn) startCall(p *llm.Part) error {
	if p.Name == "" {
		slog.Warn("a model called a tool without a name", "model", t.run.model.Name(), "runId", t.run.in.RunID)
		t.nameless = append(t.nameless, p.Index)
		return nil
	}
	if len(t.calls) == maxCallsPerTurn {
		return t.run.modelError(llm.KindOutputLimit, fmt.Sprintf("the model made more than %d tool calls in one turn", maxCallsPerTurn))
	}
	if card, err := t.startCardCall(p); card || err != nil {
		return err
	}
	t.leaveBlock(p.Index)
	if err := t.endText(); err != nil {
		return err
	}
	if err := t.assistant(t.rethink || t.cut && !t.hasCalls()); err != nil {
		return err
	}
	if err := t.closeText(); err != nil {
		return err
	}
	c := &call{id: t.run.callID(p.ID), name: p.Name, index: p.Index, offer: t.run.tools.offers[p.Name]}
	t.calls = append(t.calls, c)
	t.current.calls = append(t.current.calls, c)
	return t.emit(&agui.ToolCallStart{ToolCallID: c.id, ToolCallName: c.name, ParentMessageID: t.current.id})
}

// callID returns the model's id of a call, or a new one where it gave none or one the thread
// already has.
func (r *run) callID(id string) string {
	if id == "" || r.callIDs[id] {
		id = r.agent.id("call_")
	}
	r.callIDs[id] = true
	return id
}

// callAt returns the last call of a content block.
func (t *turn) callAt(index int) *call {
	for i := len(t.calls) - 1; i >= 0; i-- {
		if t.calls[i].index == index {
			return t.calls[i]
		}
	}
	return nil
}

// writeArgs passes arguments on byte for byte.
func (t *turn) writeArgs(p *llm.Part) error {
	if p.Delta == "" {
		return nil
	}
	if card := t.cardAt(p.Index); card != nil {
		return t.grow(card, p.Delta)
	}
	c := t.callAt(p.Index)
	if c == nil || c.complete {
		return t.stray(p, "arguments")
	}
	c.args.WriteString(p.Delta)
	return t.emit(&agui.ToolCallArgs{ToolCallID: c.id, Delta: p.Delta})
}

func (t *turn) completeCall(p *llm.Part) error {
	if card := t.cardAt(p.Index); card != nil {
		return t.endCard(card)
	}
	c := t.callAt(p.Index)
	if c == nil {
		return t.stray(p, "the end")
	}
	return t.complete(c)
}

// stray is for a part whose call is not there: an error, unless the call was dropped because it had
// no name.
func (t *turn) stray(p *llm.Part, what string) error {
	if slices.Contains(t.nameless, p.Index) {
		return nil
	}
	return t.run.modelError(llm.KindProtocol, "the model sent "+what+" of a tool call that it had not begun")
}

// complete marks a call as fully written. A call without arguments gets {}, so that every reader
// finds JSON. The END of a frontend call is held: the browser may act on it, and the backend calls
// of the turn come first.
func (t *turn) complete(c *call) error {
	if c.complete {
		return nil
	}
	c.complete = true
	if c.args.Len() == 0 {
		c.args.WriteString("{}")
		if err := t.emit(&agui.ToolCallArgs{ToolCallID: c.id, Delta: "{}"}); err != nil {
			return err
		}
	}
	if c.offer != nil && c.offer.backend == nil {
		return nil
	}
	return t.end(c)
}

func (t *turn) end(c *call) error {
	if c.closed {
		return nil
	}
	c.closed = true
	return t.emit(&agui.ToolCallEnd{ToolCallID: c.id})
}
