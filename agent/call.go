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
	"github.com/pageside/pageside/tool"
)

// call is one tool call of a step. Each of its parts is the data of one state, and empty until the
// call gets there.
type call struct {
	written
	delivery
	calls.Judgement
	held
	approved
	started
	done
}

// written is the call as the model made it.
type written struct {
	id, name  string
	index     int // of its content block
	args      strings.Builder
	opaque    string
	offer     *offer       // nil if no such tool is offered
	complete  bool         // the model has finished writing it
	old       bool         // made by an earlier run, or before a crash
	overtaken bool         // the user has sent a message since
	origin    *tool.Origin // where the user was when an earlier run made it; nil: as the run
}

// delivery is what the client knows of the call. A withheld one is of a frontend tool, and the
// client does not know of it: a note in the thread holds it. Once it is decided, it is announced:
// the client gets all of it at once.
type delivery struct {
	closed    bool // its END is out
	withheld  bool
	announced bool
	parent    string          // message in which the model made it
	known     bool            // the client has that message
	message   string          // message that the client gets it in
	noteID    string          // of the note; "" until it is written
	wrote     json.RawMessage // the model's arguments, if the person changed them
}

// held is what a person is asked about the call.
type held struct {
	interrupt *calls.Interrupt // they have to answer first
	left      *calls.Interrupt // its tool has asked and will get no answer
	reply     *tool.Reply      // to what its tool has asked
	always    *calls.Terms     // approved for good: later calls like it run without asking
}

// approved is what runs.
type approved struct {
	ready   *ready          // set once judged
	changed json.RawMessage // it runs with these arguments instead of the model's
}

// started is what the journal and the audit log have of the call's beginning.
type started struct {
	planned  string // the run that planned it, if not this one just now
	rerun    bool   // the journal has it as started
	begun    bool   // its handler has begun
	rule     string // behind the decision about it
	decision string // under which it began
}

// done is the call's end.
type done struct {
	result   *tool.Result // as shown to the model; nil until there is one
	guests   bool         // a guest has answered it itself
	recorded bool         // its end is in the audit log
	emitted  bool         // the result was emitted
	resultID string       // id of the result message
	sources  agui.Message // what the result rests on, if it has an id
}

// state returns how far the call is. Not while it runs: its goroutine says when it begins.
func (c *call) state() calls.State {
	switch {
	case c.result != nil:
		return calls.Done
	case c.interrupt != nil:
		return calls.Held
	case c.ready == nil:
		return calls.Written
	case c.begun:
		return calls.Started
	}
	return calls.Approved
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
	c := &call{written: written{id: from.ID, name: from.Name, opaque: from.EncryptedValue, complete: true, old: true}}
	c.closed = true
	c.args.WriteString(from.Arguments)
	if m, ok := agui.ReadMetadata(from.Metadata); ok {
		c.Approved = m.Approved
	}
	return c
}

// withheldCall is a call that an earlier run, or this one before a crash, has not given the client.
// known reports whether the client has a message.
func withheldCall(from *agui.NotedCall, known func(id string) bool) *call {
	c := &call{written: written{id: from.ID, name: from.Name, opaque: from.EncryptedValue, complete: true, old: true}}
	c.args.WriteString(from.Arguments)
	c.withheld, c.parent, c.known = true, from.MessageID, known(from.MessageID)
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
	if c.Approved {
		return journal.ByUser
	}
	return c.Allowance
}

// hashOf returns the hash of arguments, or "" if there are none.
func hashOf(args json.RawMessage) string {
	if len(args) == 0 {
		return ""
	}
	hash, err := tool.Hash(args)
	if err != nil {
		return ""
	}
	return hash
}

// frontend reports whether the call is for the page.
func (c *call) frontend() bool { return c.ready != nil && c.ready.page }

// handsOut reports whether the client is to be given a call that was withheld from it.
func (c *call) handsOut() bool {
	return c.withheld && !c.closed && c.frontend() && c.state() == calls.Approved
}

// runs reports whether the server is to run the call now.
func (c *call) runs() bool { return c.state() == calls.Approved && !c.ready.page }

// waits reports whether the call waits for a client or a person. It may be asked of a call that
// runs.
func (c *call) waits() bool { return c.result == nil && (c.interrupt != nil || c.frontend()) }

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
		Approved: c.result == nil && c.Agreed() != "", Args: c.wrote,
	}}
	if c.message != c.parent {
		m.ParentMessageID = c.parent
	}
	return m.JSON()
}

// toolCall returns the call as part of a message of the thread.
func (c *call) toolCall() agui.ToolCall {
	return agui.ToolCall{
		ID: c.id, Name: c.name, Arguments: c.args.String(), EncryptedValue: c.opaque, Metadata: c.metadata(),
	}
}

// resultMessage returns the result as a message of the thread.
func (c *call) resultMessage() agui.Message {
	return agui.Message{
		ID: c.resultID, Role: agui.RoleTool, ToolCallID: c.id, Content: agui.TextContent(c.result.Text),
		Metadata: c.resultMetadata(),
	}
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

// New implements guest.CallIDs.
func (ids *callIDs) New(prefix string) string { return ids.newID(prefix) }

// Taken implements guest.CallIDs.
func (ids *callIDs) Taken(id string) bool { return ids.taken[id] }

// maxCallID limits the ids of a model's calls, in bytes.
const maxCallID = 512

// Take returns the model's id of a call, or a new one if it has none, the thread already uses it,
// or it cannot be stored.
func (ids *callIDs) Take(id string) string {
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
		if n, ok := agui.ReadNote(&history[i], agui.NoteCall); ok && n.Call != nil {
			ids.taken[n.Call.ID] = true
		}
	}
	return ids
}
