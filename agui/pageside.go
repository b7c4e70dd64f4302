package agui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pageside/pageside/internal/jsonx"
)

// AG-UI leaves room for extensions in two places, and Pageside uses both: under one key in the
// metadata of messages, events and interrupts (Metadata), and in its own type of activity messages
// (Note). The SDK's counterpart is in web/packages/core.

// Metadata is Pageside's object in metadata.pageside: what its parts say of a call, a payload, the
// end of an answer, a run and a message. Zero members are absent.
type Metadata struct {
	CallMark
	PayloadMark
	EndMark
	RunMark
	MessageMark
}

// CallMark is on what carries a call.
type CallMark struct {
	// Tool, Effect, Summary, Args and Allowance describe the call of an interrupt: its tool, what
	// it would do, the arguments that run if it is approved, and what else the answer may allow.
	// Args alone is on the result of a call that ran with changed arguments.
	Tool      string          `json:"tool,omitzero"`
	Effect    string          `json:"effect,omitzero"`
	Summary   string          `json:"summary,omitzero"`
	Args      json.RawMessage `json:"args,omitzero"`
	Allowance *AllowanceOffer `json:"allowance,omitzero"`
	// Agent is who asks, on an interrupt that is an agent's own question rather than the server's.
	Agent string `json:"agent,omitzero"`
	// Approval is always on a declared tool of the page that a person must approve each time. Its
	// Effect is there too.
	Approval string `json:"approval,omitzero"`
	// Foreign is on a declared tool of the page that somebody other than the application's
	// developer describes.
	Foreign bool `json:"foreign,omitzero"`
	// Approved is on a call of a tool of the page that was handed out after a person had approved
	// it, or allowed such calls. Its Args are then those the model wrote, if the person changed
	// them.
	Approved bool `json:"approved,omitzero"`
}

// PayloadMark is on a payload.
type PayloadMark struct {
	Source string `json:"source,omitzero"` // SourceLLM or SourceTool
	// ToolCallID is the call whose tool returned the payload, or with which the model wrote it.
	ToolCallID string `json:"toolCallId,omitzero"`
	// ParentMessageID is the message of the same step whose calls precede the payload. In the
	// thread their results may come before the payload. On a call that was handed out later, it is
	// the message in which the model made it.
	ParentMessageID string `json:"parentMessageId,omitzero"`
	// Streaming means that the payload is incomplete.
	Streaming bool `json:"streaming,omitzero"`
	// ReadOnly means that the payload cannot be accepted or dismissed: the place does not offer it.
	ReadOnly bool `json:"readOnly,omitzero"`
	// EncryptedValue is a provider's signature of the call that carried a payload.
	EncryptedValue string `json:"encryptedValue,omitzero"`
}

// EndMark is on a text or a payload: how it ends.
type EndMark struct {
	// Code is the code of the error that ended the run, on the message of calls that led nowhere.
	Code string `json:"code,omitzero"`
	// Status is that of a payload or a text. Reason is what cut off an answer, on its text or on
	// the payload it ends with.
	Status string `json:"status,omitzero"`
	Reason string `json:"reason,omitzero"`
	Suggestions
}

// RunMark is on events of a run or of a thread's snapshot.
type RunMark struct {
	Cost    *float64 `json:"cost,omitzero"`    // in US dollars, on the run's terminal event
	LastRun *LastRun `json:"lastRun,omitzero"` // on the RUN_FINISHED of a thread's snapshot
	// Before is on a MESSAGES_SNAPSHOT that leaves older messages out: the id of its first one.
	Before string `json:"before,omitzero"`
}

// MessageMark is on a message: who wrote it, and what the user thinks of it.
type MessageMark struct {
	// Suggested is on a user's message that a click on a suggestion sent: somebody else wrote it.
	Suggested bool `json:"suggested,omitzero"`
	// Imported is on messages that a client brought, of a history or of a call that it has made
	// itself: no server wrote them.
	Imported bool      `json:"imported,omitzero"`
	Feedback *Feedback `json:"feedback,omitzero"` // on a message that the user has rated
}

// Sources of a payload.
const (
	SourceLLM  = "llm"  // the model wrote it
	SourceTool = "tool" // a tool returned it with its text
)

// Statuses of a payload, or of a text that the model did not end itself.
const (
	StatusOpen      = "open"      // the user has not decided about the payload
	StatusAccepted  = "accepted"  // the user accepted it
	StatusDismissed = "dismissed" // the user dismissed it

	StatusFailed  = "failed"  // the payload cannot be shown, or an error cut off the text
	StatusStopped = "stopped" // the run was stopped: the text counts
	StatusCut     = "cut"     // a limit cut off the text, which counts: a run may continue it
)

// What cuts off an answer.
const (
	CutByLength = "length" // the model's limit on the length of an answer
	CutByFilter = "filter" // the provider's filter
	CutBySteps  = "steps"  // the run's limit on steps: the answer says what is missing
)

// AllowanceOffer describes what an "always" would allow.
type AllowanceOffer struct {
	Scope  string `json:"scope"`  // thread
	MaxAge int    `json:"maxAge"` // in seconds
	// how long it may hold on all of the user's threads, in seconds
	UserMaxAges []int `json:"userMaxAges,omitempty"`
	// the arguments that may be left open, so that calls with any value there run too
	OpenArgs []string `json:"openArgs,omitempty"`
}

// Suggestions is what an answer offers the user as next steps.
type Suggestions struct {
	Values  []SuggestedValue  `json:"suggestedValues,omitempty"`
	Actions []SuggestedAction `json:"suggestedActions,omitempty"`
	// Static means that they are the page's own because the model made none.
	Static bool `json:"static,omitzero"`
}

// SuggestedValue is a chip: a click sends Value as the user's next message.
type SuggestedValue struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// SuggestedAction is a button: a click makes the handler do Action with Args.
type SuggestedAction struct {
	Label  string `json:"label"`
	Action string `json:"action"`
	// Handler is client or server, by the page's definition, not the model's.
	Handler string          `json:"handler"`
	Args    json.RawMessage `json:"args,omitempty"` // an object, or nil
}

// LastRun describes a last run of a thread that did not succeed.
type LastRun struct {
	Status string `json:"status"`         // failed or cancelled
	Code   string `json:"code,omitempty"` // of its RUN_ERROR
}

// Feedback is the user's rating of a message: 1 or -1.
type Feedback struct {
	Rating int `json:"rating"`
}

const metadataKey = "pageside"

// IsHidden reports whether a user's message is sent and stored, but not shown: a button's, say.
func (m *Message) IsHidden() bool {
	return m.Role == RoleUser && string(jsonx.Find(jsonx.Find(m.Metadata, metadataKey), "hidden")) == "true"
}

// HiddenMetadata is the metadata of a hidden message.
func HiddenMetadata() json.RawMessage {
	return json.RawMessage(`{"` + metadataKey + `":{"hidden":true}}`)
}

// JSON returns the metadata object of a call, or nil if m is empty.
func (m CallMark) JSON() json.RawMessage { return Metadata{CallMark: m}.JSON() }

// JSON returns the metadata object of a payload, or nil if m is empty.
func (m PayloadMark) JSON() json.RawMessage { return Metadata{PayloadMark: m}.JSON() }

// JSON returns the metadata object of an end, or nil if m is empty.
func (m EndMark) JSON() json.RawMessage { return Metadata{EndMark: m}.JSON() }

// JSON returns the metadata object of a run, or nil if m is empty.
func (m RunMark) JSON() json.RawMessage { return Metadata{RunMark: m}.JSON() }

// JSON returns the metadata object of a message, or nil if m is empty.
func (m MessageMark) JSON() json.RawMessage { return Metadata{MessageMark: m}.JSON() }

// JSON returns the metadata object {"pageside": {…}}, or nil if m is empty. Args is copied byte for
// byte: it is what the model wrote, or what a person approves.
func (m Metadata) JSON() json.RawMessage {
	args := m.Args
	m.Args = nil
	own := jsonx.Marshal(m)
	own = own[1 : len(own)-1]
	if len(args) > 0 {
		own = slices.Concat([]byte(`"args":`), args, []byte(","), own)
		own = bytes.TrimSuffix(own, []byte(","))
	}
	if len(own) == 0 {
		return nil
	}
	return slices.Concat([]byte(`{"`+metadataKey+`":{`), own, []byte("}}"))
}

// ReadMetadata reads Pageside's object from metadata. It returns false if there is none, or not in
// Pageside's form.
func ReadMetadata(metadata json.RawMessage) (m Metadata, ok bool) {
	if raw := jsonx.Find(metadata, metadataKey); raw != nil {
		return decode[Metadata](raw)
	}
	return m, false
}

// SuggestedIn returns what the message with this metadata suggests, other than the page's own
// suggestions. Nothing is decoded where there is none.
func SuggestedIn(metadata json.RawMessage) []SuggestedValue {
	raw := jsonx.Find(metadata, metadataKey)
	if jsonx.Find(raw, "suggestedValues") == nil {
		return nil
	}
	if m, ok := decode[EndMark](raw); ok && !m.Static {
		return m.Values
	}
	return nil
}

// StatusOf returns the status in metadata: how a text or a payload ends; "" if it has none. Nothing
// else is decoded.
func StatusOf(metadata json.RawMessage) string {
	return oneOf(jsonx.Find(jsonx.Find(metadata, metadataKey), "status"), statuses)
}

var statuses = []string{StatusOpen, StatusAccepted, StatusDismissed, StatusFailed, StatusStopped, StatusCut}

// HasMetadata reports whether metadata has Pageside's member, in whatever form.
func HasMetadata(metadata json.RawMessage) bool { return jsonx.Find(metadata, metadataKey) != nil }

// decode is separate from whoever looks first whether there is something to decode, since its
// result is allocated.
func decode[T any](raw []byte) (v T, ok bool) {
	err := json.Unmarshal(raw, &v)
	return v, err == nil
}

// ChangedArgs returns the arguments a call ran with from its result's metadata, or nil if they are
// the model's.
func ChangedArgs(metadata json.RawMessage) json.RawMessage {
	return jsonx.Find(jsonx.Find(metadata, metadataKey), "args")
}

// CutBy returns what cut off the answer that ends with a message, or "" if nothing did.
func CutBy(m *Message) string {
	d, ok := ReadMetadata(m.Metadata)
	switch {
	case !ok:
	case m.Role == RoleAssistant && d.Status == StatusCut, m.Role == RoleActivity && d.Source == SourceLLM:
		return d.Reason
	}
	return ""
}

// WithEnd returns metadata for the event that ends a text again: Pageside's member says how it ends
// now, with nothing of how it ended before. It is never nil: an event without metadata changes
// nothing.
func WithEnd(metadata json.RawMessage, end EndMark) json.RawMessage {
	m, _ := ReadMetadata(metadata)
	m.EndMark = end
	if raw := m.JSON(); raw != nil {
		return raw
	}
	return json.RawMessage(`{"` + metadataKey + `":{}}`)
}

// WithStatus returns a payload's metadata with another status and everything else unchanged.
func WithStatus(metadata json.RawMessage, status string) (json.RawMessage, error) {
	return changeMetadata(metadata, func(members map[string]json.RawMessage) {
		members["status"], _ = json.Marshal(status) // a string: cannot fail
	})
}

// WithRating returns a message's metadata with the user's rating. A rating of 0 removes it and any
// object that becomes empty; the result is nil if nothing is left. If a client has written a
// pageside member that is not an object, nothing changes.
func WithRating(metadata json.RawMessage, rating int) (json.RawMessage, error) {
	return changeMetadata(metadata, func(members map[string]json.RawMessage) {
		delete(members, "feedback")
		if rating != 0 {
			members["feedback"], _ = json.Marshal(Feedback{rating}) // a number: cannot fail
		}
	})
}

// WithAgent returns an interrupt's metadata as its agent wrote it, marked with that agent's name.
func WithAgent(metadata json.RawMessage, name string) json.RawMessage {
	marked, err := changeMetadata(ClientMetadata(metadata), func(members map[string]json.RawMessage) {
		members["agent"], _ = json.Marshal(name) // a string: cannot fail
	})
	if err != nil {
		return CallMark{Agent: name}.JSON() // it wrote something else there
	}
	return marked
}

// WithSuggested returns a user message's metadata marked as a clicked suggestion.
func WithSuggested(metadata json.RawMessage) json.RawMessage {
	marked, err := changeMetadata(metadata, func(members map[string]json.RawMessage) {
		members["suggested"] = json.RawMessage("true")
	})
	if m, ok := ReadMetadata(marked); err != nil || !ok || !m.Suggested {
		return MessageMark{Suggested: true}.JSON() // a client wrote something else there
	}
	return marked
}

// ClientMetadata returns metadata that a client wrote without Pageside's member: only the server
// says there which calls were approved.
func ClientMetadata(metadata json.RawMessage) json.RawMessage {
	if jsonx.Find(metadata, metadataKey) == nil {
		return metadata
	}
	all := map[string]json.RawMessage{}
	if json.Unmarshal(metadata, &all) != nil {
		return nil
	}
	delete(all, metadataKey)
	if len(all) == 0 {
		return nil
	}
	rest, _ := json.Marshal(all) // made of JSON: cannot fail
	return rest
}

// IsFromClient reports whether the client goes on with the conversation in a message: one of the
// user, or one of the assistant's that the client has brought.
func (m *Message) IsFromClient() bool {
	if m.Role == RoleUser || m.Role != RoleAssistant || len(m.Metadata) == 0 {
		return m.Role == RoleUser
	}
	return string(jsonx.Find(jsonx.Find(m.Metadata, metadataKey), "imported")) == "true"
}

// WithImported returns a message's metadata marked as brought by a client. Nothing else of
// Pageside's is left in it.
func WithImported(metadata json.RawMessage) json.RawMessage {
	if metadata == nil {
		return importedMetadata()
	}
	marked, err := changeMetadata(ClientMetadata(metadata), func(members map[string]json.RawMessage) {
		members["imported"] = json.RawMessage("true")
	})
	if err != nil {
		return importedMetadata() // it wrote something else there
	}
	return marked
}

// importedMetadata is shared: nobody changes metadata in place.
var importedMetadata = sync.OnceValue(func() json.RawMessage {
	return slices.Clip(MessageMark{Imported: true}.JSON())
})

func changeMetadata(
	metadata json.RawMessage, change func(members map[string]json.RawMessage),
) (json.RawMessage, error) {
	all, own := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if len(metadata) > 0 {
		if err := json.Unmarshal(metadata, &all); err != nil {
			return nil, fmt.Errorf("read the metadata: %w", err)
		}
	}
	if raw := all[metadataKey]; len(raw) > 0 && json.Unmarshal(raw, &own) != nil {
		return metadata, nil
	}
	if own == nil {
		own = map[string]json.RawMessage{} // it was null
	}
	change(own)
	delete(all, metadataKey)
	if len(own) > 0 {
		all[metadataKey], _ = json.Marshal(own) // made of JSON: cannot fail
	}
	if len(all) == 0 {
		return nil, nil
	}
	return json.Marshal(all)
}

// ReservedPrefix begins the activity types of Pageside itself. Payload types must not use it.
const ReservedPrefix = "pageside_"

// NoteType is the activity type of notes.
const NoteType = ReservedPrefix + "note"

// Note is a line that the server writes into a thread, so that an event outside the conversation
// keeps its position in it and the prompt only grows at its end. It is the content of an activity
// message. Clients can neither write nor see notes.
type Note struct {
	Kind string `json:"kind"`
	// Text is for the model: a line for NotePage, NotePayload and NoteMention, the summary for
	// NoteSummary.
	Text string `json:"text,omitempty"`

	Page  string            `json:"page,omitempty"`  // NotePage: the path of the place
	Scope map[string]string `json:"scope,omitempty"` // NotePage

	MessageID string `json:"messageId,omitempty"` // NotePayload
	Status    string `json:"status,omitempty"`    // NotePayload

	ID    string   `json:"id,omitempty"`    // NoteContext: of the block here in the prompt
	Items []string `json:"items,omitempty"` // NoteContext: keys of the page context

	Before  string `json:"before,omitempty"`  // NoteSummary: the first message after the summary
	Through string `json:"through,omitempty"` // NoteCleared: the last call whose result is left out

	Model  string `json:"model,omitempty"`  // NoteModel: its id among the agent's choices
	Effort string `json:"effort,omitempty"` // NoteModel

	Call *NotedCall `json:"call,omitempty"` // NoteCall
}

// NotedCall is a call as the model wrote it. MessageID is the message in which it did.
type NotedCall struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Arguments      string `json:"arguments"`
	EncryptedValue string `json:"encryptedValue,omitempty"`
	MessageID      string `json:"messageId"`
}

// Kinds of notes.
const (
	NotePage    = "page"    // the user went to another place
	NotePayload = "payload" // the user decided about a payload
	NoteContext = "context" // the page context changes here
	NoteMention = "mention" // the message behind it mentions items of the page context
	NoteModel   = "model"   // the user chose another model or effort
	NoteSummary = "summary" // older messages are summarised
	NoteCleared = "cleared" // results of older calls are left out
	NoteCall    = "call"    // a call of a tool of the page that the page has not been given
)

var noteKinds = []string{NotePage, NotePayload, NoteContext, NoteMention, NoteModel, NoteSummary, NoteCleared, NoteCall}

// Message returns the note as a message of a thread.
func (n Note) Message(id string) Message {
	return Message{ID: id, Role: RoleActivity, ActivityType: NoteType, Activity: n.json()}
}

// Event returns the event that adds the note to a thread.
func (n Note) Event(id string) Event {
	return &ActivitySnapshot{MessageID: id, ActivityType: NoteType, Content: n.json()}
}

func (n Note) json() json.RawMessage {
	content, _ := json.Marshal(n) // strings: cannot fail
	return content
}

// IsPayload reports whether the message is a payload that can be shown: it is whole, and was read.
func (m *Message) IsPayload() bool {
	if m.Role != RoleActivity || strings.HasPrefix(m.ActivityType, ReservedPrefix) {
		return false
	}
	said, _ := ReadMetadata(m.Metadata)
	return said.Status != StatusFailed && !said.Streaming
}

// IsNote reports whether the message is a note.
func (m *Message) IsNote() bool { return m.Role == RoleActivity && m.ActivityType == NoteType }

// ReadNote reads a note of one of the given kinds. It returns false for any other message.
func ReadNote(m *Message, kinds ...string) (n Note, ok bool) {
	if !m.IsNote() || !slices.Contains(kinds, noteKind(m)) {
		return n, false
	}
	return decode[Note](m.Activity)
}

// noteKind is separate from reading a note: whoever looks for one kind passes the others by.
func noteKind(m *Message) string {
	return oneOf(jsonx.Find(m.Activity, "kind"), noteKinds)
}

// Withheld returns the calls of a thread that the page has not been given: those in notes that are
// in no message of the assistant yet.
func Withheld(messages []Message) []NotedCall {
	var calls []NotedCall
	for i := range messages {
		if n, ok := ReadNote(&messages[i], NoteCall); ok && n.Call != nil {
			calls = append(calls, *n.Call)
		}
	}
	if calls == nil {
		return nil
	}
	given := map[string]bool{}
	for i := range messages {
		for _, c := range messages[i].ToolCalls {
			given[c.ID] = true
		}
	}
	calls = slices.DeleteFunc(calls, func(n NotedCall) bool { return given[n.ID] })
	return calls
}
