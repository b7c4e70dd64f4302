package agui

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/pageside/pageside/internal/jsonx"
)

// AG-UI leaves two places to those who use it, and Pageside uses both: the metadata of messages,
// events and interrupts, where it writes below one key (Metadata), and activity messages of a type
// of its own (Note). The SDK's mirror of this file is web/packages/core.

// Metadata is what Pageside says in metadata.pageside. No message, event or interrupt has more than
// a few of its members; those that are zero are absent.
type Metadata struct {
	// Tool, Effect, Summary, Args and Allowance stand on an interrupt: the tool that wants to run,
	// what it would do, the arguments that run when it is approved, and what else the answer may
	// allow. Args alone stands on the result of a call that ran with other arguments than the model
	// wrote.
	Tool      string          `json:"tool"`
	Effect    string          `json:"effect"`
	Summary   string          `json:"summary"`
	Args      json.RawMessage `json:"args"`
	Allowance *AllowanceOffer `json:"allowance"`

	// Source, on a payload, is SourceLLM or SourceTool. Nothing else has one.
	Source string `json:"source"`
	// ToolCallID is the call of the tool that returned the payload, or that the model wrote it
	// with.
	ToolCallID string `json:"toolCallId"`
	// ParentMessageID is the message of the same step whose calls the payload began behind. In the
	// thread their results may stand before the payload.
	ParentMessageID string `json:"parentMessageId"`
	// Code, on the message of calls that led to nothing, is the code of the error that ended the
	// run.
	Code string `json:"code"`
	// Status is a payload's, or says how a text ended. Reason is what cut it: length or filter.
	Status string `json:"status"`
	// Streaming: the payload's content is not complete.
	Streaming bool `json:"streaming"`
	// EncryptedValue is a provider's signature of the call that a payload came as.
	EncryptedValue string `json:"encryptedValue"`
	Reason         string `json:"reason"`
	Suggestions           // on what an answer ends with

	Cost     *float64  `json:"cost"`     // of a run in US dollars, on its terminal event
	LastRun  *LastRun  `json:"lastRun"`  // on the RUN_FINISHED of a thread's snapshot
	Feedback *Feedback `json:"feedback"` // on a message that the user has rated
}

// Where a payload comes from.
const (
	SourceLLM  = "llm"  // the model wrote it
	SourceTool = "tool" // a tool returned it beside its text
)

// The statuses of a payload, and of a text whose end was not the model's.
const (
	StatusOpen      = "open"      // the user has not decided about the payload
	StatusAccepted  = "accepted"  // the user accepted it
	StatusDismissed = "dismissed" // the user dismissed it

	StatusFailed  = "failed"  // the payload cannot be shown; an error cut the text off
	StatusStopped = "stopped" // somebody stopped the run: the text counts as said
	StatusCut     = "cut"     // the provider ended the text before the model did: it counts as said
)

// AllowanceOffer says what an answer of always to an approval would allow.
type AllowanceOffer struct {
	Scope  string `json:"scope"`  // thread
	MaxAge int    `json:"maxAge"` // in seconds
}

// Suggestions is what an answer offers the user to say or do next.
type Suggestions struct {
	Values  []SuggestedValue  `json:"suggestedValues"`
	Actions []SuggestedAction `json:"suggestedActions"`
	// Static: they are the page's own, because the model suggested nothing.
	Static bool `json:"static"`
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
	// Handler is client or server. The page's definition says which, not the model.
	Handler string          `json:"handler"`
	Args    json.RawMessage `json:"args,omitempty"` // an object; nil where there are none
}

// LastRun says how the last run of a thread ended, where that was not well.
type LastRun struct {
	Status string `json:"status"`         // failed or cancelled
	Code   string `json:"code,omitempty"` // of its RUN_ERROR
}

// Feedback is what the user thinks of a message: 1 or -1.
type Feedback struct {
	Rating int `json:"rating"`
}

const metadataKey = "pageside"

// JSON returns the metadata object {"pageside": {…}}, nil where m is empty. Args goes in as it is,
// byte for byte.
func (m *Metadata) JSON() json.RawMessage {
	w := members{json.RawMessage(`{"` + metadataKey + `":{`)}
	start := len(w.dst)
	w.add("tool", m.Tool != "", m.Tool)
	w.add("effect", m.Effect != "", m.Effect)
	if m.Summary != "" {
		w.raw("summary", jsonx.AppendString(nil, m.Summary))
	}
	w.raw("args", m.Args)
	w.add("allowance", m.Allowance != nil, m.Allowance)
	w.add("source", m.Source != "", m.Source)
	w.add("toolCallId", m.ToolCallID != "", m.ToolCallID)
	w.add("parentMessageId", m.ParentMessageID != "", m.ParentMessageID)
	if m.Source == "" { // a text has its suggestions first, a payload last
		w.suggestions(&m.Suggestions)
	}
	w.add("code", m.Code != "", m.Code)
	w.add("status", m.Status != "", m.Status)
	w.add("streaming", m.Streaming, true)
	w.add("encryptedValue", m.EncryptedValue != "", m.EncryptedValue)
	w.add("reason", m.Reason != "", m.Reason)
	if m.Source != "" {
		w.suggestions(&m.Suggestions)
	}
	if m.Cost != nil {
		// in full digits: a few tokens cost millionths
		w.raw("cost", strconv.AppendFloat(nil, *m.Cost, 'f', -1, 64))
	}
	w.add("lastRun", m.LastRun != nil, m.LastRun)
	w.add("feedback", m.Feedback != nil, m.Feedback)
	if len(w.dst) == start {
		return nil
	}
	return append(w.dst, "}}"...)
}

// members writes the members of an object, one after the other.
type members struct{ dst json.RawMessage }

// raw adds a member with the JSON of its value; none where that is empty.
func (w *members) raw(name string, value []byte) {
	if len(value) == 0 {
		return
	}
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(w.dst, '"')
	w.dst = append(w.dst, name...)
	w.dst = append(w.dst, `":`...)
	w.dst = append(w.dst, value...)
}

// add adds a member if it is there.
func (w *members) add(name string, there bool, value any) {
	if !there {
		return
	}
	raw, err := json.Marshal(value)
	if err != nil {
		// they hold nothing that cannot be written
		panic("agui: pageside." + name + ": " + err.Error())
	}
	w.raw(name, raw)
}

func (w *members) suggestions(s *Suggestions) {
	w.add("suggestedValues", len(s.Values) > 0, s.Values)
	w.add("suggestedActions", len(s.Actions) > 0, s.Actions)
	w.add("static", s.Static, true)
}

// ReadMetadata reads what Pageside says in a metadata object. It reports false where that is
// nothing, or not what Pageside writes.
func ReadMetadata(metadata json.RawMessage) (m Metadata, ok bool) {
	if raw := jsonx.Find(metadata, metadataKey); raw != nil {
		return decodeMetadata(raw)
	}
	return m, false
}

// decodeMetadata stands apart because what it decodes into is allocated: most messages have none.
func decodeMetadata(raw []byte) (m Metadata, ok bool) {
	return m, json.Unmarshal(raw, &m) == nil
}

// ChangedArgs returns the arguments with which a call ran whose result has this metadata, nil where
// they are those that the model wrote.
func ChangedArgs(metadata json.RawMessage) json.RawMessage {
	return jsonx.Find(jsonx.Find(metadata, metadataKey), "args")
}

// WithStatus returns a payload's metadata with another status. Whatever else it says stays.
func WithStatus(metadata json.RawMessage, status string) (json.RawMessage, error) {
	return changeMetadata(metadata, func(members map[string]json.RawMessage) {
		members["status"], _ = json.Marshal(status) // a string: cannot fail
	})
}

// WithRating returns a message's metadata with the user's rating. A rating of 0 takes it out, and
// with it what is empty then; the result is nil where nothing is left. Where a client has written a
// pageside of its own that is no object, nothing changes.
func WithRating(metadata json.RawMessage, rating int) (json.RawMessage, error) {
	return changeMetadata(metadata, func(members map[string]json.RawMessage) {
		delete(members, "feedback")
		if rating != 0 {
			members["feedback"], _ = json.Marshal(Feedback{rating}) // a number: cannot fail
		}
	})
}

func changeMetadata(metadata json.RawMessage, change func(members map[string]json.RawMessage)) (json.RawMessage, error) {
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
		all[metadataKey], _ = json.Marshal(own) // what was JSON: cannot fail
	}
	if len(all) == 0 {
		return nil, nil
	}
	return json.Marshal(all)
}

// ReservedPrefix begins the activity types that belong to Pageside itself: no payload has such a
// name.
const ReservedPrefix = "pageside_"

// NoteType is the activity type of notes.
const NoteType = ReservedPrefix + "note"

// Note is a line that the server writes into a thread, so that what happened beside the
// conversation keeps its place in it and the prompt is only ever appended to. It is the content of
// an activity message. Clients can neither write notes nor see them.
type Note struct {
	Kind string `json:"kind"`
	// Text is what the model is shown: of NotePage and NotePayload a line, of NoteSummary the
	// summary.
	Text string `json:"text,omitempty"`

	Page  string            `json:"page,omitempty"`  // NotePage: the path of the place
	Scope map[string]string `json:"scope,omitempty"` // NotePage

	MessageID string `json:"messageId,omitempty"` // NotePayload
	Status    string `json:"status,omitempty"`    // NotePayload

	ID    string   `json:"id,omitempty"`    // NoteContext: of the block here in the prompt
	Items []string `json:"items,omitempty"` // NoteContext: keys of what the page shows

	Before  string `json:"before,omitempty"`  // NoteSummary: the message that Text ends before
	Through string `json:"through,omitempty"` // NoteCleared: the last call whose result is left out
}

// The kinds of notes.
const (
	NotePage    = "page"    // the user went to another place
	NotePayload = "payload" // the user decided about a payload
	NoteContext = "context" // from here on the page shows something else
	NoteSummary = "summary" // the model is shown a summary of older messages
	NoteCleared = "cleared" // the model is not shown the results of older calls any more
)

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

// IsNote reports whether the message is a note.
func (m *Message) IsNote() bool { return m.Role == RoleActivity && m.ActivityType == NoteType }

// ReadNote reads a message that is a note. It reports false for every other one.
func ReadNote(m *Message) (n Note, ok bool) {
	if !m.IsNote() {
		return n, false
	}
	return n, json.Unmarshal(m.Activity, &n) == nil
}
