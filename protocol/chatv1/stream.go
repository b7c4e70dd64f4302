package chatv1

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// The events of the protocol. text_delta is written by hand: there is one for each token.
type (
	statusEvent struct {
		Type    string `json:"type"` // status or error
		Message string `json:"message"`
	}
	toolStart struct {
		Type  string          `json:"type"` // tool_start
		Tool  string          `json:"tool"`
		Input json.RawMessage `json:"input"`
	}
	toolProgress struct {
		Type     string   `json:"type"` // tool_progress
		Tool     string   `json:"tool"`
		Stage    string   `json:"stage"`
		Progress *float64 `json:"progress"` // null if the tool does not know
	}
	toolComplete struct {
		Type  string `json:"type"` // tool_complete
		Tool  string `json:"tool"`
		Index int    `json:"index"` // in tool_history
	}
	complete struct {
		Type    string  `json:"type"` // complete
		Payload payload `json:"payload"`
	}
)

const (
	thinking  = "Thinking..."
	cancelled = "The answer was cancelled."
)

// stream translates the events of one run.
type stream struct {
	conversation int64
	earlier      map[string]agui.ToolCall // calls of earlier runs
	// what the client has: nothing is sent up to the event with this id; "" sends everything
	after string

	out      []byte
	last     int             // where the last event in out begins
	all      agui.Transcript // what the run has said
	calls    []*call         // in the order of tool_history
	texts    server.Steps
	thoughts bool // the last event said that it thinks
}

type call struct {
	id, name string
	args     strings.Builder
}

// translate is a server.Translate.
func (s *stream) translate(e run.Event) []byte {
	s.out, s.last = s.out[:0], 0
	_ = s.all.Apply(e.Event) // the writer has folded it too: cannot fail
	s.event(e.Event)
	if s.after != "" && !isEnd(e.Event) {
		if s.after == e.ID {
			s.after = ""
		}
		return nil
	}
	if len(s.out) == 0 {
		return nil
	}
	// Only the last one has the id: a client that comes back with it has seen the others.
	return slices.Insert(s.out, s.last, []byte("id: "+e.ID+"\n")...)
}

func isEnd(e agui.Event) bool {
	switch e.(type) {
	case *agui.RunFinished, *agui.RunError:
		return true
	}
	return false
}

// event writes what the protocol says of an event.
func (s *stream) event(e agui.Event) {
	switch e := e.(type) {
	case *agui.RunStarted, *agui.ReasoningStart:
		if !s.thoughts {
			s.send(statusEvent{"status", thinking})
		}
		s.thoughts = true
		return
	case *agui.TextMessageContent:
		s.delta(e)
	case *agui.ToolCallStart:
		s.calls = append(s.calls, &call{id: e.ToolCallID, name: e.ToolCallName})
	case *agui.ToolCallArgs:
		if _, c := s.call(e.ToolCallID); c != nil {
			c.args.WriteString(e.Delta)
		}
	case *agui.ToolCallEnd:
		if _, c := s.call(e.ToolCallID); c != nil {
			s.send(toolStart{"tool_start", c.name, agui.ArgumentsJSON(c.args.String())})
		}
	case *agui.ToolCallResult:
		if i, c := s.begun(e.ToolCallID); c != nil {
			s.send(toolComplete{"tool_complete", c.name, i})
		}
	case *agui.Custom:
		s.progress(e)
	case *agui.RunFinished:
		s.finish(e.Outcome)
	case *agui.RunError:
		s.send(statusEvent{"error", e.Message})
	}
	s.thoughts = false
}

// delta sends a piece of text. All of them together are the message of the payload.
func (s *stream) delta(e *agui.TextMessageContent) {
	s.begin()
	s.out = append(s.out, `data: {"type":"text_delta","text":`...)
	s.out = append(jsonx.AppendString(s.out, s.texts.Delta(e)), "}\n\n"...)
}

// call returns a call of this run and its index in tool_history, or nil.
func (s *stream) call(id string) (int, *call) {
	for i := len(s.calls) - 1; i >= 0; i-- { // some models use an id again
		if s.calls[i].id == id {
			return i, s.calls[i]
		}
	}
	return 0, nil
}

// begun is call, and begins a call of an earlier run that continues in this one.
func (s *stream) begun(id string) (int, *call) {
	if i, c := s.call(id); c != nil {
		return i, c
	}
	before, ok := s.earlier[id]
	if !ok {
		return 0, nil
	}
	s.calls = append(s.calls, &call{id: id, name: before.Name})
	s.send(toolStart{"tool_start", before.Name, agui.ArgumentsJSON(before.Arguments)})
	return len(s.calls) - 1, s.calls[len(s.calls)-1]
}

func (s *stream) progress(e *agui.Custom) {
	var p struct {
		ToolCallID, Tool, Stage string
		Progress                *float64
	}
	if e.Name != "tool_progress" || json.Unmarshal(e.Value, &p) != nil {
		return
	}
	s.begun(p.ToolCallID)
	s.send(toolProgress{"tool_progress", p.Tool, p.Stage, p.Progress})
}

// finish ends the stream.
func (s *stream) finish(o *agui.Outcome) {
	if o != nil && o.Type == agui.OutcomeCancelled {
		s.send(statusEvent{"error", cancelled})
		return
	}
	p := payloadOf(agui.LastAnswer(s.all.Messages()), s.earlier)
	p.ConversationID = s.conversation
	if o != nil && len(o.Interrupts) > 0 {
		for i := range o.Interrupts {
			s.send(statusEvent{"status", cmp.Or(o.Interrupts[i].Message, "An answer is needed to go on.")})
		}
		p.CustomPayload = interruptsOf(o.Interrupts)
	}
	s.send(complete{"complete", p})
}

// send writes an event.
func (s *stream) send(v any) {
	s.begin()
	s.out = sse.AppendFrame(s.out, "", jsonx.Marshal(v))
}

// begin marks where an event begins.
func (s *stream) begin() { s.last = len(s.out) }
