package agent

import (
	"encoding/json"
	"log/slog"
	"strings"
	"unicode"

	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
)

// listener is the state shared by the steps of a run while the model streams.
type listener struct {
	out          *emitter
	model        llm.Info
	tools        toolset
	payloadTypes payloadTypes
	suggestions  []page.Suggestion // of the place
	shared       *sharedState
	ids          *callIDs
	newID        func(prefix string) string
	runID        string
	log          *slog.Logger
	heard        int           // bytes received from the model
	continued    *continuation // the cut answer that the run continues; may be nil
	exhausted    bool          // the run has used up its steps: this one is its last
}

// modelError returns the error for a fault in the model's stream.
func (l *listener) modelError(kind llm.ErrorKind, message string) error {
	return &llm.Error{Kind: kind, Model: l.model.Name(), Message: message}
}

func (l *listener) emit(e agui.Event) error { return l.out.Emit(e) }

// draft is what the client has seen of a step: its text and thoughts, as messages.
//
// Text and tool calls of a step belong to one assistant message; text after a call reopens it. A
// new message begins only if the model thinks again after its text began, or has shown a payload:
// thoughts and payloads keep their order when the thread is read back.
type draft struct {
	*listener
	messages []*outMessage // in the order they began

	current *outMessage // assistant message that receives text and calls
	thought *outMessage // the open reasoning message
	rethink bool        // a thought came after current began

	// a payload began after current did: what follows belongs to another message, unless current
	// has calls
	cut  bool
	lead string // leading blanks held back from the text of a message

	mark agui.EndMark // for the text that ends next: suggestions, or why it was cut
}

// outMessage is one message of a step: the assistant's or a reasoning message.
type outMessage struct {
	id, role string
	index    int // content block of a reasoning message
	text     strings.Builder
	open     bool // START was emitted, END was not
	old      bool // of an earlier run; text is what this one adds
	opaque   string
	calls    []*call
	payload  *outPayload // set for an activity
}

// outPayload is a payload the model is writing: an activity message of the step.
type outPayload struct {
	*outMessage
	out    *emitter
	typ    *payload.Type
	callID string // id of the call, if it comes as arguments of a generated tool
	parent string // id of the message whose calls precede it, if any
	growth payload.Growth

	readOnly bool // the place does not offer its type

	written strings.Builder // all of its JSON, as written
	data    json.RawMessage // the data shown; nil until complete
	failure *payloadFailure
	end     agui.EndMark // end of the answer, if it is only this payload
}

// payloadFailure is the reason a payload cannot be shown.
type payloadFailure struct{ code, message string }

// begun reports whether the step has emitted anything.
func (d *draft) begun() bool { return len(d.messages) > 0 }

// write emits text. It drops blank lines at the beginning of a message, which models write around
// payloads.
func (d *draft) write(delta string) error {
	if delta = d.leadIn(delta); delta == "" {
		return nil
	}
	m := d.current
	if m == nil || !m.open || d.thought != nil || d.rethink || d.cut {
		var err error
		if m, err = d.openText(); err != nil {
			return err
		}
	}
	m.text.WriteString(delta)
	return d.emit(&agui.TextMessageContent{MessageID: m.id, Delta: delta})
}

// leadIn returns the part of the next text to emit. Blanks at the beginning of a message are held
// back until there is visible text, of which a new message keeps the first line's. Text that goes
// on with a cut message keeps all of its blanks, or begins a new paragraph.
func (d *draft) leadIn(delta string) string {
	if m := d.current; m != nil && m.text.Len() > 0 && !d.cut {
		return delta
	}
	text := d.lead + delta
	rest := trimBlank(text)
	if rest == "" {
		d.lead = text
		return ""
	}
	d.lead = ""
	blanks := text[:len(text)-len(rest)]
	if d.joins() {
		return d.continued.join(blanks, rest)
	}
	return text[strings.LastIndexByte(blanks, '\n')+1:]
}

// trimBlank removes invisible characters from the beginning of a text.
func trimBlank(text string) string { return strings.TrimLeftFunc(text, isBlank) }

// isBlank reports whether a character is invisible: blanks, controls, and characters that only
// shape their neighbours.
func isBlank(c rune) bool {
	const brailleBlank = '\u2800'
	return c == brailleBlank || unicode.IsSpace(c) || unicode.IsControl(c) ||
		unicode.In(c, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// joins reports whether new text belongs to the cut message.
func (d *draft) joins() bool {
	return d.continued.joinable() && !d.cut && (d.current == nil || d.current.old && !d.rethink)
}

// openText opens a message for text: a new one after a thought or payload; text after calls stays
// with them.
func (d *draft) openText() (*outMessage, error) {
	if d.current == nil && d.joins() {
		d.current = d.beginAs(d.continued.message.ID, agui.RoleAssistant)
		d.current.old = true
	}
	if err := d.assistant((d.cut || d.rethink) && !d.hasCalls()); err != nil {
		return nil, err
	}
	d.cut = false
	m := d.current
	if m.open {
		return m, nil
	}
	m.open = true
	return m, d.emit(&agui.TextMessageStart{MessageID: m.id, Role: agui.RoleAssistant})
}

func (d *draft) hasCalls() bool { return d.current != nil && len(d.current.calls) > 0 }

// assistant ensures that an assistant message is open and no thought is.
func (d *draft) assistant(another bool) error {
	if err := d.closeThought(); err != nil {
		return err
	}
	if d.current != nil && !another {
		d.rethink = false
		return nil
	}
	if err := d.closeText(); err != nil {
		return err
	}
	d.current = d.begin(agui.RoleAssistant, "msg_")
	d.rethink, d.cut = false, false
	return nil
}

func (d *draft) begin(role, prefix string) *outMessage { return d.beginAs(d.newID(prefix), role) }

func (d *draft) beginAs(id, role string) *outMessage {
	m := &outMessage{id: id, role: role}
	d.messages = append(d.messages, m)
	return m
}

func (d *draft) closeText() error {
	if d.current == nil || !d.current.open {
		return nil
	}
	d.current.open = false
	return d.out.EmitWithNext(&agui.TextMessageEnd{MessageID: d.current.id, Base: agui.Base{Metadata: d.endMetadata()}})
}

// endMetadata is the metadata of the text that ends. A continued message stays marked as cut until
// its step has ended well, so that it can be continued again.
func (d *draft) endMetadata() json.RawMessage {
	switch {
	case !d.current.old:
		return d.mark.JSON()
	case d.continued.over:
		d.continued.cleared = true
		return agui.WithEnd(d.continued.message.Metadata, d.mark)
	}
	return nil
}

// beginThought begins a reasoning message.
func (d *draft) beginThought(index int) (*outMessage, error) {
	if err := d.closeThought(); err != nil {
		return nil, err
	}
	m := d.begin(agui.RoleReasoning, "rsn_")
	m.index, m.open = index, true
	d.thought = m
	d.rethink = d.current != nil
	if err := d.emit(&agui.ReasoningStart{MessageID: m.id}); err != nil {
		return nil, err
	}
	return m, d.emit(&agui.ReasoningMessageStart{MessageID: m.id})
}

func (d *draft) closeThought() error {
	m := d.thought
	if m == nil {
		return nil
	}
	d.thought, m.open = nil, false
	if err := d.emit(&agui.ReasoningMessageEnd{MessageID: m.id}); err != nil {
		return err
	}
	return d.emit(&agui.ReasoningEnd{MessageID: m.id})
}

// thoughtAt returns the last thought of a content block.
func (d *draft) thoughtAt(index int) *outMessage {
	for i := len(d.messages) - 1; i >= 0; i-- {
		if m := d.messages[i]; m.role == agui.RoleReasoning && m.index == index {
			return m
		}
	}
	return nil
}

// step is one model call: it turns parts into events on arrival and keeps what the prompt needs.
type step struct {
	draft
	calls    []*call       // in the order they began
	payloads []*outPayload // in the order they began
	finish   llm.Finish
	usage    usage.Ledger
	size     int // bytes received in this step

	emitted  int   // calls before this one are answered or wait
	nameless []int // content blocks of dropped calls

	scanner   *payload.Scanner          // scans the text; nil until there is any
	onEvent   func(payload.Event) error // returned by found
	suggested agui.Suggestions
}

// newStep begins a step.
func newStep(l *listener) *step { return &step{draft: draft{listener: l}} }

// think emits reasoning. Every content block is its own message.
func (s *step) think(index int, delta string) error {
	if delta == "" {
		return nil
	}
	m := s.thought
	if m == nil || m.index != index {
		var err error
		if m, err = s.openThought(index); err != nil {
			return err
		}
	}
	m.text.WriteString(delta)
	return s.emit(&agui.ReasoningMessageContent{MessageID: m.id, Delta: delta})
}

func (s *step) openThought(index int) (*outMessage, error) {
	if err := s.endText(); err != nil {
		return nil, err
	}
	return s.beginThought(index)
}

// endText ends the text of the answer, or interrupts it.
func (s *step) endText() error {
	if s.scanner == nil {
		return nil
	}
	return s.scanner.Close(s.onEvent)
}
