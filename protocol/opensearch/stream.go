package opensearch

import (
	"slices"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
)

// stream translates a run's events to those that ml-commons has.
type stream struct {
	tools map[string]bool // of the client, by name
	asks  bool            // the client can ask the user
	// calls of tools that the client has, until the run says who answers them: the plugin runs a
	// call as soon as its END is there
	held     []heldCall
	snapshot *agui.MessagesSnapshot
	made     *int64 // when the event that is translated was made, in milliseconds
	out      []byte
}

type heldCall struct {
	id     string
	events []agui.Event
}

// newStream returns the stream that a request gets. It takes the plugin's ask_user out of the
// tools: the model is offered the server's tool of that name, if the agent may ask.
func newStream(in *agui.RunAgentInput) *stream {
	s := &stream{tools: map[string]bool{}, asks: len(in.Tools) == 0}
	for _, t := range in.Tools {
		s.tools[t.Name] = true
	}
	s.asks = s.asks || s.tools[askUser]
	in.Tools = slices.DeleteFunc(in.Tools, func(t agui.Tool) bool { return t.Name == askUser })
	return s
}

// translate is a server.Translate.
func (s *stream) translate(e run.Event) []byte {
	s.out = nil
	if s.made = agui.BaseOf(e.Event).Timestamp; s.made == nil { // a snapshot is made for its reader
		s.made = new(time.Now().UnixMilli())
	}
	switch e := e.Event.(type) {
	case *agui.RunStarted, *agui.TextMessageStart, *agui.TextMessageContent, *agui.TextMessageEnd, *agui.RunError:
		s.send(e)
	case *agui.ToolCallStart:
		if s.tools[e.ToolCallName] {
			s.held = append(s.held, heldCall{id: e.ToolCallID})
		}
		s.call(e.ToolCallID, e)
	case *agui.ToolCallArgs:
		s.call(e.ToolCallID, e)
	case *agui.ToolCallEnd:
		s.call(e.ToolCallID, e)
	case *agui.ToolCallResult:
		if s.find(e.ToolCallID) < 0 { // else the client knows of no such call
			s.send(e)
		}
	case *agui.MessagesSnapshot:
		s.snapshot = e
	case *agui.Custom:
		if e.Name == "conversation_title" {
			s.send(e)
		}
	case *agui.RunFinished:
		s.finish(e)
	}
	return s.out
}

func (s *stream) find(id string) int {
	return slices.IndexFunc(s.held, func(c heldCall) bool { return c.id == id })
}

// call sends an event of a call, or holds it.
func (s *stream) call(id string, e agui.Event) {
	if i := s.find(id); i >= 0 {
		s.held[i].events = append(s.held[i].events, e)
		return
	}
	s.send(e)
}

// finish hands out the calls that wait for the client, asks what waits for the user, and ends the
// run.
func (s *stream) finish(e *agui.RunFinished) {
	var o agui.Outcome
	if e.Outcome != nil {
		o = *e.Outcome
	}
	for _, c := range s.held {
		if slices.Contains(o.PendingToolCallIDs, c.id) {
			for _, e := range c.events {
				s.send(e)
			}
		}
	}
	if s.snapshot != nil {
		s.send(s.restored(o.Interrupts))
	} else {
		for i := range o.Interrupts {
			s.ask(&o.Interrupts[i])
		}
	}
	end := *e
	if len(o.Interrupts) > 0 {
		end.Outcome = nil // asked already; stock 0.x clients would ask again in their own way
	}
	s.send(&end)
}

// ask makes the client ask about an interrupt. An interrupt that it has no form for becomes text,
// so that the user knows what the run is waiting for.
func (s *stream) ask(i *agui.Interrupt) {
	c, ok := ask(i)
	if ok && s.asks {
		s.send(&agui.ToolCallStart{ToolCallID: c.ID, ToolCallName: c.Name})
		s.send(&agui.ToolCallArgs{ToolCallID: c.ID, Delta: c.Arguments})
		s.send(&agui.ToolCallEnd{ToolCallID: c.ID})
		return
	}
	id := "waits-" + i.ID
	s.send(&agui.TextMessageStart{MessageID: id, Role: agui.RoleAssistant})
	s.send(&agui.TextMessageContent{
		MessageID: id, Delta: "This waits for an answer that this page cannot ask for: " + i.Message,
	})
	s.send(&agui.TextMessageEnd{MessageID: id})
}

// restored returns the thread with the messages that ml-commons has, and what is still asked. The
// plugin runs the calls of the last message that have no result.
func (s *stream) restored(open []agui.Interrupt) *agui.MessagesSnapshot {
	shown := &agui.MessagesSnapshot{Messages: []agui.Message{}}
	for _, m := range s.snapshot.Messages {
		switch m.Role {
		case agui.RoleUser:
			m.Content = m.Content.Binary() // as ml-commons stores media, and Dashboards draws them
		case agui.RoleAssistant, agui.RoleTool:
		default:
			continue
		}
		shown.Messages = append(shown.Messages, m)
	}
	var calls []agui.ToolCall
	for i := range open {
		if c, ok := ask(&open[i]); ok && s.asks {
			calls = append(calls, c)
		}
	}
	if calls != nil {
		shown.Messages = append(shown.Messages, agui.Message{
			ID: "waits-" + open[0].ID, Role: agui.RoleAssistant, ToolCalls: calls,
		})
	}
	return shown
}

// send writes an event as a client of 0.x reads it, with a timestamp, as all of ml-commons' have,
// on one line of ASCII: the plugin decodes each piece of the stream by itself, wherever the network
// has cut it.
func (s *stream) send(e agui.Event) {
	for _, old := range agui.Downgrade(e) {
		if agui.BaseOf(old).Timestamp == nil {
			old = agui.Copy(old) // other readers share it
			agui.BaseOf(old).Timestamp = s.made
		}
		data, err := agui.MarshalEvent(old)
		if err != nil {
			continue // made of an event of this server: cannot fail
		}
		s.out = appendData(s.out, data)
	}
}

// appendData appends an event of Server-Sent Events.
func appendData(dst, data []byte) []byte {
	return append(appendASCII(append(dst, "data: "...), data), "\n\n"...)
}

// appendASCII appends JSON with everything outside ASCII escaped. Only strings can have any.
func appendASCII(dst, data []byte) []byte {
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case n == 1:
			dst = append(dst, data[0])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = appendEscape(appendEscape(dst, high), low)
		default:
			dst = appendEscape(dst, r)
		}
		data = data[n:]
	}
	return dst
}

func appendEscape(dst []byte, r rune) []byte {
	digits := strconv.FormatInt(0x10000+int64(r), 16)[1:]
	return append(append(dst, `\u`...), digits...)
}
