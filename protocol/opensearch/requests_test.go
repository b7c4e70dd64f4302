package opensearch_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/protocol/opensearch"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

// TestRequests sends what the chat plugin and others send, word for word, one after the other.
func TestRequests(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/requests.json"))(t)
	var requests []struct {
		Name  string
		Body  json.RawMessage
		Want  []string // but for the title, which may come at any time
		Text  string   // * is any
		Shows string   // is in the stream
	}
	must.Do(t, json.Unmarshal(raw, &requests))
	s := protocoltest.Serve(t, opensearch.Protocol{})
	made, title := "", ""
	for _, r := range requests {
		t.Run(r.Name, func(t *testing.T) {
			fill := strings.NewReplacer("{call}", made)
			answer := s.Read(s.Do("anns", "POST", stream, fill.Replace(string(r.Body)), "Accept", "text/event-stream", "osd-xsrf", "true"), 200)
			var types []string
			text := ""
			for _, e := range read(t, strings.NewReader(answer)) {
				switch {
				case e.Type == "CUSTOM":
					title = string(e.Value)
					continue
				case e.Type == "TOOL_CALL_START":
					made = e.ToolCallID
				case e.Type == "TEXT_MESSAGE_CONTENT":
					text += e.Delta
				}
				if n := len(types); n == 0 || e.Type != "TEXT_MESSAGE_CONTENT" || types[n-1] != e.Type {
					types = append(types, e.Type)
				}
			}
			if r.Text == "*" {
				text = r.Text
			}
			if !slices.Equal(types, r.Want) || text != r.Text || !strings.Contains(answer, fill.Replace(r.Shows)) {
				t.Errorf("%q, %q\nwant %q, %q and %s in %s", types, text, r.Want, r.Text, r.Shows, answer)
			}
		})
	}
	if title != `"hello"` { // the plugin takes a text
		t.Errorf("the last title is %s", title)
	}
}

// TestContinuation: the result of a call goes on with it, also as a parameter.
func TestContinuation(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	first := plugin{}.ask(t, s, protocoltest.Question{Text: "pick", Tools: pick})
	var c conversation
	if err := json.Unmarshal([]byte(first.Conversation), &c); err != nil || len(first.Open) != 1 {
		t.Fatalf("%+v: %v", first, err)
	}
	results, _ := json.Marshal([]object{{"tool_call_id": first.Open[0].ID, "content": "the second"}})
	events := read(t, s.Do("anns", "POST", stream, object{"parameters": object{"agui_thread_id": c.Thread, "agui_run_id": "next", "agui_tool_call_results": string(results)}}).Body)
	if seen := c.take(t, events, nil); seen.Text != "You picked the second." {
		t.Errorf("%+v", seen)
	}
}

// TestRestored: a conversation that is opened anew has the same ids, shows nothing that the plugin
// does not know, and still asks.
func TestRestored(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	p := plugin{}
	seen := p.ask(t, s, protocoltest.Question{Text: "count trials"})
	seen = p.ask(t, s, protocoltest.Question{Conversation: seen.Conversation, Text: "think"})
	seen = p.ask(t, s, protocoltest.Question{Conversation: seen.Conversation, Text: "erase it"})
	c := must.JSON[conversation](t, seen.Conversation)
	a, b := restore(t, s, c), restore(t, s, c)
	for i, m := range a.Timeline {
		if m.ID != b.Timeline[i].ID {
			t.Errorf("message %d is %s and then %s", i, m.ID, b.Timeline[i].ID)
		}
		if m.Role != "user" && m.Role != "assistant" && m.Role != "tool" {
			t.Errorf("the plugin has no role %s", m.Role)
		}
	}
	last := a.Timeline[len(a.Timeline)-1]
	if len(last.ToolCalls) != 1 || last.ToolCalls[0].Function.Name != "ask_user" || last.ToolCalls[0].ID != seen.Waits[0].ID {
		t.Fatalf("nothing is asked: %+v", last)
	}
	known, _ := json.Marshal(a)
	seen = p.ask(t, s, protocoltest.Question{Conversation: string(known), Approve: []string{last.ToolCalls[0].ID}})
	if seen.Text != "The tool says: erased it" {
		t.Errorf("%+v", seen)
	}
}

// TestCannotAsk: a client that has no ask_user is told what is waited for, and nothing runs.
func TestCannotAsk(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	body := `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"erase it"}],"tools":[{"name":"other","description":"","parameters":{}}],"context":[],"state":{},"forwardedProps":{}}`
	var c conversation
	seen := c.take(t, read(t, s.Do("anns", "POST", stream, body).Body), nil)
	if !strings.HasPrefix(seen.Text, "I will erase it.\n\nThis waits for an answer") || len(seen.Tools) > 0 || len(seen.Waits) > 0 {
		t.Errorf("%+v", seen)
	}
}

// TestErrorAnswersDeny: the plugin sends the message of an exception as the result.
func TestErrorAnswersDeny(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	for _, said := range []string{"Error executing tool: no such element", `{"answered":false,"declined":true}`, `{"answered":true,"answer":"Yes"}`, `{"answer":"yes"}`, `"yes"`} {
		p := plugin{}
		seen := p.ask(t, s, protocoltest.Question{Text: "erase it"})
		seen = p.ask(t, s, protocoltest.Question{Conversation: seen.Conversation, Results: []protocoltest.Call{{ID: seen.Waits[0].ID, Output: said}}})
		if len(seen.Tools) != 1 || strings.HasPrefix(seen.Tools[0].Output, "erased") {
			t.Errorf("%s: %+v", said, seen)
		}
	}
}

// TestOldAnswers: a client that sends its whole timeline repeats answers, which approve nothing.
func TestOldAnswers(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	p := plugin{wholeHistory: true}
	seen := p.ask(t, s, protocoltest.Question{Text: "erase it"})
	seen = p.ask(t, s, protocoltest.Question{Conversation: seen.Conversation, Approve: []string{seen.Waits[0].ID}})
	if seen.Text != "The tool says: erased it" {
		t.Fatalf("%+v", seen)
	}
	seen = p.ask(t, s, protocoltest.Question{Conversation: seen.Conversation, Text: "erase that"})
	if len(seen.Waits) != 1 || len(seen.Tools) != 0 {
		t.Errorf("%+v", seen)
	}
	seen = p.ask(t, s, protocoltest.Question{Conversation: seen.Conversation, Text: "hello"})
	if seen.Text != "Hello to <you> & all." || strings.HasPrefix(seen.Tools[0].Output, "erased") {
		t.Errorf("%+v", seen)
	}
}

// TestRestoringIsOneStream: waiting for the run that is under way takes none of the user's others.
func TestRestoringIsOneStream(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{}, func(c *server.Config) { c.Limits = &server.Limits{StreamsAtOnce: 1} })
	seen := plugin{}.ask(t, s, protocoltest.Question{Text: "hello"})
	c := must.JSON[conversation](t, seen.Conversation)
	if restored := restore(t, s, c); len(restored.Timeline) != 2 {
		t.Errorf("%+v", restored)
	}
}
