package agent

import (
	"encoding/json"
	"log/slog"
	"strings"
	"unicode"

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

// step is one model call: it turns parts into events on arrival and keeps what the prompt needs.
//
// Text and tool calls of a step belong to one assistant message; text after a call reopens it. A
// new message begins only if the model thinks again after its text began, or has shown a payload:
// thoughts and payloads keep their order when the thread is read back.
type step struct {
	*listener
	messages []*outMessage // in the order they began
	calls    []*call       // in the order they began
	payloads []*outPayload // in the order they began
	finish   llm.Finish
	usage    ledger
	size     int // bytes received in this step

	current *outMessage // assistant message that receives text and calls
	thought *outMessage // the open reasoning message
	rethink bool        // a thought came after current began
	emitted int         // calls before this one are answered or wait

	nameless []int // content blocks of dropped calls

	scanner *payload.Scanner          // scans the text; nil until there is any
	onEvent func(payload.Event) error // returned by found
	// a payload began after current did: what follows belongs to another message, unless current
	// has calls
	cut       bool
	lead      string // leading blanks held back from the text of a message
	suggested agui.Suggestions

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
func (s *step) begun() bool { return len(s.messages) > 0 }

func (s *step) emit(e agui.Event) error { return s.out.Emit(e) }

// write emits text. It drops blank lines at the beginning of a message, which models write around
// payloads.
func (s *step) write(delta string) error {
	if delta = s.leadIn(delta); delta == "" {
		return nil
	}
	m := s.current
	if m == nil || !m.open || s.thought != nil || s.rethink || s.cut {
		var err error
		if m, err = s.openText(); err != nil {
			return err
		}
	}
	m.text.WriteString(delta)
	return s.emit(&agui.TextMessageContent{MessageID: m.id, Delta: delta})
}

// leadIn returns the part of the next text to emit. Blanks at the beginning of a message are held
// back until there is visible text, of which a new message keeps the first line's. Text that goes
// on with a cut message keeps all of its blanks, or begins a new paragraph.
func (s *step) leadIn(delta string) string {
	if m := s.current; m != nil && m.text.Len() > 0 && !s.cut {
		return delta
	}
	text := s.lead + delta
	rest := trimBlank(text)
	if rest == "" {
		s.lead = text
		return ""
	}
	s.lead = ""
	blanks := text[:len(text)-len(rest)]
	if s.joins() {
		return s.continued.join(blanks, rest)
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
func (s *step) joins() bool {
	return s.continued.joinable() && !s.cut && (s.current == nil || s.current.old && !s.rethink)
}

// openText opens a message for text: a new one after a thought or payload; text after calls stays
// with them.
func (s *step) openText() (*outMessage, error) {
	if s.current == nil && s.joins() {
		s.current = s.beginAs(s.continued.message.ID, agui.RoleAssistant)
		s.current.old = true
	}
	if err := s.assistant((s.cut || s.rethink) && !s.hasCalls()); err != nil {
		return nil, err
	}
	s.cut = false
	m := s.current
	if m.open {
		return m, nil
	}
	m.open = true
	return m, s.emit(&agui.TextMessageStart{MessageID: m.id, Role: agui.RoleAssistant})
}

func (s *step) hasCalls() bool { return s.current != nil && len(s.current.calls) > 0 }

// assistant ensures that an assistant message is open and no thought is.
func (s *step) assistant(another bool) error {
	if err := s.closeThought(); err != nil {
		return err
	}
	if s.current != nil && !another {
		s.rethink = false
		return nil
	}
	if err := s.closeText(); err != nil {
		return err
	}
	s.current = s.begin(agui.RoleAssistant, "msg_")
	s.rethink, s.cut = false, false
	return nil
}

func (s *step) begin(role, prefix string) *outMessage { return s.beginAs(s.newID(prefix), role) }

func (s *step) beginAs(id, role string) *outMessage {
	m := &outMessage{id: id, role: role}
	s.messages = append(s.messages, m)
	return m
}

func (s *step) closeText() error {
	if s.current == nil || !s.current.open {
		return nil
	}
	s.current.open = false
	return s.out.EmitWithNext(&agui.TextMessageEnd{MessageID: s.current.id, Base: agui.Base{Metadata: s.endMetadata()}})
}

// endMetadata is the metadata of the text that ends. A continued message stays marked as cut until
// its step has ended well, so that it can be continued again.
func (s *step) endMetadata() json.RawMessage {
	switch {
	case !s.current.old:
		return s.mark.JSON()
	case s.continued.over:
		s.continued.cleared = true
		return agui.WithEnd(s.continued.message.Metadata, s.mark)
	}
	return nil
}

func (s *step) closeThought() error {
	m := s.thought
	if m == nil {
		return nil
	}
	s.thought, m.open = nil, false
	if err := s.emit(&agui.ReasoningMessageEnd{MessageID: m.id}); err != nil {
		return err
	}
	return s.emit(&agui.ReasoningEnd{MessageID: m.id})
}

// endText ends the text of the answer, or interrupts it.
func (s *step) endText() error {
	if s.scanner == nil {
		return nil
	}
	return s.scanner.Close(s.onEvent)
}
