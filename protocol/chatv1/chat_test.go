package chatv1_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/protocol/chatv1"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// event is any event of the protocol.
type event struct {
	id string

	Type, Message, Text, Tool, Stage string
	Input                            json.RawMessage
	Progress                         *float64
	Index                            int
	Payload                          payload
}

type payload struct {
	Message       string `json:"message"`
	CustomPayload *struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	} `json:"custom_payload"`
	SuggestedValues  []map[string]any `json:"suggested_values"`
	SuggestedActions []map[string]any `json:"suggested_actions"`
	ToolHistory      []toolUse        `json:"tool_history"`
	ConversationID   int64            `json:"conversation_id"`
}

type toolUse struct {
	ToolName string          `json:"tool_name"`
	Input    json.RawMessage `json:"input"`
	Output   string          `json:"output"`
}

type events = protocoltest.Stream[event]

func open(t *testing.T, s *protocoltest.Site, body any) *events {
	t.Helper()
	return streamOf(t, s, s.Do("anns", "POST", "/v1/chat/stream", body))
}

func streamOf(t *testing.T, s *protocoltest.Site, resp *http.Response) *events {
	t.Helper()
	return protocoltest.Open(s, resp, func(frame sse.Frame) (ev event) {
		must.Do(t, json.Unmarshal(frame.Data, &ev))
		ev.id = string(frame.ID)
		return ev
	})
}

func isText(ev event) bool { return ev.Type == "text_delta" }

func bodyOf(q protocoltest.Question) map[string]any {
	body := map[string]any{}
	if q.Text != "" {
		body["message"] = q.Text
	}
	if n, err := strconv.ParseInt(q.Conversation, 10, 64); err == nil {
		body["conversation_id"] = n
	}
	var resume []map[string]any
	for id, approved := range q.Answers() {
		resume = append(resume, map[string]any{"interrupt_id": id, "status": "resolved", "payload": map[string]any{"approved": approved}})
	}
	if resume != nil {
		body["resume"] = resume
	}
	return body
}

// seen sums up a stream, and checks that its end says what its events have said.
func seen(t *testing.T, e *events, all []event) (s protocoltest.Seen) {
	t.Helper()
	s.Conversation = e.Header.Get("Conversation-Id")
	started := 0
	for i, ev := range all {
		switch ev.Type {
		case "text_delta":
			s.Text += ev.Text
		case "tool_start":
			started++
		case "tool_complete":
			s.Tools = append(s.Tools, protocoltest.Call{Tool: ev.Tool, ID: strconv.Itoa(ev.Index)})
		case "error":
			s.Error = ev.Message
		case "complete":
			finish(t, &s, ev.Payload, started)
		}
		if last := ev.Type == "complete" || ev.Type == "error"; last != (i == len(all)-1) {
			t.Errorf("event %d of %d is %s", i, len(all), ev.Type)
		}
	}
	return s
}

// finish compares a payload with the events before it.
func finish(t *testing.T, s *protocoltest.Seen, p payload, started int) {
	t.Helper()
	if p.Message != s.Text {
		t.Errorf("the texts are %q, the message is %q", s.Text, p.Message)
	}
	if len(p.ToolHistory) != started {
		t.Errorf("%d calls began, the history has %d", started, len(p.ToolHistory))
	}
	if got := strconv.FormatInt(p.ConversationID, 10); got != s.Conversation {
		t.Errorf("the conversation is %s, the header says %s", got, s.Conversation)
	}
	for i, c := range s.Tools {
		at, _ := strconv.Atoi(c.ID)
		use := p.ToolHistory[at]
		if use.ToolName != c.Tool {
			t.Errorf("tool_complete %d is of %s, the history says %s", at, c.Tool, use.ToolName)
		}
		s.Tools[i].Input, s.Tools[i].Output = string(use.Input), use.Output
	}
	switch c := p.CustomPayload; {
	case c == nil:
	case c.Type == "pageside_interrupt":
		var data struct {
			Interrupts []struct {
				ID, Tool, Message string
				Input             json.RawMessage
			}
		}
		must.Do(t, json.Unmarshal(c.Data, &data))
		for _, i := range data.Interrupts {
			s.Waits = append(s.Waits, protocoltest.Call{ID: i.ID, Tool: i.Tool, Input: string(i.Input)})
		}
	default:
		s.Card = c.Type + " " + string(c.Data)
	}
}

func ask(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	e := open(t, s, bodyOf(q))
	return seen(t, e, e.Rest())
}

// cut leaves after the first words, and comes back.
func cut(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	e := open(t, s, bodyOf(q))
	first := e.Until(isText)
	_ = e.Body.Close()
	again := streamOf(t, s, s.Do("anns", "GET", "/v1/chat/stream", nil, "Last-Event-ID", first[len(first)-1].id))
	return seen(t, again, append(first, again.Rest()...))
}

func cancel(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	e := open(t, s, bodyOf(q))
	e.Until(isText)
	s.Read(s.Do("anns", "POST", "/v1/chat/conversations/"+e.Header.Get("Conversation-Id")+"/cancel", nil), 204)
	return seen(t, e, e.Rest())
}

func TestScenarios(t *testing.T) {
	protocoltest.Play(t, protocoltest.Protocol{DropIn: chatv1.Protocol{}, Ask: ask, Cut: cut, Cancel: cancel, ShowsTools: true, ShowsCards: true,
		Lacks: map[protocoltest.Need]string{protocoltest.FrontendTools: "the requests of this protocol declare no tools"}})
}

// TestTheEventsAreThoseOfTheProtocol, field by field.
func TestTheEventsAreThoseOfTheProtocol(t *testing.T) {
	s := protocoltest.Serve(t, chatv1.Protocol{})
	body := s.Read(s.Do("anns", "POST", "/v1/chat/stream", `{"message":"count trials"}`), 200)
	var got []string
	for line := range strings.Lines(body) {
		if data, is := strings.CutPrefix(strings.TrimSpace(line), "data: "); is {
			if data = masked(t, data); len(got) == 0 || !strings.HasPrefix(data, `{"type":"text_delta"`) || !strings.HasPrefix(got[len(got)-1], `{"type":"text_delta"`) {
				got = append(got, data)
			}
		}
	}
	want := []string{
		`{"type":"status","message":"Thinking..."}`,
		`{"type":"text_delta","text":"…"}`,
		`{"type":"tool_start","tool":"count","input":{"of":"trials"}}`,
		`{"type":"tool_progress","tool":"count","stage":"counting","progress":0.5}`,
		`{"type":"tool_complete","tool":"count","index":0}`,
		`{"type":"text_delta","text":"…"}`,
		`{"type":"complete","payload":{"message":"Let me count.\n\nThere are 18 trials.","custom_payload":{"type":"tally","data":{"of":"trials"}},` +
			`"tool_history":[{"tool_name":"count","input":{"of":"trials"},"output":"18 trials"}],"conversation_id":1}}`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// masked replaces what differs from run to run.
func masked(t *testing.T, data string) string {
	t.Helper()
	ev := must.JSON[event](t, data)
	if ev.Type == "text_delta" {
		return `{"type":"text_delta","text":"…"}`
	}
	return strings.Replace(data, `"conversation_id":`+strconv.FormatInt(ev.Payload.ConversationID, 10), `"conversation_id":1`, 1)
}

// TestContext: where the user is decides what is offered, the rest of the context is shown to the
// model, and the stream's instructions are those of its scope.
func TestContext(t *testing.T) {
	s := protocoltest.Serve(t, chatv1.Protocol{})
	at := `{"current_page":"edit_stream","active_tab":"execute","active_subtab":"workbench","stream_id":42,"report_id":null,"sort":{"column":"year"},"current_schema":{"n":7}}`
	e := open(t, s, `{"message":"where","context":`+at+`}`)
	if got := seen(t, e, e.Rest()).Text; got != "year/7" {
		t.Errorf("the model sees %q of the context", got)
	}
	e = open(t, s, `{"message":"garbled","context":`+at+`}`)
	if got := seen(t, e, e.Rest()); got.Card != "" {
		t.Errorf("a card that cannot be read is shown as %s", got.Card)
	}
	e = open(t, s, `{"message":"suggest","context":`+at+`}`)
	all := e.Rest()
	got := all[len(all)-1].Payload
	if got.CustomPayload == nil || got.CustomPayload.Type != "query_suggestion" || string(got.CustomPayload.Data) != `{"query":"EGFR AND resistance"}` || strings.Contains(got.Message, "{") {
		t.Errorf("the card is %+v, the message %q", got.CustomPayload, got.Message)
	}
	if want := []map[string]any{{"label": "Yes", "value": "Yes, please proceed with that"}}; !reflect.DeepEqual(got.SuggestedValues, want) {
		t.Errorf("the suggested values are %v, want %v", got.SuggestedValues, want)
	}
	if want := []map[string]any{{"label": "View report", "action": "open_report", "handler": "client"}, {"label": "Count", "action": "run_count", "handler": "server"}}; !reflect.DeepEqual(got.SuggestedActions, want) {
		t.Errorf("the suggested actions are %v, want %v", got.SuggestedActions, want)
	}
}

// TestConversations: listed, read, renamed and deleted, and another user's are unknown.
func TestConversations(t *testing.T) {
	s := protocoltest.Serve(t, chatv1.Protocol{})
	e := open(t, s, `{"message":"count trials"}`)
	first := seen(t, e, e.Rest())
	e = open(t, s, `{"message":"hello","conversation_id":`+first.Conversation+`}`)
	e.Rest()
	path := "/v1/chat/conversations/" + first.Conversation
	// a thread of another front end is no conversation
	s.Read(s.Do("anns", "POST", "/v1/agents/default/run", `{"protocolVersion":"1.0","threadId":"other","runId":"r","messages":[{"id":"m","role":"user","content":"hello"}],"tools":[],"context":[]}`), 200)

	list := must.JSON[struct {
		Conversations []struct {
			ID    int64 `json:"conversation_id"`
			Title string
		}
	}](t, s.Read(s.Do("anns", "GET", "/v1/chat/conversations", nil), 200))
	if len(list.Conversations) != 1 || strconv.FormatInt(list.Conversations[0].ID, 10) != first.Conversation || list.Conversations[0].Title != "count trials" {
		t.Fatalf("the conversations are %+v", list)
	}
	got := must.JSON[struct {
		Messages []struct {
			Role string
			payload
		}
	}](t, s.Read(s.Do("anns", "GET", path, nil), 200))
	var said []string
	for _, m := range got.Messages {
		said = append(said, m.Role+": "+m.Message)
	}
	want := []string{"user: count trials", "assistant: Let me count.\n\nThere are 18 trials.", "user: hello", "assistant: Hello to <you> & all."}
	if !reflect.DeepEqual(said, want) {
		t.Errorf("the messages are %q, want %q", said, want)
	}
	if m := got.Messages[1]; m.CustomPayload == nil || m.CustomPayload.Type != "tally" || len(m.ToolHistory) != 1 || m.ToolHistory[0].Output != "18 trials" {
		t.Errorf("the first answer is %+v", m)
	}
	for _, user := range []string{"bobs", "twins"} {
		s.Read(s.Do(user, "GET", path, nil), 404)
		s.Read(s.Do(user, "DELETE", path, nil), 404)
		s.Read(s.Do(user, "POST", path+"/cancel", nil), 404)
		s.Read(s.Do(user, "POST", "/v1/chat/stream", `{"message":"hello","conversation_id":`+first.Conversation+`}`), 404)
	}
	if got := s.Read(s.Do("anns", "PATCH", path, `{"title":"Trials"}`), 200); !strings.Contains(got, `"title":"Trials"`) {
		t.Errorf("renamed: %s", got)
	}
	s.Read(s.Do("anns", "DELETE", path, nil), 204)
	s.Read(s.Do("anns", "GET", path, nil), 404)
	s.Read(s.Do("anns", "PATCH", path, `{"title":"Trials"}`), 404)
	s.Read(s.Do("anns", "POST", path+"/cancel", nil), 404)
	s.Read(s.Do("anns", "POST", "/v1/chat/stream", `{"message":"hello","conversation_id":`+first.Conversation+`}`), 404)
}

// TestPagesOfConversations: as many as were asked for, whatever other threads are between them. A
// page of another origin reads the number of its conversation.
func TestPagesOfConversations(t *testing.T) {
	const shop = "https://shop.example"
	s := protocoltest.Serve(t, chatv1.Protocol{}, func(c *server.Config) { c.Origins = []string{shop} })
	for range 3 {
		resp := s.Do("anns", "POST", "/v1/chat/stream", `{"message":"hello"}`, "Origin", shop)
		if got := strings.Join(resp.Header.Values("Access-Control-Expose-Headers"), ","); !strings.Contains(got, "Conversation-Id") {
			t.Errorf("the page may read %q", got)
		}
		s.Read(resp, 200)
	}
	s.Read(s.Do("anns", "POST", "/v1/agents/default/run", `{"protocolVersion":"1.0","threadId":"other","runId":"r","messages":[{"id":"m","role":"user","content":"hello"}],"tools":[],"context":[]}`), 200)
	var sizes []int
	for cursor := ""; len(sizes) == 0 || cursor != ""; {
		page := must.JSON[struct {
			Conversations []any
			Next          string
		}](t, s.Read(s.Do("anns", "GET", "/v1/chat/conversations?limit=2&cursor="+cursor, nil), 200))
		sizes, cursor = append(sizes, len(page.Conversations)), page.Next
	}
	if !reflect.DeepEqual(sizes, []int{2, 1}) {
		t.Errorf("the pages have %v", sizes)
	}
}

// TestHostile: what does not fit is refused, with the field that the client has sent.
func TestHostile(t *testing.T) {
	s := protocoltest.Serve(t, chatv1.Protocol{}, func(c *server.Config) { c.MaxBody = 64 << 10 })
	for body, field := range map[string]string{
		`{}`:                                           "message",
		`{"message":" "}`:                              "message",
		`{"message":7}`:                                "message",
		`{"message":"x","messages":[]}`:                "messages",
		`{"message":"x","conversation_id":"7"}`:        "conversation_id",
		`{"message":"x","conversation_id":1.5}`:        "conversation_id",
		`{"message":"x","conversation_id":0}`:          "conversation_id",
		`{"message":"x","context":[]}`:                 "context",
		`{"message":"x","context":{}}`:                 "context.current_page",
		`{"message":"x","context":{"current_page":7}}`: "context.current_page",
		`{"message":"x","context":{"current_page":"p","active_tab":{}}}`:       "context.active_tab",
		`{"message":"x","context":{"current_page":"p","stream_id":"42"}}`:      "context.stream_id",
		`{"message":"x","context":{"current_page":"p","report_id":1.5}}`:       "context.report_id",
		`{"message":"x","context":{"current_page":"p","active_subtab":"s"}}`:   "context",
		`{"message":"x","resume":[{"interrupt_id":"i","status":"resolved"}]}`:  "resume",
		`{"resume":[{"interrupt_id":"i","status":"resolved"}]}`:                "conversation_id",
		`{"conversation_id":1,"resume":[{"status":"resolved"}]}`:               "resume[0].interrupt_id",
		`{"conversation_id":1,"resume":[{"interrupt_id":"i","status":"yes"}]}`: "resume[0].status",
		`{"message":"x","message":"y"}`:                                        "message",
		`{"message":"x"`:                                                       "",
	} {
		got := must.JSON[struct {
			Error struct {
				Code    string
				Details struct{ Field string }
			}
		}](t, s.Read(s.Do("anns", "POST", "/v1/chat/stream", body), 400))
		if got.Error.Code != "invalid_request" || got.Error.Details.Field != field {
			t.Errorf("%s: %+v, want the field %q", body, got.Error, field)
		}
	}
	s.Read(s.Do("anns", "POST", "/v1/chat/stream", `{"message":"x","conversation_id":99}`), 404)
	s.Read(s.Do("anns", "POST", "/v1/chat/stream", `{"message":"`+strings.Repeat("x", 64<<10)+`"}`), 413)
	for path, status := range map[string]int{
		"/v1/chat/conversations/x": 400, "/v1/chat/conversations/007": 400, "/v1/chat/conversations/-1": 400, "/v1/chat/conversations/9007199254740992": 400, "/v1/chat/conversations/7": 404,
		"/v1/chat/conversations?limit=0": 400, "/v1/chat/conversations?cursor=x": 400, "/v1/chat/conversations/7?before=x": 400, "/v1/chat/stream": 400, "/v1/chat/stream?lastEventId=x:1.1": 404, "/v1/chat/nothing": 404,
	} {
		s.Read(s.Do("anns", "GET", path, nil), status)
	}
	s.Read(s.Do("anns", "PATCH", "/v1/chat/conversations/7", `{"title":""}`), 400)
	s.Read(s.Do("anns", "PATCH", "/v1/chat/conversations/7", `{"name":"x"}`), 400)
}

func TestGuards(t *testing.T) {
	protocoltest.Guards(t, chatv1.Protocol{}, "/v1/chat/stream", `{"message":"hello"}`)
}

// TestARunOfAnotherFrontEndIsNoAnswer, even if it is the caller's.
func TestARunOfAnotherFrontEndIsNoAnswer(t *testing.T) {
	s := protocoltest.Serve(t, chatv1.Protocol{})
	s.Read(s.Do("anns", "POST", "/v1/agents/default/run", `{"protocolVersion":"1.0","threadId":"other","runId":"r","messages":[{"id":"m","role":"user","content":"hello"}],"tools":[],"context":[]}`), 200)
	s.Read(s.Do("anns", "GET", "/v1/chat/stream", nil, "Last-Event-ID", "r:1.2"), 404)
	e := open(t, s, `{"message":"hello"}`)
	all := e.Rest()
	s.Read(s.Do("bobs", "GET", "/v1/chat/stream", nil, "Last-Event-ID", all[0].id), 404)
	// after its end, what is left is the end
	again := streamOf(t, s, s.Do("anns", "GET", "/v1/chat/stream?lastEventId="+all[len(all)-1].id, nil))
	if rest := again.Rest(); len(rest) != 1 || !reflect.DeepEqual(rest[0], all[len(all)-1]) {
		t.Errorf("after the end comes %+v, want %+v", rest, all[len(all)-1])
	}
}
