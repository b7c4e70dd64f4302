package aisdk_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/protocol/aisdk"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/test/must"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const path = "/v1/ai-sdk/default"

type object = map[string]any

// chat is a useChat: it holds the messages, adds chunks to the last one and sends all of them.
type chat struct {
	t        *testing.T
	s        *protocoltest.Site
	id       string
	messages []*message
	tools    object
	n        int
}

type message struct {
	ID       string   `json:"id"`
	Role     string   `json:"role"`
	Metadata object   `json:"metadata,omitempty"`
	Parts    []object `json:"parts"`
}

func newChat(t *testing.T, s *protocoltest.Site, id string) *chat {
	return &chat{t: t, s: s, id: id, tools: object{}}
}

func (c *chat) last() *message { return c.messages[len(c.messages)-1] }

// say adds a message of the user.
func (c *chat) say(text string) {
	c.n++
	c.messages = append(c.messages, &message{ID: fmt.Sprintf("u%d-%s", c.n, c.id), Role: "user", Parts: []object{{"type": "text", "text": text}}})
}

// body is what DefaultChatTransport sends.
func (c *chat) body(trigger string) object {
	body := object{"id": c.id, "messages": c.messages, "trigger": trigger}
	if len(c.tools) > 0 {
		body["tools"] = c.tools
	}
	return body
}

// send sends the messages and reads the answer.
func (c *chat) send(trigger string) *answer {
	c.t.Helper()
	a := c.open(c.s.Do("anns", "POST", path, c.body(trigger)), trigger == "regenerate-message")
	a.rest()
	return a
}

// open begins to read an answer: part of the last message, or a new one.
func (c *chat) open(resp *http.Response, fresh bool) *answer {
	c.t.Helper()
	if resp.Header.Get("x-vercel-ai-ui-message-stream") != "v1" {
		c.t.Fatalf("no stream: %v %s", resp.Header, c.s.Read(resp, 200))
	}
	a := &answer{chat: c, open: map[string]object{}}
	a.Stream = protocoltest.Open(c.s, resp, a.read)
	if !fresh && len(c.messages) > 0 && c.last().Role == "assistant" {
		a.m = c.last()
	}
	return a
}

// answer is a stream that is read.
type answer struct {
	*chat
	*protocoltest.Stream[object]
	m     *message
	open  map[string]object // texts
	texts []object          // begun by this stream
	calls []string          // that have ended
	asked []object
	toRun []object // onToolCall
	card  string
	err   string
	data  []object // transient
	end   object
	over  bool
}

// read takes a chunk. It returns nil for the end.
func (a *answer) read(frame sse.Frame) (c object) {
	a.t.Helper()
	switch data := string(frame.Data); {
	case a.over:
		a.t.Fatalf("%s comes after the end", data)
	case data == "[DONE]":
		a.over = true
	default:
		must.Do(a.t, json.Unmarshal([]byte(data), &c))
		a.take(c)
	}
	return c
}

func (a *answer) rest() {
	a.t.Helper()
	if a.Rest(); !a.over {
		a.t.Error("the stream ends without [DONE]")
	}
}

// until reads up to a chunk of a type.
func (a *answer) until(kind string) {
	a.t.Helper()
	a.Until(func(c object) bool { return c["type"] == kind })
}

// part finds the part of a call as the AI SDK does: it throws if there is none.
func (a *answer) part(id any) object {
	a.t.Helper()
	if a.m != nil {
		for _, p := range slices.Backward(a.m.Parts) {
			if p["toolCallId"] == id {
				return p
			}
		}
	}
	a.t.Fatalf("no tool invocation found for tool call id %v", id)
	return nil
}

// add adds a part, or finds the one of the same call in the last step.
func (a *answer) add(p object) object {
	a.t.Helper()
	if a.m == nil {
		a.t.Fatalf("%v comes before start", p)
	}
	for _, old := range slices.Backward(a.m.Parts) {
		if old["type"] == "step-start" {
			break
		}
		if p["toolCallId"] != nil && old["toolCallId"] == p["toolCallId"] {
			return old
		}
	}
	a.m.Parts = append(a.m.Parts, p)
	return p
}

// take folds a chunk as processUIMessageStream does.
func (a *answer) take(c object) {
	a.t.Helper()
	kind := c["type"].(string)
	switch kind {
	case "start":
		if a.m == nil {
			a.m = &message{Role: "assistant", ID: "client", Parts: []object{}}
			a.chat.messages = append(a.chat.messages, a.m)
		}
		if id, ok := c["messageId"].(string); ok {
			a.m.ID = id
		}
	case "text-start", "reasoning-start":
		p := a.add(object{"type": strings.TrimSuffix(kind, "-start"), "text": "", "state": "streaming", "providerMetadata": c["providerMetadata"]})
		a.open[kind[:4]+c["id"].(string)] = p
		if kind == "text-start" {
			a.texts = append(a.texts, p)
		}
	case "text-delta", "reasoning-delta":
		p := a.open[kind[:4]+c["id"].(string)]
		p["text"] = p["text"].(string) + c["delta"].(string)
	case "text-end", "reasoning-end":
		p := a.open[kind[:4]+c["id"].(string)]
		p["state"] = "done"
		delete(a.open, kind[:4]+c["id"].(string))
	case "start-step":
		a.add(object{"type": "step-start"})
	case "finish-step":
		a.open = map[string]object{}
	case "finish":
		a.end = c
		if m, ok := c["messageMetadata"].(object); ok {
			a.m.Metadata = m
		}
	case "abort":
		a.err = "aborted"
	case "error":
		a.err = c["errorText"].(string)
	case "source-url", "source-document":
		a.m.Parts = append(a.m.Parts, c)
	default:
		if strings.HasPrefix(kind, "tool-") {
			a.takeCall(kind, c)
			return
		}
		a.datum(kind, c)
	}
}

// takeCall folds a chunk of a call.
func (a *answer) takeCall(kind string, c object) {
	a.t.Helper()
	switch kind {
	case "tool-input-start", "tool-input-available":
		p := a.add(object{"type": "tool-" + c["toolName"].(string), "toolCallId": c["toolCallId"]})
		p["state"], p["input"] = map[string]string{"tool-input-start": "input-streaming", "tool-input-available": "input-available"}[kind], c["input"]
		if c["providerExecuted"] != nil {
			p["providerExecuted"] = c["providerExecuted"]
		}
		if c["providerMetadata"] != nil {
			p["callProviderMetadata"] = c["providerMetadata"]
		}
		if kind == "tool-input-available" && c["providerExecuted"] != true {
			a.toRun = append(a.toRun, p)
		}
	case "tool-input-delta":
		if p := a.part(c["toolCallId"]); p["state"] != "input-streaming" {
			a.t.Errorf("%v goes on", p)
		}
	case "tool-approval-request":
		p := a.part(c["toolCallId"])
		p["state"], p["approval"] = "approval-requested", object{"id": c["approvalId"]}
		a.asked = append(a.asked, p)
	case "tool-output-available", "tool-output-error", "tool-output-denied":
		p := a.part(c["toolCallId"])
		p["state"], p["output"], p["errorText"] = strings.TrimPrefix(kind, "tool-"), c["output"], c["errorText"]
		a.calls = append(a.calls, c["toolCallId"].(string))
	default:
		a.t.Errorf("no chunk of the protocol: %v", c)
	}
}

func (a *answer) datum(kind string, c object) {
	if !strings.HasPrefix(kind, "data-") {
		a.t.Errorf("no chunk of the protocol: %v", c)
	}
	if c["transient"] == true {
		a.data = append(a.data, c)
		return
	}
	a.card = strings.TrimPrefix(kind, "data-") + " " + text(c["data"])
	a.m.Parts = append(a.m.Parts, object{"type": kind, "id": c["id"], "data": c["data"]})
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	raw, _ := json.Marshal(v) // decoded JSON: cannot fail
	return string(raw)
}

// said returns the text of the stream.
func (a *answer) said() string {
	var texts []string
	for _, p := range a.texts {
		texts = append(texts, p["text"].(string))
	}
	return strings.Join(texts, "\n\n")
}

// seen returns what the stream has shown.
func (a *answer) seen() protocoltest.Seen {
	s := protocoltest.Seen{Conversation: a.id, Text: a.said(), Card: a.card, Error: a.err}
	for _, id := range a.calls {
		p := a.part(id)
		c := callOf(p)
		if a.tools[c.Tool] != nil {
			continue
		}
		if c.Output = text(p["output"]); p["errorText"] != nil {
			c.Output = p["errorText"].(string)
		}
		s.Tools = append(s.Tools, c)
	}
	for _, p := range a.toRun {
		s.Open = append(s.Open, callOf(p))
	}
	for _, p := range a.asked {
		c := callOf(p)
		c.ID = p["approval"].(object)["id"].(string)
		s.Waits = append(s.Waits, c)
	}
	return s
}

func callOf(p object) protocoltest.Call {
	return protocoltest.Call{ID: p["toolCallId"].(string), Tool: strings.TrimPrefix(p["type"].(string), "tool-"), Input: text(p["input"])}
}

// output is addToolOutput.
func (c *chat) output(call string, value any) {
	for _, m := range c.messages {
		for _, p := range m.Parts {
			if p["toolCallId"] == call {
				p["state"], p["output"] = "output-available", value
			}
		}
	}
}

// respond is addToolApprovalResponse.
func (c *chat) respond(approval string, approved bool) {
	for _, m := range c.messages {
		for _, p := range m.Parts {
			if a, ok := p["approval"].(object); ok && a["id"] == approval && p["state"] == "approval-requested" {
				p["state"], a["approved"] = "approval-responded", approved
			}
		}
	}
}

// player plays the shared scenarios with chats.
type player struct{ chats map[string]*chat }

func (p *player) chat(t *testing.T, s *protocoltest.Site, q protocoltest.Question) *chat {
	c := p.chats[s.URL+q.Conversation]
	if q.Conversation == "" {
		c = newChat(t, s, fmt.Sprint("chat", len(p.chats)))
		p.chats[s.URL+c.id] = c
	}
	for _, tool := range q.Tools {
		c.tools[tool.Name] = object{"description": tool.Description, "parameters": tool.Parameters}
	}
	for _, r := range q.Results {
		c.output(r.ID, r.Output)
	}
	for _, id := range q.Approve {
		c.respond(id, true)
	}
	for _, id := range q.Deny {
		c.respond(id, false)
	}
	if q.Text != "" {
		c.say(q.Text)
	}
	return c
}

func (p *player) ask(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	return p.chat(t, s, q).send("submit-message").seen()
}

// cut leaves after the first words, and comes back for a stream that begins again.
func (p *player) cut(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	c := p.chat(t, s, q)
	a := c.open(s.Do("anns", "POST", path, c.body("submit-message")), false)
	a.until("text-delta")
	_ = a.Body.Close()
	c.messages = c.messages[:1]
	again := c.open(s.Do("anns", "GET", path+"/"+c.id+"/stream", nil), true)
	again.rest()
	if again.m.ID != a.m.ID {
		t.Errorf("the message is %s, it was %s", again.m.ID, a.m.ID)
	}
	return again.seen()
}

func (p *player) cancel(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	c := p.chat(t, s, q)
	a := c.open(s.Do("anns", "POST", path, c.body("submit-message")), false)
	a.until("text-delta")
	s.Read(s.Do("anns", "DELETE", path+"/"+c.id+"/stream", nil), 204)
	a.rest()
	return a.seen()
}

func TestScenarios(t *testing.T) {
	p := player{map[string]*chat{}}
	protocoltest.Play(t, protocoltest.Protocol{DropIn: aisdk.Protocol{}, Ask: p.ask, Cut: p.cut, Cancel: p.cancel,
		ShowsTools: true, ShowsCards: true})
}

func TestGuards(t *testing.T) {
	protocoltest.Guards(t, aisdk.Protocol{}, path, `{"id":"c","messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"hello"}]}],"trigger":"submit-message"}`)
}
