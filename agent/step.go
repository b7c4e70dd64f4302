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

// listener is what the steps of a run have in common while a model speaks.
type listener struct {
	out          *emitter
	model        llm.Info
	tools        toolset
	payloadTypes payloadTypes
	suggestions  []page.Suggestion // of the place
	ids          *callIDs
	newID        func(prefix string) string
	runID        string
	log          *slog.Logger
	heard        int // bytes of everything the model has sent
}

// modelError is for what the model's stream got wrong.
func (l *listener) modelError(kind llm.ErrorKind, message string) error {
	return &llm.Error{Kind: kind, Model: l.model.Name(), Message: message}
}

// step is what the model says in one call: it turns parts into events as they come and keeps what
// the prompt needs.
//
// Text and tool calls of a step belong to one assistant message; text that comes after a call opens
// it again. Only where the model thinks again after it has begun to speak, or has shown a payload,
// does another message follow, so that thoughts and payloads keep their order when the thread is
// read back.
type step struct {
	*listener
	messages []*outMessage // in the order they began
	calls    []*call       // in the order they began
	payloads []*outPayload // in the order they began
	finish   llm.Finish
	usage    ledger
	size     int // bytes of everything the model has sent in it

	current *outMessage // the assistant message that text and calls go to
	thought *outMessage // the reasoning message that is open
	rethink bool        // there was a thought after current began
	emitted int         // calls before this one are answered, or wait

	nameless []int // content blocks of calls that were dropped

	scanner *payload.Scanner          // of its text; nil before there is any
	onEvent func(payload.Event) error // found
	// a payload began after current did: what comes next belongs to another message, unless current
	// has calls
	cut       bool
	lead      string // what nobody sees before the text of a message
	suggested agui.Suggestions

	mark agui.Metadata // of the text that ends next: suggestions, or why it ends there
}

// outMessage is one message of a step: the assistant's or a reasoning message.
type outMessage struct {
	id, role string
	index    int // of a reasoning message: its content block
	text     strings.Builder
	open     bool // its START is out and its END is not
	opaque   string
	calls    []*call
	payload  *outPayload // of an activity
}

// outPayload is a payload that the model writes: an activity message of the step.
type outPayload struct {
	*outMessage
	typ    *payload.Type
	callID string // where it comes as the arguments of a generated tool: the id of the call
	parent string // where it began behind calls: the message that has them
	growth payload.Growth

	written strings.Builder // all of its JSON, as the model wrote it
	data    json.RawMessage // what is shown; nil until it is complete
	failure *payloadFailure
	end     agui.Metadata // where the payload is all there is of an answer: what it ends with
}

// payloadFailure is why a payload cannot be shown.
type payloadFailure struct{ code, message string }

// begun reports whether anything of the step was emitted.
func (s *step) begun() bool { return len(s.messages) > 0 }

func (s *step) emit(e agui.Event) error { return s.out.Emit(e) }

// write passes text on. Blank lines at the beginning of a message are left out: around a payload
// nobody meant them.
func (s *step) write(delta string) error {
	m := s.current
	if m == nil || m.text.Len() == 0 || s.cut {
		if delta = s.trimLead(delta); delta == "" {
			return nil
		}
	}
	if m == nil || !m.open || s.thought != nil || s.rethink || s.cut {
		var err error
		if m, err = s.openText(); err != nil {
			return err
		}
	}
	m.text.WriteString(delta)
	return s.emit(&agui.TextMessageContent{MessageID: m.id, Delta: delta})
}

// trimLead holds blanks back until there is something to see.
func (s *step) trimLead(delta string) string {
	text := s.lead + delta
	rest := trimBlank(text)
	if rest == "" {
		s.lead = text
		return ""
	}
	s.lead = ""
	blanks := text[:len(text)-len(rest)]
	return text[strings.LastIndexByte(blanks, '\n')+1:]
}

// openText makes ready for text: it follows a thought or a payload in a message of its own, but
// calls stay together with what is said after them.
func (s *step) openText() (*outMessage, error) {
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

// assistant makes sure there is an assistant message to write to and that no thought is open.
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

func (s *step) begin(role, prefix string) *outMessage {
	m := &outMessage{id: s.newID(prefix), role: role}
	s.messages = append(s.messages, m)
	return m
}

func (s *step) closeText() error {
	if s.current == nil || !s.current.open {
		return nil
	}
	s.current.open = false
	return s.out.EmitWithNext(&agui.TextMessageEnd{MessageID: s.current.id, Base: agui.Base{Metadata: s.mark.JSON()}})
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

// endText says that the text of the answer is over, or interrupted by something else.
func (s *step) endText() error {
	if s.scanner == nil {
		return nil
	}
	return s.scanner.Close(s.onEvent)
}

// trimBlank cuts off what nobody sees at the beginning of a text.
func trimBlank(text string) string { return strings.TrimLeftFunc(text, isBlank) }

// isBlank reports whether a character leaves no mark on the screen: blanks, controls, and what only
// shapes the characters around it.
func isBlank(c rune) bool {
	const brailleBlank = '\u2800'
	return c == brailleBlank || unicode.IsSpace(c) || unicode.IsControl(c) ||
		unicode.In(c, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
