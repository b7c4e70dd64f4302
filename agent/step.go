package agent

import (
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
)

// step is one model call: it turns parts into events on arrival and keeps what the prompt needs.
type step struct {
	draft
	calls    []*call       // in the order they began
	payloads []*outPayload // in the order they began
	finish   llm.Finish
	usage    ledger
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
