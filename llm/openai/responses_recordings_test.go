package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
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

// plainResponse is what a recording says, read from its done events alone.
type plainResponse struct {
	texts, thoughts, items []string
	calls                  []llmtest.Call
	status, reason         string
	failed                 bool
	input, output, cached  int64
}

func readPlainResponse(t *testing.T, body string) (p plainResponse) {
	t.Helper()
	// some recordings were thinned out: what counts is what was streamed
	streamed := map[int]string{}
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if !ok {
			continue
		}
		var e struct {
			Type  string
			Index int `json:"output_index"`
			Delta json.RawMessage
			Item  json.RawMessage
			Resp  struct {
				Status     string
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
		must.Do(t, json.Unmarshal([]byte(data), &e))
		switch e.Type {
		case "response.output_text.delta":
			var delta string
			must.Do(t, json.Unmarshal(e.Delta, &delta))
			streamed[e.Index] += delta
		case "response.output_item.done":
			before := len(p.texts)
			p.takeItem(t, e.Item)
			if text, ok := streamed[e.Index]; ok && len(p.texts) > before {
				p.texts = append(p.texts[:before], text)
			}
		case "response.completed", "response.incomplete":
			p.reason = e.Resp.Incomplete.Reason
			p.status, p.input, p.output, p.cached = e.Resp.Status, e.Resp.Usage.Input, e.Resp.Usage.Output, e.Resp.Usage.Details.Cached
		case "response.failed", "error":
			p.failed = true
		}
	}
	return p
}

func (p *plainResponse) takeItem(t *testing.T, raw json.RawMessage) {
	t.Helper()
	var it struct {
		Type, Name       string
		Arguments        any
		CallID           string `json:"call_id"`
		Encrypted        string `json:"encrypted_content"`
		Content, Summary json.RawMessage
	}
	must.Do(t, json.Unmarshal(raw, &it))
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
		p.texts = append(p.texts, texts(it.Content)...)
	case "reasoning":
		p.thoughts = append(p.thoughts, strings.Join(texts(it.Summary), "\n\n"))
		if it.Encrypted != "" {
			p.items = append(p.items, string(raw))
		}
	case "function_call":
		p.calls = append(p.calls, llmtest.Call{ID: it.CallID, Name: it.Name, Args: it.Arguments.(string)})
	}
}

const itemsTag = "openai:items@api.openai.com:"

func (p *plainResponse) compare(t *testing.T, a llmtest.Answer) {
	t.Helper()
	if p.failed != (a.Err != nil) {
		t.Fatalf("error %v, want %v", a.Err, p.failed)
	}
	if p.failed {
		return
	}
	if want := strings.Join(p.texts, "\n\n"); a.Text != want {
		t.Errorf("text %q, want %q", a.Text, want)
	}
	if want := strings.Join(p.thoughts, ""); a.Reasoning != want {
		t.Errorf("reasoning %q, want %q", a.Reasoning, want)
	}
	if len(a.Calls) != len(p.calls) {
		t.Fatalf("calls %+v, want %+v", a.Calls, p.calls)
	}
	for i, c := range a.Calls {
		if w := p.calls[i]; c.ID != w.ID || c.Name != w.Name || c.Args != w.Args || !c.Ended {
			t.Errorf("call %d: %+v, want %+v", i, c, w)
		}
	}
	var kept []string
	for _, part := range a.Parts {
		if part.Kind == llm.Opaque {
			kept = append(kept, strings.TrimPrefix(part.Opaque, itemsTag))
		}
	}
	if got, want := strings.Join(kept, ","), strings.Join(p.items, ","); got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
	if llmtest.Count(a.Usage.Input) != p.input || llmtest.Count(a.Usage.Output) != p.output || llmtest.Count(a.Usage.CacheRead) != p.cached {
		t.Errorf("usage %d/%d/%d, want %d/%d/%d", llmtest.Count(a.Usage.Input), llmtest.Count(a.Usage.Output), llmtest.Count(a.Usage.CacheRead), p.input, p.output, p.cached)
	}
	want := map[string]llm.Finish{"max_output_tokens": llm.FinishLength, "content_filter": llm.FinishFilter}[p.reason]
	switch {
	case want != "":
	case len(p.calls) > 0:
		want = llm.FinishTools
	case len(p.texts) > 0:
		want = llm.FinishStop
	}
	if a.Finish != want && (want != "" || a.Finish == llm.FinishTools) {
		t.Errorf("finish %q, want %q", a.Finish, want)
	}
}

var responsesVendor = llmtest.Vendor{
	New: func(s llmtest.Setup) llm.Model {
		return openai.New(openai.Config{
			Model: "gpt-5-test", Responses: true, APIKey: key, BaseURL: s.URL, HTTPClient: s.Client, Limits: s.Limits,
		})
	},
	Over: llmtest.SSE(completed("")),
}

func TestResponsesRecordings(t *testing.T) {
	for _, rec := range responsesRecordings(t) {
		t.Run(rec.Name, func(t *testing.T) {
			want := readPlainResponse(t, rec.Body)
			for _, n := range []int{1, 3, 64, 1000, len(rec.Body)} {
				if n == 1 && len(rec.Body) > 100_000 {
					continue
				}
				want.compare(t, responsesVendor.Play(t, &llmtest.CutReader{Data: []byte(rec.Body), N: n}))
			}
		})
	}
}

func TestResponsesRecordingsCutAnywhere(t *testing.T) {
	for _, rec := range responsesRecordings(t) {
		t.Run(rec.Name, func(t *testing.T) {
			want := readPlainResponse(t, rec.Body)
			finished := max(strings.Index(rec.Body, `"type":"response.completed"`), strings.Index(rec.Body, `"type":"response.incomplete"`))
			if want.failed {
				return // TestResponsesFaults has it
			}
			whole := responsesVendor.Play(t, strings.NewReader(rec.Body))
			at := llmtest.CutOffsets(len(rec.Body), finished)
			most := 400
			if llmtest.Raced {
				most = 25
			}
			if len(at) > most {
				at = append(every(at, len(at)/most), finished-1, finished, finished+1, len(rec.Body)-1, len(rec.Body))
			}
			for _, at := range at {
				end := io.EOF
				if at%2 == 0 {
					end = io.ErrUnexpectedEOF
				}
				a := responsesVendor.Play(t, &llmtest.CutReader{Data: []byte(rec.Body[:at]), N: at, End: end})
				if !strings.HasPrefix(whole.Text, a.Text) || !strings.HasPrefix(whole.Reasoning, a.Reasoning) || len(a.Calls) > len(whole.Calls) {
					t.Fatalf("cut at %d: %+v is no beginning of %+v", at, a, whole)
				}
				for i, c := range a.Calls {
					if w := whole.Calls[i]; c.Name != w.Name || !strings.HasPrefix(w.Args, c.Args) || c.Ended != (a.Err == nil) {
						t.Fatalf("cut at %d: call %+v, want %+v", at, c, w)
					}
				}
				if at <= finished && a.Kind() != llm.KindNetwork || a.Err != nil && a.Kind() != llm.KindNetwork {
					t.Fatalf("cut at %d, before the finish at %d: %v", at, finished, a.Err)
				}
			}
		})
	}
}

// every keeps one of n.
func every(at []int, n int) (kept []int) {
	for i := 0; i < len(at); i += n {
		kept = append(kept, at[i])
	}
	return kept
}

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

// What a recorded turn says goes back as it came: its reasoning items byte for byte, before what
// they led to.
func TestResponsesRoundTrip(t *testing.T) {
	seen := 0
	for _, rec := range responsesRecordings(t) {
		want := readPlainResponse(t, rec.Body)
		if len(want.items) == 0 || len(want.texts)+len(want.calls) == 0 {
			continue
		}
		seen++
		a := responsesVendor.Play(t, strings.NewReader(rec.Body))
		body := sent(t, openai.Config{Model: "gpt-5-test", Responses: true}, &llm.Request{Messages: append(slices.Clone(llmtest.Hello.Messages), messageOf(a))})
		for _, item := range want.items {
			if strings.Count(body, item) != 1 {
				t.Errorf("%s: %s is not in %s", rec.Name, item, body)
			}
		}
		if other := sent(t, openai.Config{Model: "gpt-5-test", Responses: true, BaseURL: "https://other/v1"}, &llm.Request{Messages: []llm.Message{messageOf(a)}}); strings.Contains(other, "encrypted_content\":\"") {
			t.Errorf("%s: sent to another host", rec.Name)
		}
	}
	if seen < 2 {
		t.Fatalf("%d recordings with encrypted reasoning", seen)
	}
}

// message is the answer as a history has it.
func messageOf(a llmtest.Answer) llm.Message {
	m := llm.Message{Role: llm.RoleAssistant}
	at := map[int]int{}
	for _, p := range a.Parts {
		i, known := at[p.Index]
		switch {
		case p.Kind == llm.UsagePart || p.Kind == llm.FinishPart || p.Kind == llm.Pause || p.Kind == llm.ToolEnd:
			continue
		case !known:
			at[p.Index] = len(m.Content)
			m.Content = append(m.Content, map[bool]llm.Content{true: llm.Text{}, false: llm.Reasoning{}}[p.Kind == llm.TextDelta])
			i = at[p.Index]
		}
		switch c := m.Content[i].(type) {
		case llm.Text:
			m.Content[i] = llm.Text{Text: c.Text + p.Delta}
		case llm.ToolCall:
			c.Args, c.Opaque = c.Args+p.Delta, c.Opaque+p.Opaque
			m.Content[i] = c
		case llm.Reasoning:
			m.Content[i] = llm.Reasoning{Text: c.Text + p.Delta, Opaque: c.Opaque + p.Opaque}
		}
		if p.Kind == llm.ToolStart {
			m.Content[i] = llm.ToolCall{ID: p.ID, Name: p.Name}
		}
	}
	return m
}
