package agent

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/tool"
)

// call is one tool call of a step.
type call struct {
	id, name string
	index    int // of its content block
	args     strings.Builder
	opaque   string
	offer    *offer // nil where no tool of that name is offered
	complete bool   // the model has written all of it
	closed   bool   // its END is out

	ready    *ready       // what to run, once it was judged
	result   *tool.Result // what the model is told; nil where nobody has answered yet
	emitted  bool         // the result is out
	resultID string       // of its message

	interrupt *Interrupt      // a person has to answer first
	old       bool            // an earlier run made the call, or this one before a crash
	overtaken bool            // the user has said something since
	planned   string          // the run that planned it, where that was not this one just now
	started   bool            // the journal has it as started: it runs again
	changed   json.RawMessage // it runs with these arguments, and not with the model's
	always    bool            // it was approved for good: the next one like it runs without asking
	allowance string          // the id of the allowance by which it runs without asking
}

// ready is a call that may run, with the arguments it runs with.
type ready struct {
	tool *tool.Tool // nil is a frontend call
	args json.RawMessage
}

// earlierCall is a call that stands in the thread.
func earlierCall(from *agui.ToolCall) *call {
	c := &call{id: from.ID, name: from.Name, opaque: from.EncryptedValue, complete: true, closed: true, old: true}
	c.args.WriteString(from.Arguments)
	return c
}

// answer settles the call, unless it is settled already.
func (c *call) answer(r tool.Result) {
	if c.result == nil {
		c.result = &r
	}
}

func (c *call) frontend() bool { return c.ready != nil && c.ready.tool == nil }

// runs reports whether the server is to carry the call out now.
func (c *call) runs() bool {
	return c.result == nil && c.ready != nil && c.ready.tool != nil && c.interrupt == nil
}

// waits reports whether nothing more is to be done about the call until a client or a person has
// answered.
func (c *call) waits() bool { return c.result == nil && (c.frontend() || c.interrupt != nil) }

// noteChange keeps the arguments a call runs with where they are not those that the model wrote: it
// must be told.
func (c *call) noteChange(args json.RawMessage) {
	wrote, err := tool.ParseArgs(c.args.String(), nil)
	if len(args) > 0 && (err != nil || !sameJSON(args, wrote)) {
		c.changed = args
	}
}

func sameJSON(a, b json.RawMessage) bool {
	x, err1 := tool.Canonical(a)
	y, err2 := tool.Canonical(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

// resultMessage is the result as the thread has it.
func (c *call) resultMessage() agui.Message {
	return agui.Message{ID: c.resultID, Role: agui.RoleTool, ToolCallID: c.id, Content: agui.TextContent(c.result.Text), Metadata: c.resultMetadata()}
}

// resultMetadata says with which arguments the call ran, where they are not those that the model
// wrote. It is nil for any other.
func (c *call) resultMetadata() json.RawMessage {
	return (&agui.Metadata{Args: c.changed}).JSON()
}

// callIDs are the ids of all tool calls of a thread.
type callIDs struct {
	taken map[string]bool
	newID func(prefix string) string
}

// take returns the model's id of a call, or a new one where it gave none or one that the thread has
// already.
func (ids *callIDs) take(id string) string {
	if id == "" || ids.taken[id] {
		id = ids.newID("call_")
	}
	ids.taken[id] = true
	return id
}

func newCallIDs(history []agui.Message, newID func(prefix string) string) *callIDs {
	ids := &callIDs{map[string]bool{}, newID}
	for i := range history {
		for _, c := range history[i].ToolCalls {
			ids.taken[c.ID] = true
		}
		if p, ok := prompt.ReadPayload(&history[i]); ok && p.ToolCallID != "" {
			ids.taken[p.ToolCallID] = true
		}
	}
	return ids
}
