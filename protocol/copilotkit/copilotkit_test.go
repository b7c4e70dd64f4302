package copilotkit_test

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/protocol/copilotkit"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// client is a front end. It sends what one of CopilotKit sends, to the addresses of the operations
// or as envelopes to the one.
type client struct {
	*protocoltest.Site
	user   string
	single bool
}

// post makes a request that the front end makes with POST.
func (c client) post(method, path string, body any) *http.Response {
	c.T.Helper()
	if !c.single {
		return c.Do(c.user, "POST", "/copilotkit/"+path, body)
	}
	params := map[string]string{}
	if parts := strings.Split(path, "/"); parts[0] == "agent" {
		params["agentId"] = parts[1]
		if len(parts) > 3 {
			params["threadId"] = parts[3]
		}
	}
	return c.Do(c.user, "POST", "/copilotkit", map[string]any{"method": method, "params": params, "body": body})
}

type stream = protocoltest.Stream[agui.Event]

// open asks for a stream.
func (c client) open(op string, body any) *stream {
	c.T.Helper()
	return protocoltest.Open(c.Site, c.post("agent/"+op, "agent/default/"+op, body), func(frame sse.Frame) agui.Event {
		e := must.Get(agui.UnmarshalEvent(frame.Data))(c.T)
		return e
	})
}

// resource does something with threads.
func (c client) resource(method, path string, body any) *http.Response {
	c.T.Helper()
	if !c.single {
		return c.Do(c.user, method, "/copilotkit"+path, body)
	}
	return c.Do(c.user, "POST", "/copilotkit", map[string]any{"method": "resource/request", "params": map[string]string{"path": path, "httpMethod": method}, "body": body})
}

func isText(e agui.Event) bool { _, is := e.(*agui.TextMessageContent); return is }

// folded returns the messages after events.
func folded(t *testing.T, before []agui.Message, events []agui.Event) []agui.Message {
	t.Helper()
	all := agui.NewTranscript(before)
	for _, e := range events {
		must.Do(t, all.Apply(e))
	}
	return all.Messages()
}

// bodyOf returns the input of a run as CopilotKit sends it: the whole history, and no version.
func (c client) bodyOf(thread, run string, messages []agui.Message, tools ...agui.Tool) map[string]any {
	c.T.Helper()
	in, err := agui.MarshalRunAgentInput(&agui.RunAgentInput{ThreadID: thread, RunID: run, Messages: messages, Tools: tools, State: json.RawMessage("{}"), ForwardedProps: json.RawMessage("{}")})
	if err != nil {
		c.T.Fatal(err)
	}
	body := must.JSON[map[string]any](c.T, in)
	return body
}

// history loads a thread as a page does that was reloaded.
func (c client) history(thread string) ([]agui.Message, []agui.Event) {
	c.T.Helper()
	events := c.open("connect", c.bodyOf(thread, rand.Text(), nil)).Rest()
	return folded(c.T, nil, events), events
}

// asking begins the run of a question. The run answers interrupts under its own id, as useInterrupt
// does.
func (c client) asking(q *protocoltest.Question) (before []agui.Message, e *stream) {
	c.T.Helper()
	run := rand.Text()
	if q.Conversation == "" {
		q.Conversation = "thread-" + run
	}
	before, shown := c.history(q.Conversation)
	for _, r := range q.Results {
		before = append(before, agui.Message{ID: rand.Text(), Role: agui.RoleTool, ToolCallID: r.ID, Content: agui.TextContent(r.Output)})
	}
	if q.Text != "" {
		before = append(before, agui.Message{ID: rand.Text(), Role: agui.RoleUser, Content: agui.TextContent(q.Text)})
	}
	body := c.bodyOf(q.Conversation, run, withoutActivities(before), q.Tools...)
	var resume []map[string]any
	for id, approved := range q.Answers() {
		resume = append(resume, map[string]any{"interruptId": id, "status": "resolved", "payload": map[string]any{"approved": approved}})
	}
	if resume != nil {
		body["resume"], body["runId"] = resume, shown[0].(*agui.RunStarted).RunID
	}
	return before, c.open("run", body)
}

func withoutActivities(all []agui.Message) []agui.Message {
	return slices.DeleteFunc(slices.Clone(all), func(m agui.Message) bool { return m.Role == agui.RoleActivity })
}

// seen sums up what came after before.
func seen(q protocoltest.Question, before, after []agui.Message, events []agui.Event) protocoltest.Seen {
	s := protocoltest.Seen{Conversation: q.Conversation}
	calls, answered := map[string]agui.ToolCall{}, map[string]bool{}
	for _, m := range after {
		for _, c := range m.ToolCalls {
			calls[c.ID] = c
		}
		answered[m.ToolCallID] = true
	}
	var texts []string
	for _, m := range after {
		if slices.ContainsFunc(before, func(b agui.Message) bool { return b.ID == m.ID }) {
			continue
		}
		switch call := calls[m.ToolCallID]; {
		case m.Role == agui.RoleTool && !isTool(q, call.Name):
			s.Tools = append(s.Tools, protocoltest.Call{ID: call.ID, Tool: call.Name, Input: call.Arguments, Output: m.Content.Text()})
		case m.Role == agui.RoleAssistant && m.Content.Text() != "":
			texts = append(texts, m.Content.Text())
		case m.Role == agui.RoleActivity && !strings.HasPrefix(m.ActivityType, agui.ReservedPrefix):
			s.Card = m.ActivityType + " " + string(m.Activity)
		}
		for _, c := range m.ToolCalls {
			if !answered[c.ID] && isTool(q, c.Name) {
				s.Open = append(s.Open, protocoltest.Call{ID: c.ID, Tool: c.Name, Input: c.Arguments})
			}
		}
	}
	s.Text = strings.Join(texts, "\n\n")
	switch end := events[len(events)-1].(type) {
	case *agui.RunError:
		s.Error = end.Message
	case *agui.RunFinished:
		for _, i := range interruptsOf(end) {
			s.Waits = append(s.Waits, protocoltest.Call{ID: i.ID, Tool: calls[i.ToolCallID].Name, Input: calls[i.ToolCallID].Arguments})
		}
	}
	return s
}

func isTool(q protocoltest.Question, name string) bool {
	return slices.ContainsFunc(q.Tools, func(t agui.Tool) bool { return t.Name == name })
}

func interruptsOf(end *agui.RunFinished) []agui.Interrupt {
	if end.Outcome == nil {
		return nil
	}
	return end.Outcome.Interrupts
}

// protocol is the drop-in with its client.
func protocol(single bool) protocoltest.Protocol {
	of := func(s *protocoltest.Site, t *testing.T) client { s.T = t; return client{s, "anns", single} }
	return protocoltest.Protocol{
		DropIn: copilotkit.Protocol{}, ShowsTools: true, ShowsCards: true,
		Ask: func(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
			before, e := of(s, t).asking(&q)
			events := e.Rest()
			return seen(q, before, folded(t, before, events), events)
		},
		Cut: func(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
			before, e := of(s, t).asking(&q)
			e.Until(isText)
			_ = e.Body.Close()
			after, events := of(s, t).history(q.Conversation)
			return seen(q, before, after, events)
		},
		Cancel: func(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
			c := of(s, t)
			before, e := c.asking(&q)
			e.Until(isText)
			var stopped struct {
				Stopped   bool
				Interrupt struct{ Message string }
			}
			run := e.All[0].(*agui.RunStarted).RunID
			answer := c.post("agent/stop", "agent/default/stop/"+q.Conversation, map[string]string{"runId": run})
			must.Do(t, json.Unmarshal([]byte(s.Read(answer, 200)), &stopped))
			events := e.Rest()
			got := seen(q, before, folded(t, before, events), events)
			got.Error = stopped.Interrupt.Message
			return got
		},
	}
}

func TestScenarios(t *testing.T) { protocoltest.Play(t, protocol(false)) }

// TestAskedInWords: where the drop-in's pages draw no interrupts, a question is a message, and the
// user's next one answers it. TestScenarios asks with interrupts.
func TestAskedInWords(t *testing.T) {
	c := client{protocoltest.Serve(t, server.InWords(copilotkit.Protocol{})), "anns", false}
	ask := func(thread, says string) protocoltest.Seen {
		q := protocoltest.Question{Conversation: thread, Text: says}
		before, e := c.asking(&q)
		events := e.Rest()
		return seen(q, before, folded(t, before, events), events)
	}
	got := ask("", "erase it")
	if len(got.Waits) > 0 || !strings.Contains(got.Text, "Answer **yes** to allow it.") {
		t.Fatalf("the page is asked by %+v, which says %q", got.Waits, got.Text)
	}
	want := []protocoltest.Call{{Tool: "erase", Input: `{"name":"it"}`, Output: "erased it"}}
	if got = ask(got.Conversation, "yes"); len(got.Tools) == 1 {
		got.Tools[0].ID = ""
	}
	if got.Text != "As you wish." || !slices.Equal(got.Tools, want) {
		t.Errorf("after a yes, %q with %+v", got.Text, got.Tools)
	}
}

func TestScenariosAtOneAddress(t *testing.T) { protocoltest.Play(t, protocol(true)) }

const hello = `{"threadId":"g","runId":"g","messages":[{"id":"m","role":"user","content":"hello"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`

func TestGuards(t *testing.T) {
	protocoltest.Guards(t, copilotkit.Protocol{}, "/copilotkit/agent/default/run", hello)
	protocoltest.Guards(t, copilotkit.Protocol{}, "/copilotkit", `{"method":"agent/run","params":{"agentId":"default"},"body":`+hello+`}`)
}
