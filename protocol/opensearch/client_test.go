package opensearch_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/test/must"
)

type object = map[string]any

const stream = "/_plugins/_ml/agents/default/_execute/stream"

// known are the events that the chat plugin of OpenSearch Dashboards handles.
var known = []string{"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "TOOL_CALL_START", "TOOL_CALL_ARGS",
	"TOOL_CALL_END", "TOOL_CALL_RESULT", "MESSAGES_SNAPSHOT", "CUSTOM"}

// event is one event, with the members that the plugin reads.
type event struct {
	Type, MessageID, Delta, Message                 string
	ToolCallID, ToolCallName, ParentMessageID, Role string
	Content, Value                                  json.RawMessage
	Messages                                        []message
}

type message struct {
	ID         string          `json:"id"`
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content,omitempty"`
	ToolCalls  []call          `json:"toolCalls,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// read reads a stream as the plugin does: lines that begin with "data: ", each by itself. It checks
// what the plugin and a stock client rely on.
func read(t *testing.T, body io.Reader) (events []event) {
	t.Helper()
	check := agui.NewVerifier()
	lines := bufio.NewScanner(body)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		e := decodeEvent(t, data)
		whole, err := agui.UnmarshalEvent([]byte(data))
		if end, ok := whole.(*agui.RunFinished); ok {
			if end.Outcome != nil && end.Outcome.Interrupts != nil {
				t.Errorf("%s: a stock client takes no other answer then than one to the interrupt", data)
			}
			// clients of 0.x are not told what is pending
			end.Outcome = &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: check.Pending()}
		}
		if err == nil && agui.BaseOf(whole).Timestamp == nil {
			t.Errorf("%s: nobody knows when it was made", data)
		}
		if err == nil {
			err = check.Check(whole)
		}
		if err != nil {
			t.Errorf("%s: %v", data, err)
		}
		events = append(events, e)
	}
	checkOrder(t, events)
	return events
}

func decodeEvent(t *testing.T, data string) (e event) {
	t.Helper()
	if i := strings.IndexFunc(data, func(r rune) bool { return r > '~' }); i >= 0 {
		t.Errorf("not ASCII from %q on: the plugin garbles characters that are cut", data[i:])
	}
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if !slices.Contains(known, e.Type) {
		t.Errorf("the plugin does not know %s", e.Type)
	}
	return e
}

func checkOrder(t *testing.T, events []event) {
	t.Helper()
	ends := 0
	for i, e := range events {
		if (e.Type == "RUN_STARTED") != (i == 0) {
			t.Errorf("event %d is %s", i, e.Type)
		}
		if e.Type == "RUN_FINISHED" || e.Type == "RUN_ERROR" {
			ends++
		}
	}
	if last := len(events) - 1; last < 0 || ends != 1 || events[last].Type != "RUN_FINISHED" && events[last].Type != "RUN_ERROR" {
		t.Errorf("%d ends, and the last event is not one of them: %+v", ends, events)
	}
}

// plugin is the chat plugin of OpenSearch Dashboards.
type plugin struct {
	wholeHistory bool // AG-UI mode; else only what is new is sent, as with ML Commons
}

// conversation is what the plugin knows of one.
type conversation struct {
	Thread   string
	Timeline []message
}

func open(t *testing.T, q protocoltest.Question) (c conversation) {
	t.Helper()
	if q.Conversation == "" {
		c.Thread = fmt.Sprintf("thread-1763800000000-%09d", count.Add(1))
	} else if err := json.Unmarshal([]byte(q.Conversation), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

var count atomic.Int64

var askUser = agui.Tool{Name: "ask_user", Description: "Asks the user.", Parameters: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string"}}}`)}

// body returns the request for a question, and adds it to the timeline.
func (p plugin) body(c *conversation, q protocoltest.Question) object {
	known := len(c.Timeline)
	add := func(id, content string) {
		c.Timeline = append(c.Timeline, message{ID: fmt.Sprintf("msg-1763800000000-%09d", count.Add(1)), Role: "tool", Content: text(content), ToolCallID: id})
	}
	for _, r := range q.Results {
		add(r.ID, r.Output)
	}
	for _, id := range q.Approve {
		add(id, `{"answered":true,"question":"?","answer":"yes"}`)
	}
	for _, id := range q.Deny {
		add(id, `{"answered":true,"question":"?","answer":"no"}`)
	}
	if q.Text != "" {
		c.Timeline = append(c.Timeline, message{ID: fmt.Sprintf("msg-1763800000000-%09d", count.Add(1)), Role: "user", Content: text(q.Text)})
	}
	sent := c.Timeline
	if !p.wholeHistory {
		sent = c.Timeline[known:]
	}
	tools := []object{}
	for _, tool := range append([]agui.Tool{askUser}, q.Tools...) {
		tools = append(tools, object{"name": tool.Name, "description": tool.Description, "parameters": tool.Parameters})
	}
	return object{"threadId": c.Thread, "runId": fmt.Sprintf("run-1763800000000-%09d", count.Add(1)), "messages": sent, "tools": tools, "context": []any{}, "state": object{}, "forwardedProps": object{}}
}

func text(s string) json.RawMessage {
	raw, _ := json.Marshal(s)
	return raw
}

func (p plugin) ask(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	c := open(t, q)
	body := p.body(&c, q)
	resp := s.Do("anns", "POST", stream, body)
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || got != "text/event-stream" {
		t.Fatalf("%s, %s: %s", resp.Status, got, s.Read(resp, resp.StatusCode))
	}
	return c.take(t, read(t, resp.Body), append([]agui.Tool{askUser}, q.Tools...))
}

// take handles events as the plugin does.
func (c *conversation) take(t *testing.T, events []event, actions []agui.Tool) (s protocoltest.Seen) {
	t.Helper()
	for _, e := range events {
		switch e.Type {
		case "TEXT_MESSAGE_START":
			c.Timeline = append(c.Timeline, message{ID: e.MessageID, Role: "assistant"})
			if s.Text != "" {
				s.Text += "\n\n"
			}
		case "TEXT_MESSAGE_CONTENT":
			s.Text += e.Delta
			m := &c.Timeline[slices.IndexFunc(c.Timeline, func(m message) bool { return m.ID == e.MessageID })]
			var before string
			_ = json.Unmarshal(m.Content, &before)
			m.Content = text(before + e.Delta)
		case "TOOL_CALL_START":
			c.startCall(e)
		case "TOOL_CALL_ARGS":
			c.call(e.ToolCallID).Function.Arguments += e.Delta
		case "TOOL_CALL_END":
			c.endCall(t, &s, c.call(e.ToolCallID), actions)
		case "TOOL_CALL_RESULT":
			var output string
			_ = json.Unmarshal(e.Content, &output)
			made := c.call(e.ToolCallID)
			s.Tools = append(s.Tools, protocoltest.Call{Tool: made.Function.Name, Input: made.Function.Arguments, Output: output})
			c.Timeline = append(c.Timeline, message{ID: "tool-result-" + e.ToolCallID, Role: "tool", Content: e.Content, ToolCallID: e.ToolCallID})
		case "MESSAGES_SNAPSHOT":
			c.Timeline = e.Messages
		case "RUN_ERROR":
			s.Error = e.Message
		}
	}
	raw := must.Get(json.Marshal(c))(t)
	s.Conversation = string(raw)
	return s
}

// startCall attaches a call to its message, to the last of the answer, or to one of its own.
func (c *conversation) startCall(e event) {
	made := call{ID: e.ToolCallID, Type: "function"}
	made.Function.Name = e.ToolCallName
	at := slices.IndexFunc(c.Timeline, func(m message) bool { return m.ID == e.ParentMessageID })
	if last := len(c.Timeline) - 1; e.ParentMessageID == "" && last >= 0 && c.Timeline[last].Role == "assistant" {
		at = last
	}
	if at < 0 {
		id := e.ParentMessageID
		if id == "" {
			id = fmt.Sprintf("fake-assistant-message-%d", count.Add(1))
		}
		at = len(c.Timeline)
		c.Timeline = append(c.Timeline, message{ID: id, Role: "assistant"})
	}
	c.Timeline[at].ToolCalls = append(c.Timeline[at].ToolCalls, made)
}

func (c *conversation) call(id string) *call {
	for i := range c.Timeline {
		for j := range c.Timeline[i].ToolCalls {
			if c.Timeline[i].ToolCalls[j].ID == id {
				return &c.Timeline[i].ToolCalls[j]
			}
		}
	}
	return new(call)
}

// endCall runs an action of the page at once, if there is one.
func (c *conversation) endCall(t *testing.T, s *protocoltest.Seen, made *call, actions []agui.Tool) {
	t.Helper()
	if !slices.ContainsFunc(actions, func(a agui.Tool) bool { return a.Name == made.Function.Name }) {
		return // the agent's
	}
	if made.Function.Name != askUser.Name {
		s.Open = append(s.Open, protocoltest.Call{ID: made.ID, Tool: made.Function.Name, Input: made.Function.Arguments})
		return
	}
	var q struct{ Question, Type string }
	if err := json.Unmarshal([]byte(made.Function.Arguments), &q); err != nil || q.Type != "confirm" {
		t.Fatalf("asks with %s: %v", made.Function.Arguments, err)
	}
	lines := strings.Split(q.Question, "\n")
	tool, args, _ := strings.Cut(lines[len(lines)-1], " ")
	s.Waits = append(s.Waits, protocoltest.Call{ID: made.ID, Tool: tool, Input: args})
}

// abort asks, and leaves after the first words of the answer.
func (p plugin) abort(t *testing.T, s *protocoltest.Site, q protocoltest.Question) (c conversation, seen protocoltest.Seen) {
	t.Helper()
	c = open(t, q)
	resp := s.Do("anns", "POST", stream, p.body(&c, q))
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
			if e := decodeEvent(t, data); e.Type == "TEXT_MESSAGE_CONTENT" {
				seen.Text = strings.TrimSpace(e.Delta)
				_ = resp.Body.Close()
			}
		}
	}
	if err := lines.Err(); err != nil {
		seen.Error = err.Error()
	}
	known := must.Get(json.Marshal(c))(t)
	seen.Conversation = string(known)
	return c, seen
}

func (p plugin) cancel(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	_, seen := p.abort(t, s, q)
	return seen
}

// restore loads the conversation anew, as after a reload.
func restore(t *testing.T, s *protocoltest.Site, c conversation) (restored conversation) {
	t.Helper()
	body := object{"threadId": c.Thread, "runId": fmt.Sprintf("restore-%d", count.Add(1)), "messages": []any{}, "tools": []any{}, "context": []any{}, "state": object{}, "forwardedProps": object{}}
	events := read(t, s.Do("anns", "POST", stream, body).Body)
	restored = conversation{Thread: c.Thread}
	restored.take(t, events, nil)
	if len(events) != 3 {
		t.Errorf("restoring takes %+v", events)
	}
	return restored
}

func (p plugin) cut(t *testing.T, s *protocoltest.Site, q protocoltest.Question) (seen protocoltest.Seen) {
	left, _ := p.abort(t, s, q)
	c := restore(t, s, left)
	must.Do(t, json.Unmarshal(c.Timeline[len(c.Timeline)-1].Content, &seen.Text))
	return seen
}
