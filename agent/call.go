package agent

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/tool"
)

// call is one tool call of a step.
type call struct {
	id, name string
	index    int // of its content block
	args     strings.Builder
	opaque   string
	offer    *offer // nil if no such tool is offered
	complete bool   // the model has finished writing it
	closed   bool   // its END is out

	ready    *ready       // what to run; set once judged
	result   *tool.Result // as shown to the model; nil until there is one
	emitted  bool         // the result was emitted
	resultID string       // id of the result message
	sources  agui.Message // what the result rests on, if it has an id

	interrupt *Interrupt      // a person has to answer first
	left      *Interrupt      // its tool has asked and will get no answer
	old       bool            // made by an earlier run, or before a crash
	overtaken bool            // the user has sent a message since
	planned   string          // the run that planned it, if not this one just now
	started   bool            // the journal has it as started: this is a rerun
	changed   json.RawMessage // it runs with these arguments instead of the model's
	approved  bool            // a person has approved it
	always    *terms          // approved for good: later calls like it run without asking
	allowance string          // id of the allowance under which it runs without asking
	reply     *tool.Reply     // to what its tool has asked
	origin    *tool.Origin    // where the user was when an earlier run made it; nil: as the run

	// A withheld call is of a frontend tool, and the client does not know of it: a note in the
	// thread holds it. Once it is decided, it is announced: the client gets all of it at once.
	withheld  bool
	announced bool
	parent    string          // message in which the model made it
	known     bool            // the client has that message
	message   string          // message that the client gets it in
	noteID    string          // of the note; "" until it is written
	wrote     json.RawMessage // the model's arguments, if the person changed them

	guests bool // a guest has answered it itself

	permission policy.Answer // what the policy says of it
	tainted    bool          // the branch was tainted when the call was judged

	// for the audit log
	rule     string // behind the decision about it
	decision string // under which it began
	argsHash string // of args; "" if not known yet
	hashed   string // the arguments that argsHash was computed from
	begun    bool   // its handler has begun
	recorded bool   // its end is recorded
}

// ready is a call that may run, with its final arguments.
type ready struct {
	tool *tool.Tool // nil for a frontend call that the client has been given
	args json.RawMessage
	page bool // the page runs it
}

// ready returns a call of the offered tool with these arguments.
func (o *offer) ready(args json.RawMessage) *ready {
	if o.page != nil {
		return &ready{o.page, args, true}
	}
	return &ready{o.backend, args, false}
}

// earlierCall is a call that is already in the thread.
func earlierCall(from *agui.ToolCall) *call {
	c := &call{id: from.ID, name: from.Name, opaque: from.EncryptedValue, complete: true, closed: true, old: true}
	c.args.WriteString(from.Arguments)
	if m, ok := agui.ReadMetadata(from.Metadata); ok {
		c.approved = m.Approved
	}
	return c
}

// withheldCall is a call that an earlier run, or this one before a crash, has not given the client.
// known reports whether the client has a message.
func withheldCall(from *agui.NotedCall, known func(id string) bool) *call {
	c := &call{id: from.ID, name: from.Name, opaque: from.EncryptedValue, complete: true, old: true, withheld: true, parent: from.MessageID}
	c.args.WriteString(from.Arguments)
	c.known = known(c.parent)
	return c
}

// answer sets the call's result, unless it has one.
func (c *call) answer(r tool.Result) {
	if c.result == nil {
		c.result = &r
	}
}

// builtin reports whether the call is of one of the agent's own tools.
func (c *call) builtin() bool { return c.offer != nil && c.offer.builtin }

// allowedBy returns who agreed to the call, for the journal.
func (c *call) allowedBy() string {
	if c.approved {
		return journal.ByUser
	}
	return c.allowance
}

// agreement returns who agreed to the call.
func (c *call) agreement() calls.Agreement {
	switch {
	case c.approved:
		return calls.ByPerson
	case c.allowance != "":
		return calls.ByAllowance
	}
	return ""
}

// hashOf returns the hash of the call's arguments, or "" if there are none.
func (c *call) hashOf(args json.RawMessage) string {
	if len(args) == 0 {
		return ""
	}
	if c.argsHash != "" && c.hashed == string(args) {
		return c.argsHash
	}
	hash, err := tool.Hash(args)
	if err != nil {
		return ""
	}
	c.argsHash, c.hashed = hash, string(args)
	return hash
}

// frontend reports whether the call is for the page.
func (c *call) frontend() bool { return c.ready != nil && c.ready.page }

// handsOut reports whether the client is to be given a call that was withheld from it.
func (c *call) handsOut() bool {
	return c.withheld && !c.closed && c.frontend() && c.result == nil && c.interrupt == nil
}

// runs reports whether the server is to run the call now.
func (c *call) runs() bool {
	return c.result == nil && c.ready != nil && !c.ready.page && c.interrupt == nil
}

// waits reports whether the call waits for a client or a person.
func (c *call) waits() bool { return c.result == nil && (c.frontend() || c.interrupt != nil) }

// noteChange keeps the arguments a call runs with if they differ from the model's: the client must
// be told. t may be nil.
func (c *call) noteChange(t *tool.Tool, args json.RawMessage) {
	wrote, err := tool.ParseArgs(c.args.String(), nil)
	if t != nil { // a model may leave bound arguments out
		args, wrote = t.Unbound(args), t.Unbound(wrote)
	}
	switch {
	case len(args) == 0 || err == nil && sameJSON(args, wrote):
	case c.withheld: // the client gets the call with them
		c.wrote = wrote
		c.args.Reset()
		c.args.Write(args)
	default:
		c.changed = args
	}
}

func sameJSON(a, b json.RawMessage) bool {
	x, err1 := tool.Canonical(a)
	y, err2 := tool.Canonical(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

// metadata returns the metadata of an announced call: whether it was approved, so that the page
// does not ask again, and what the prompt needs to show it as the model made it.
func (c *call) metadata() json.RawMessage {
	if !c.withheld {
		return nil
	}
	m := agui.Metadata{CallMark: agui.CallMark{
		Approved: c.result == nil && (c.approved || c.allowance != ""), Args: c.wrote,
	}}
	if c.message != c.parent {
		m.ParentMessageID = c.parent
	}
	return m.JSON()
}

// toolCall returns the call as part of a message of the thread.
func (c *call) toolCall() agui.ToolCall {
	return agui.ToolCall{ID: c.id, Name: c.name, Arguments: c.args.String(), EncryptedValue: c.opaque, Metadata: c.metadata()}
}

// resultMessage returns the result as a message of the thread.
func (c *call) resultMessage() agui.Message {
	return agui.Message{ID: c.resultID, Role: agui.RoleTool, ToolCallID: c.id, Content: agui.TextContent(c.result.Text), Metadata: c.resultMetadata()}
}

// resultMessages returns the result and what it rests on.
func (c *call) resultMessages() []agui.Message {
	if c.sources.ID == "" {
		return []agui.Message{c.resultMessage()}
	}
	return []agui.Message{c.resultMessage(), c.sources}
}

// resultMetadata holds the arguments the call ran with if they differ from the model's, else nil.
func (c *call) resultMetadata() json.RawMessage {
	return agui.CallMark{Args: c.changed}.JSON()
}

// callIDs holds the ids of all tool calls of a thread.
type callIDs struct {
	taken map[string]bool
	newID func(prefix string) string
}

// maxCallID limits the ids of a model's calls, in bytes.
const maxCallID = 512

// take returns the model's id of a call, or a new one if it has none, the thread already uses it,
// or it cannot be stored.
func (ids *callIDs) take(id string) string {
	if id == "" || ids.taken[id] || len(id) > maxCallID || storable(id) != id {
		id = ids.newID("call_")
	}
	ids.taken[id] = true
	return id
}

// storable returns a name or id without what stores and clients refuse.
func storable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
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
		if n, ok := agui.ReadNote(&history[i]); ok && n.Call != nil {
			ids.taken[n.Call.ID] = true
		}
	}
	return ids
}
