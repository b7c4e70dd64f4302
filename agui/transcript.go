package agui

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pageside/pageside/internal/jsonx"
)

// Transcript folds events into messages and state exactly as the stock client, @ag-ui/client 1.0.0,
// does: what a server stores of a thread is what its clients show.
//
// Appending deltas takes time proportional to the deltas, however long the message. The zero value
// is an empty transcript. Not safe for concurrent use.
type Transcript struct {
	entries []*entry
	open    map[string]*entry    // messages that text is being appended to
	calls   map[string]*callText // tool calls that arguments are being appended to
	state   jsonx.Document
	current []Message // as of the last event; nil if they have to be put together again
}

// unfolded returns the error of an event that cannot be folded. id is that of the message or tool
// call, if the event names one.
func unfolded(e Event, id, format string, args ...any) error {
	of := ""
	if id != "" {
		of = fmt.Sprintf(" of %q", id)
	}
	return fmt.Errorf("fold %s%s: %w", e.Type(), of, fmt.Errorf(format, args...))
}

// NewTranscript returns a transcript that starts with the given messages. It keeps them and does
// not change them; nor may the caller.
func NewTranscript(messages []Message) *Transcript {
	t := &Transcript{
		entries: make([]*entry, len(messages), len(messages)+8),
		current: slices.Clip(messages),
	}
	room := make([]entry, len(messages))
	for i := range messages {
		room[i].message = messages[i]
		t.entries[i] = &room[i]
	}
	return t
}

// Messages returns the current messages, including unfinished ones. They are those of all callers
// until the next event, and stay as they are after it: the caller must not change them.
func (t *Transcript) Messages() []Message {
	if t.current == nil {
		t.current = make([]Message, len(t.entries))
		for i, e := range t.entries {
			t.current[i] = e.current()
		}
	}
	return t.current
}

// Message returns a message as it is now, also an unfinished one. The caller must not change it.
func (t *Transcript) Message(id string) (m Message, ok bool) {
	x := t.find(id)
	if x == nil {
		return m, false
	}
	return x.current(), true
}

// Changed returns the messages that are new or have changed since the last call (at first: since
// NewTranscript), in order. It does not include messages that a snapshot removed.
func (t *Transcript) Changed() []Message {
	var messages []Message
	for _, e := range t.entries {
		if e.changed {
			e.changed = false
			messages = append(messages, e.current())
		}
	}
	return messages
}

// State returns the state of the thread, or nil if none. The caller must not change it.
func (t *Transcript) State() json.RawMessage { return t.state.Raw() }

// SetState sets the initial state for STATE_DELTA events, from the run's input. They treat nil as
// an empty object.
func (t *Transcript) SetState(state json.RawMessage) {
	t.state = jsonx.Document{}
	if state != nil {
		t.state = jsonx.NewDocument(state)
	}
}

// Apply folds one event. It returns an error for one that does not fit, and leaves the transcript
// as it was; stock clients warn and continue.
func (t *Transcript) Apply(e Event) error {
	t.current = nil
	switch e := e.(type) {
	case *TextMessageContent:
		return t.appendText(e, e.MessageID, e.Delta)
	case *ToolCallArgs:
		return t.appendArgs(e)
	case *ReasoningMessageContent:
		return t.appendText(e, e.MessageID, e.Delta)
	case *TextMessageStart:
		return t.startText(e, e.MessageID, e.Role, e.Name)
	case *ReasoningMessageStart:
		return t.startText(e, e.MessageID, RoleReasoning, "")
	case *TextMessageEnd:
		return t.endText(e, e.MessageID)
	case *ReasoningMessageEnd:
		return t.endText(e, e.MessageID)
	case *ToolCallStart:
		return t.startCall(e)
	case *ToolCallEnd:
		return t.endCall(e)
	case *ToolCallResult:
		t.result(e)
	case *ReasoningEncryptedValue:
		t.encrypted(e)
	default:
		return t.applyRare(e)
	}
	return nil
}

func (t *Transcript) applyRare(e Event) error {
	switch e := e.(type) {
	case *RunStarted:
		t.history(e)
	case *MessagesSnapshot:
		t.reconcile(e)
	case *ActivitySnapshot:
		t.activity(e)
	case *ActivityDelta:
		return t.patchActivity(e)
	case *StateSnapshot:
		t.SetState(e.Snapshot)
	case *StateDelta:
		return t.patchState(e)
	case *TextMessageChunk, *ToolCallChunk, *ReasoningMessageChunk:
		return unfolded(e, "", "chunks must be expanded first")
	}
	return nil
}

// find returns the first message with an id, or nil.
func (t *Transcript) find(id string) *entry {
	for _, e := range t.entries {
		if e.message.ID == id {
			return e
		}
	}
	return nil
}

func (t *Transcript) add(m Message) *entry {
	e := &entry{message: m, changed: true, owned: true}
	t.entries = append(t.entries, e)
	return e
}

// startText starts a text or reasoning message, or continues the one with its id.
func (t *Transcript) startText(e Event, id, role, name string) error {
	if role == "" {
		role = RoleAssistant
	}
	x := t.find(id)
	switch {
	case x == nil:
		x = t.add(Message{
			ID: id, Role: role, Name: name, Content: TextContent(""), SubagentRunID: e.base().SubagentRunID,
		})
	case x.message.Role == RoleActivity:
		return unfolded(e, id, "the id is that of an activity")
	}
	if t.open == nil {
		t.open = make(map[string]*entry)
	}
	t.open[id] = x
	x.merge(e)
	return nil
}

func (t *Transcript) textEntry(e Event, id string) (*entry, error) {
	x := t.open[id]
	if x == nil {
		x = t.find(id)
	}
	switch {
	case x == nil:
		return nil, unfolded(e, id, "no message has the id")
	case x.message.Role == RoleActivity:
		return nil, unfolded(e, id, "the id is that of an activity")
	}
	return x, nil
}

func (t *Transcript) appendText(e Event, id, delta string) error {
	x, err := t.textEntry(e, id)
	if err != nil {
		return err
	}
	x.write(delta)
	x.merge(e)
	return nil
}

func (t *Transcript) endText(e Event, id string) error {
	x, err := t.textEntry(e, id)
	if err != nil {
		return err
	}
	delete(t.open, id)
	x.merge(e)
	x.seal()
	return nil
}

// history adds unknown messages of a run's input.
func (t *Transcript) history(e *RunStarted) {
	if e.Input == nil {
		return
	}
	known := make(map[string]bool, len(t.entries))
	for _, x := range t.entries {
		known[x.message.ID] = true
	}
	for _, m := range e.Input.Messages {
		if !known[m.ID] {
			known[m.ID] = true
			t.add(m).owned = false
		}
	}
}

// result inserts a tool's result after the message with its call and the results already there:
// providers want them together, even if other text came between.
func (t *Transcript) result(e *ToolCallResult) {
	x := &entry{changed: true, owned: true, message: Message{
		ID: e.MessageID, Role: RoleTool, ToolCallID: e.ToolCallID, Content: e.Content, SubagentRunID: e.SubagentRunID,
	}}
	x.merge(e)
	at := len(t.entries)
	if owner, _ := t.caller(e.ToolCallID, RoleAssistant); owner >= 0 {
		for at = owner + 1; at < len(t.entries) && t.entries[at].message.Role == RoleTool; at++ {
		}
	}
	t.entries = slices.Insert(t.entries, at, x)
}

// caller returns the indexes of the message that makes a tool call and of the call in it. An empty
// role matches any.
func (t *Transcript) caller(callID, role string) (at, call int) {
	for i, e := range t.entries {
		if role != "" && e.message.Role != role {
			continue
		}
		for j := range e.message.ToolCalls {
			if e.message.ToolCalls[j].ID == callID {
				return i, j
			}
		}
	}
	return -1, -1
}

func (t *Transcript) encrypted(e *ReasoningEncryptedValue) {
	if e.Subtype != "tool-call" {
		if x := t.find(e.EntityID); x != nil && x.message.Role != RoleActivity {
			x.message.EncryptedValue = e.EncryptedValue
			x.changed = true
		}
		return
	}
	if at, call := t.caller(e.EntityID, RoleAssistant); at >= 0 {
		t.entries[at].own()
		t.entries[at].message.ToolCalls[call].EncryptedValue = e.EncryptedValue
		t.entries[at].changed = true
	}
}

func (t *Transcript) patchState(e *StateDelta) error {
	state := t.state
	if state.IsZero() {
		state = jsonx.NewDocument(json.RawMessage("{}"))
	}
	state, err := state.Patch(e.Delta)
	if err != nil {
		return unfolded(e, "", "the patch does not fit the state: %w", err)
	}
	t.state = state
	return nil
}
