package openai_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

// responsesRecordings returns Responses streams: our own, and recorded ones where there are some.
// One file of those may hold several answers.
func responsesRecordings(t *testing.T) []llmtest.Recording {
	t.Helper()
	return llmtest.Recordings(t, "responses", func(root string) []llmtest.Recording {
		all := llmtest.Cassettes(t, root, "cassettes", "TestOpenAIResponsesCommon", "*", "*.yaml")
		for name, lines := range llmtest.Chunks(t, root, "chunks", "openai", "*.txt") {
			for i, answer := range answersOf(lines) {
				all = append(all, llmtest.Recording{Name: fmt.Sprintf("%s/%d", name, i), Body: llmtest.SSE(answer...)})
			}
		}
		if len(all) < 40 {
			t.Fatalf("%d recordings", len(all))
		}
		return all
	})
}

// answersOf cuts a file of chunks into answers; one that is no Responses stream, or not JSON, has
// none.
func answersOf(lines []string) (answers [][]string) {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !json.Valid([]byte(line)) && strings.HasPrefix(line, `{"type":"response.`) {
			line += "}" // parallel-tool-call-wrapper was cut when it was written down
		}
		if strings.Contains(line, `"type":"response.created"`) {
			answers = append(answers, nil)
		}
		if n := len(answers); n > 0 {
			answers[n-1] = append(answers[n-1], line)
		}
	}
	return answers
}

// readPlainResponse reads a recording from its done events. Some recordings were thinned out: of a
// text counts what was streamed.
func readPlainResponse(t *testing.T, body string) llmtest.Plain {
	t.Helper()
	p := llmtest.Unread()
	p.Opaques, p.Finish, p.Mute = []string{}, llm.FinishOther, true
	p.Bare = func(opaque string) string { return opaque[strings.Index(opaque, "{"):] } // no host
	p.Finished = max(strings.Index(body, `"type":"response.completed"`), strings.Index(body, `"type":"response.incomplete"`))
	streamed := map[int]string{}
	for e := range llmtest.Documents[plainResponse](t, body) {
		switch e.Type {
		case "response.output_text.delta":
			delta := must.JSON[string](t, e.Delta)
			streamed[e.Index] += delta
		case "response.output_item.done":
			takeItem(t, &p, e.Item, streamed[e.Index])
		case "response.completed", "response.incomplete":
			u := e.Resp.Usage
			p.Input, p.Output, p.CacheRead = u.Input, u.Output, u.Details.Cached
			switch e.Resp.Incomplete.Reason {
			case "max_output_tokens":
				p.Finish = llm.FinishLength
			case "content_filter":
				p.Finish = llm.FinishFilter
			}
		case "response.failed", "error":
			p.Failed = true
		}
	}
	return p
}

type plainResponse struct {
	Type  string
	Index int `json:"output_index"`
	Delta json.RawMessage
	Item  json.RawMessage
	Resp  struct {
		Incomplete struct{ Reason string } `json:"incomplete_details"`
		Usage      struct {
			Input   int64 `json:"input_tokens"`
			Output  int64 `json:"output_tokens"`
			Details struct {
				Cached int64 `json:"cached_tokens"`
			} `json:"input_tokens_details"`
		}
	} `json:"response"`
}

// takeItem adds what an item of an answer says.
func takeItem(t *testing.T, p *llmtest.Plain, raw json.RawMessage, streamed string) {
	t.Helper()
	it := must.JSON[struct {
		Type, Name       string
		Arguments        any
		CallID           string `json:"call_id"`
		Encrypted        string `json:"encrypted_content"`
		Content, Summary json.RawMessage
	}](t, raw)
	texts := func(raw json.RawMessage) (all []string) {
		var list []struct{ Text string }
		_ = json.Unmarshal(raw, &list)
		for _, l := range list {
			if l.Text != "" {
				all = append(all, l.Text)
			}
		}
		return all
	}
	switch it.Type {
	case "message":
		text := cmp.Or(streamed, strings.Join(texts(it.Content), "\n\n"))
		if p.Text != "" && text != "" {
			text = "\n\n" + text
		}
		if p.Text += text; len(p.Calls) == 0 && p.Text != "" {
			p.Finish = llm.FinishStop
		}
	case "reasoning":
		p.Reasoning += strings.Join(texts(it.Summary), "\n\n")
		if it.Encrypted != "" {
			p.Opaques = append(p.Opaques, string(raw))
		}
	case "function_call":
		p.Calls = append(p.Calls, llmtest.Call{ID: it.CallID, Name: it.Name, Args: it.Arguments.(string), Ended: true})
		p.Finish = llm.FinishTools
	}
}

const itemsTag = "openai:items@api.openai.com:"

var responsesVendor = llmtest.Vendor{
	New: func(s llmtest.Setup) llm.Model {
		cfg := configOf(s)
		cfg.Model, cfg.BaseURL, cfg.Responses = cmp.Or(s.With["model"], "gpt-5-test"), cmp.Or(s.URL, cfg.BaseURL), true
		return openai.New(cfg)
	},
	Key:      key,
	Over:     llmtest.SSE(completed("")),
	Recorded: responsesRecordings,
	Read:     readPlainResponse,
}

func TestResponsesRecordings(t *testing.T) { responsesVendor.Recordings(t, 2, 5) }

func TestResponsesRecordingsCutAnywhere(t *testing.T) { responsesVendor.CutAnywhere(t) }

// The recorded call of several tools under one name becomes the calls themselves where those tools
// were declared.
func TestResponsesParallelCallsUnderOneName(t *testing.T) {
	seen := 0
	for _, rec := range responsesRecordings(t) {
		if !strings.HasPrefix(rec.Name, "parallel-") {
			continue
		}
		seen++
		req := &llm.Request{Messages: llmtest.Hello.Messages, Tools: []llm.ToolDecl{{Name: "cityAttractions"}, {Name: "weather"}}}
		a := llmtest.Ask(t, t.Context(), responsesVendor.Model(llmtest.Streaming(strings.NewReader(rec.Body))), req)
		if len(a.Calls) != 2 || a.Calls[0].Name != "weather" || a.Calls[0].Args != `{"location":"San Francisco"}` || a.Calls[1].Name != "cityAttractions" ||
			a.Calls[1].Args != `{"city":"Rome"}` || !a.Calls[1].Ended || a.Calls[0].ID == a.Calls[1].ID || a.Finish != llm.FinishTools {
			t.Errorf("%v %+v", a.Err, a.Calls)
		}
		req.Tools = append(req.Tools, llm.ToolDecl{Name: "parallel"})
		if a := llmtest.Ask(t, t.Context(), responsesVendor.Model(llmtest.Streaming(strings.NewReader(rec.Body))), req); len(a.Calls) != 1 || a.Calls[0].ID != "call_parallel" {
			t.Errorf("a tool of that name was declared: %v %+v", a.Err, a.Calls)
		}
	}
	if seen == 0 {
		t.Error("no such call in any recording")
	}
}
