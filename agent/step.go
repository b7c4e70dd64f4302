package agent

import (
	"fmt"
	"log/slog"
	"strings"

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
// does another message follow, so that thoughts and payloads keep their place when the thread is
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

// begun reports whether anything of the turn was emitted.
func (s *step) begun() bool { return len(s.messages) > 0 }

// listen takes in one model call to its end.
func (s *step) listen(parts func(yield func(llm.Part, error) bool)) error {
	for p, err := range parts {
		if err != nil {
			return err
		}
		if err := s.take(&p); err != nil {
			return err
		}
	}
	if s.finish == "" {
		return s.modelError(llm.KindProtocol, "the model's answer ended without saying that it was complete")
	}
	return s.endText()
}

func (s *step) take(p *llm.Part) error {
	if err := s.weigh(p); err != nil {
		return err
	}
	switch p.Kind {
	case llm.TextDelta:
		return s.scan(p.Delta)
	case llm.ReasoningDelta:
		return s.think(p.Index, p.Delta)
	case llm.ToolStart:
		return s.startCall(p)
	case llm.ToolArgs:
		return s.writeArgs(p)
	case llm.ToolEnd:
		return s.completeCall(p)
	case llm.Opaque:
		return s.sign(p)
	case llm.UsagePart:
		s.usage.merge(p.Model, p.Usage)
	case llm.FinishPart:
		s.finish = p.Finish
	case llm.Pause:
		return s.out.Flush()
	}
	return nil
}

func (s *step) emit(e agui.Event) error { return s.out.Emit(e) }

// write passes text on. Blank lines at the beginning of a message are left out: around a card
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

// openText makes ready for text: it follows a thought or a card in a message of its own, but calls
// stay together with what is said after them.
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

// close ends what is open of a turn that is broken off. Calls are ended where they are told about
// or released.
func (s *step) close() error {
	if err := s.endText(); err != nil {
		return err
	}
	if err := s.dropPayloads(); err != nil {
		return err
	}
	if err := s.closeThought(); err != nil {
		return err
	}
	return s.closeText()
}

// said is the step as the thread has it: with each assistant message the results of its
// calls.
func (s *step) said() []agui.Message {
	var list []agui.Message
	for _, m := range s.messages {
		list = append(list, m.message())
		for _, c := range m.calls {
			if c.emitted {
				list = append(list, c.resultMessage())
			}
		}
	}
	return list
}

func (m *outMessage) message() agui.Message {
	if m.payload != nil {
		return m.payload.message()
	}
	msg := agui.Message{ID: m.id, Role: m.role, EncryptedValue: m.opaque}
	if m.text.Len() > 0 || m.role == agui.RoleReasoning {
		msg.Content = agui.TextContent(m.text.String())
	}
	for _, c := range m.calls {
		msg.ToolCalls = append(msg.ToolCalls, agui.ToolCall{ID: c.id, Name: c.name, Arguments: c.args.String(), EncryptedValue: c.opaque})
	}
	return msg
}

// The bounds on what a model may send, in bytes of text, thoughts and arguments together. Nobody
// reads that much: a model that sends it is broken, or somebody else answers in its place.
const (
	maxStepBytes = 4 << 20
	maxRunBytes  = 16 << 20
)

// weigh counts what a part holds against the limits of the step and the run.
func (s *step) weigh(p *llm.Part) error {
	n := len(p.Delta) + len(p.Opaque) + len(p.Name) + len(p.ID)
	s.size += n
	s.heard += n
	switch {
	case s.size > maxStepBytes:
		return s.modelError(llm.KindOutputLimit, fmt.Sprintf("the model sent more than %d bytes in one step", maxStepBytes))
	case s.heard > maxRunBytes:
		return s.modelError(llm.KindOutputLimit, fmt.Sprintf("the model sent more than %d bytes in one run", maxRunBytes))
	}
	return nil
}
