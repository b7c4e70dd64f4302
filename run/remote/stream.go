package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/run"
)

const (
	maxEvent = 1 << 20 // bytes of one event
	maxBatch = 64      // events that are passed on together
	maxSaid  = 500     // bytes of what an agent says of its own failure
)

// stream is the answer of a remote agent to one run.
type stream struct {
	*Agent
	in       run.Input
	frames   *sse.Reader
	thoughts thoughts
	dropped  int // events of kinds that AG-UI does not have
	end      *run.Outcome
	refused  error // why the output took no more: the run's, not the agent's
}

func newStream(a *Agent, in run.Input, src io.Reader) *stream {
	return &stream{Agent: a, in: in, frames: sse.NewReader(src, maxEvent), thoughts: thoughts{run: in.RunID}}
}

// play passes the events on until the first that ends the run: what comes after it is not read.
func (s *stream) play(out run.Output) (run.Outcome, error) {
	defer s.sayDropped()
	for {
		batch, err := s.batch()
		if len(batch) > 0 {
			if s.refused = out.Emit(batch...); s.refused != nil {
				return run.Outcome{}, s.refused
			}
		}
		switch {
		case err != nil:
			return run.Outcome{}, err
		case s.end != nil:
			return *s.end, nil
		}
	}
}

// batch waits for an event, and returns it with those that have arrived together.
func (s *stream) batch() (events []agui.Event, err error) {
	for {
		frame, err := s.frames.Next()
		if err != nil {
			return events, err
		}
		more, err := s.read([]byte(s.secrets.Replace(string(frame.Data))))
		events = append(events, more...)
		if err != nil || s.end != nil || len(events) >= maxBatch || !s.frames.Ready() {
			return events, err
		}
	}
}

func (s *stream) sayDropped() {
	if s.dropped > 0 {
		s.Logger.Warn("left out events of kinds that AG-UI does not have", "agent", s.ID, "run", s.in.RunID,
			"count", s.dropped)
	}
}

// read reads one event. The run's own, RUN_STARTED and those that end it, are not passed on.
func (s *stream) read(data []byte) ([]agui.Event, error) {
	kind, err := kindOf(data)
	if err != nil {
		return nil, s.fail(codeProtocol, err, "sent something that is no event of AG-UI: %v", err)
	}
	switch kind {
	case agui.TypeRunStarted:
		return nil, nil // its ids are its own business
	case agui.TypeRunFinished:
		return nil, s.finish(data)
	case agui.TypeRunError:
		return nil, s.failed(data)
	}
	if events, known := s.thoughts.read(kind, data); known {
		return events, nil
	}
	e, err := decode(kind, data)
	switch {
	case errors.Is(err, errUnknown):
		s.dropped++
		return nil, nil
	case err != nil:
		return nil, s.fail(codeProtocol, err, "sent the event %s, which cannot be read: %v", kind, err)
	}
	return []agui.Event{e}, nil
}

// maxKind is the longest name of an event that is worth repeating.
const maxKind = 64

func kindOf(data []byte) (agui.EventType, error) {
	if !jsonx.Valid(data) {
		return "", errors.New("it is not valid JSON")
	}
	if k := jsonx.KindOf(data); k != jsonx.Object {
		return "", fmt.Errorf("it is %s, not an object", k)
	}
	var head struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(data, &head) != nil || head.Type == "" || len(head.Type) > maxKind {
		return "", errors.New("it has no type")
	}
	return agui.EventType(visible.Text(head.Type)), nil
}

// finish reads RUN_FINISHED. Its ids are the run's here.
func (s *stream) finish(data []byte) error {
	var own map[string]json.RawMessage
	if err := json.Unmarshal(data, &own); err != nil {
		return s.fail(codeProtocol, err, "ended with an event that cannot be read")
	}
	own["threadId"], own["runId"] = quoted(s.in.ThreadID), quoted(s.in.RunID)
	e, err := decodeMembers(agui.TypeRunFinished, own)
	if err != nil {
		return s.fail(codeProtocol, err, "sent the event RUN_FINISHED, which cannot be read: %v", err)
	}
	end := e.(*agui.RunFinished)
	s.end = &run.Outcome{Result: end.Result, Usage: end.Usage}
	if end.Outcome == nil {
		return nil
	}
	s.end.Interrupts = end.Outcome.Interrupts
	if end.Outcome.Type == agui.OutcomeCancelled {
		return s.fail(codeCancelled, nil, "stopped the run")
	}
	return nil
}

func quoted(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // a string: cannot fail
	return raw
}

// failed reads RUN_ERROR.
func (s *stream) failed(data []byte) error {
	var said struct{ Message, Code string }
	if json.Unmarshal(data, &said) != nil || said.Message == "" {
		return s.fail(codeError, nil, "failed without saying why")
	}
	var cause error
	if said.Code != "" {
		cause = fmt.Errorf("its code is %q", visible.Cut(said.Code, maxKind))
	}
	return s.fail(codeError, cause, "failed: %s", visible.Brief(said.Message, maxSaid))
}
