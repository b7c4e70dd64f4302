package aisdk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// sourcesOf returns the parts of sources of a message, with the message of the thread taken out.
func sourcesOf(t *testing.T, m *message) []string {
	t.Helper()
	var all []string
	for _, p := range m.Parts {
		if !strings.HasPrefix(p["type"].(string), "source-") {
			continue
		}
		of := p["providerMetadata"].(object)["pageside"].(object)
		if id, _ := of["messageId"].(string); id == "" {
			t.Errorf("%v is of no message", p)
		}
		delete(of, "messageId")
		raw := must.Get(json.Marshal(p))(t)
		all = append(all, string(raw))
	}
	return all
}

// What a result rests on is shown as parts of the protocol, live and in the history, once in each
// answer; their ids are the numbers that the text cites.
func TestSources(t *testing.T) {
	c := newChat(t, serve(t), "c")
	const want = `{"providerMetadata":{"pageside":{"snippet":"It worked."}},"sourceId":"1","title":"First study","type":"source-url","url":"https://example.com/1"}` +
		`{"providerMetadata":{"pageside":{}},"sourceId":"2","title":"Second study","type":"source-url","url":"/articles/2"}` +
		`{"mediaType":"text/plain","providerMetadata":{"pageside":{}},"sourceId":"3","title":"A book","type":"source-document"}`
	for range 2 { // a second answer names them again
		c.say("cite")
		c.send("submit-message")
	}
	loaded := c.history("")
	for i, m := range []*message{c.messages[1], c.messages[3], loaded.messages[1], loaded.messages[3]} {
		if got := strings.Join(sourcesOf(t, m), ""); got != want {
			t.Errorf("answer %d has\n%s\nwant\n%s", i, got, want)
		}
	}
	if want := "step-start|tool-search output-available|source-url|source-url|source-document|step-start|text "; !strings.HasPrefix(compact(c.last()), want) {
		t.Errorf("the answer is %s", compact(c.last()))
	}
}

// Two results of one answer that rest on the same show it once.
func TestSourcesOfTwoResults(t *testing.T) {
	c := newChat(t, serve(t), "c")
	c.say("cite twice")
	c.send("submit-message")
	for _, m := range []*message{c.last(), c.history("").last()} {
		if got := strings.Count(compact(m), "source-"); got != 3 || strings.Count(compact(m), "tool-search") != 2 {
			t.Errorf("the answer is %s", compact(m))
		}
	}
}

// A client that goes on with an answer sends back its sources, which is not news.
func TestSourcesAreNotSentAgain(t *testing.T) {
	c := newChat(t, serve(t), "c").withPick()
	c.say("cite and pick")
	c.send("submit-message")
	for _, p := range c.last().Parts {
		if p["type"] == "tool-pick" {
			c.output(p["toolCallId"].(string), object{"nr": 2})
		}
	}
	if got := c.send("submit-message").said(); got != "Picked." {
		t.Errorf("the answer is %q", got)
	}
	if got := strings.Count(compact(c.last()), "source-"); got != 3 {
		t.Errorf("the answer is %s", compact(c.last()))
	}
}
