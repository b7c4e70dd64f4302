package openai_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/streams"
)

// responsesRecordings returns Responses streams: our own, and recorded ones where there are some.
// One file of those may hold several answers.
func responsesRecordings(t *testing.T) (all []recording) {
	t.Helper()
	for _, own := range streams.Read(t, "testdata", "responses") {
		all = append(all, recording{own.Name, own.Body})
	}
	root, ok := streams.Recorded(t)
	if !ok {
		return all
	}
	files, err := filepath.Glob(filepath.Join(root, "cassettes", "TestOpenAIResponsesCommon", "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cassettes", err)
	}
	for _, f := range files {
		all = append(all, cassette(t, f)...)
	}
	files, err = filepath.Glob(filepath.Join(root, "chunks", "openai", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no chunks", err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".chunks.txt")
		for i, lines := range answersOf(string(raw)) {
			all = append(all, recording{name + "/" + string(rune('0'+i)), sse(lines...)})
		}
	}
	if len(all) < 50 {
		t.Fatalf("%d recordings", len(all))
	}
	return all
}

// answersOf cuts a file of chunks into answers; one that is no Responses stream, or not JSON, has
// none.
func answersOf(file string) (answers [][]string) {
	for line := range strings.Lines(file) {
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
	calls                  []call
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
			Place int `json:"output_index"`
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
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "response.output_text.delta":
			var delta string
			if err := json.Unmarshal(e.Delta, &delta); err != nil {
				t.Fatal(err)
			}
			streamed[e.Place] += delta
		case "response.output_item.done":
			before := len(p.texts)
			p.takeItem(t, e.Item)
			if text, ok := streamed[e.Place]; ok && len(p.texts) > before {
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
	if err := json.Unmarshal(raw, &it); err != nil {
		t.Fatal(err)
	}
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
		p.calls = append(p.calls, call{id: it.CallID, name: it.Name, args: it.Arguments.(string)})
	}
}

const itemsTag = "openai:items@api.openai.com:"

func (p *plainResponse) compare(t *testing.T, a answer) {
	t.Helper()
	if p.failed != (a.err != nil) {
		t.Fatalf("error %v, want %v", a.err, p.failed)
	}
	if p.failed {
		return
	}
	if want := strings.Join(p.texts, "\n\n"); a.text != want {
		t.Errorf("text %q, want %q", a.text, want)
	}
	if want := strings.Join(p.thoughts, ""); a.reasoning != want {
		t.Errorf("reasoning %q, want %q", a.reasoning, want)
	}
	if len(a.calls) != len(p.calls) {
		t.Fatalf("calls %+v, want %+v", a.calls, p.calls)
	}
	for i, c := range a.calls {
		if w := p.calls[i]; c.id != w.id || c.name != w.name || c.args != w.args || !c.ended {
			t.Errorf("call %d: %+v, want %+v", i, c, w)
		}
	}
	var kept []string
	for _, part := range a.parts {
		if part.Kind == llm.Opaque {
			kept = append(kept, strings.TrimPrefix(part.Opaque, itemsTag))
		}
	}
	if got, want := strings.Join(kept, ","), strings.Join(p.items, ","); got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
	if count(a.usage.Input) != p.input || count(a.usage.Output) != p.output || count(a.usage.CacheRead) != p.cached {
		t.Errorf("usage %d/%d/%d, want %d/%d/%d", count(a.usage.Input), count(a.usage.Output), count(a.usage.CacheRead), p.input, p.output, p.cached)
	}
	want := map[string]llm.Finish{"max_output_tokens": llm.FinishLength, "content_filter": llm.FinishFilter}[p.reason]
	switch {
	case want != "":
	case len(p.calls) > 0:
		want = llm.FinishTools
	case len(p.texts) > 0:
		want = llm.FinishStop
	}
	if a.finish != want && (want != "" || a.finish == llm.FinishTools) {
		t.Errorf("finish %q, want %q", a.finish, want)
	}
}

func responsesModel(body io.Reader) *openai.Model {
	return openai.New(openai.Config{Model: "gpt-5-test", Responses: true, APIKey: "sk-secret-0123456789", HTTPClient: respond(body)})
}

func TestResponsesRecordings(t *testing.T) {
	for _, rec := range responsesRecordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want := readPlainResponse(t, rec.body)
			for _, n := range []int{1, 3, 64, 1000, len(rec.body)} {
				if n == 1 && len(rec.body) > 100_000 {
					continue
				}
				want.compare(t, ask(t, t.Context(), responsesModel(&cutReader{data: []byte(rec.body), n: n}), hello))
			}
		})
	}
}

func TestResponsesRecordingsCutAnywhere(t *testing.T) {
	for _, rec := range responsesRecordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want := readPlainResponse(t, rec.body)
			finished := max(strings.Index(rec.body, `"type":"response.completed"`), strings.Index(rec.body, `"type":"response.incomplete"`))
			if want.failed {
				return // TestResponsesFaults has it
			}
			whole := ask(t, t.Context(), responsesModel(strings.NewReader(rec.body)), hello)
			at := cuts(len(rec.body), finished)
			most := 400
			if raced {
				most = 25
			}
			if len(at) > most {
				at = append(every(at, len(at)/most), finished-1, finished, finished+1, len(rec.body)-1, len(rec.body))
			}
			for _, at := range at {
				end := io.EOF
				if at%2 == 0 {
					end = io.ErrUnexpectedEOF
				}
				a := ask(t, t.Context(), responsesModel(&cutReader{data: []byte(rec.body[:at]), n: at, end: end}), hello)
				if !strings.HasPrefix(whole.text, a.text) || !strings.HasPrefix(whole.reasoning, a.reasoning) || len(a.calls) > len(whole.calls) {
					t.Fatalf("cut at %d: %+v is no beginning of %+v", at, a, whole)
				}
				for i, c := range a.calls {
					if w := whole.calls[i]; c.name != w.name || !strings.HasPrefix(w.args, c.args) || c.ended != (a.err == nil) {
						t.Fatalf("cut at %d: call %+v, want %+v", at, c, w)
					}
				}
				if at <= finished && a.kind() != llm.KindNetwork || a.err != nil && a.kind() != llm.KindNetwork {
					t.Fatalf("cut at %d, before the finish at %d: %v", at, finished, a.err)
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
		if !strings.HasPrefix(rec.name, "parallel-") {
			continue
		}
		seen++
		req := &llm.Request{Messages: hello.Messages, Tools: []llm.ToolDecl{{Name: "cityAttractions"}, {Name: "weather"}}}
		a := ask(t, t.Context(), responsesModel(strings.NewReader(rec.body)), req)
		if len(a.calls) != 2 || a.calls[0].name != "weather" || a.calls[0].args != `{"location":"San Francisco"}` || a.calls[1].name != "cityAttractions" ||
			a.calls[1].args != `{"city":"Rome"}` || !a.calls[1].ended || a.calls[0].id == a.calls[1].id || a.finish != llm.FinishTools {
			t.Errorf("%v %+v", a.err, a.calls)
		}
		req.Tools = append(req.Tools, llm.ToolDecl{Name: "parallel"})
		if a := ask(t, t.Context(), responsesModel(strings.NewReader(rec.body)), req); len(a.calls) != 1 || a.calls[0].id != "call_parallel" {
			t.Errorf("a tool of that name was declared: %v %+v", a.err, a.calls)
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
		want := readPlainResponse(t, rec.body)
		if len(want.items) == 0 || len(want.texts)+len(want.calls) == 0 {
			continue
		}
		seen++
		a := ask(t, t.Context(), responsesModel(strings.NewReader(rec.body)), hello)
		body := sent(t, openai.Config{Model: "gpt-5-test", Responses: true}, &llm.Request{Messages: append(slices.Clone(hello.Messages), a.message())})
		for _, item := range want.items {
			if strings.Count(body, item) != 1 {
				t.Errorf("%s: %s is not in %s", rec.name, item, body)
			}
		}
		if other := sent(t, openai.Config{Model: "gpt-5-test", Responses: true, BaseURL: "https://other/v1"}, &llm.Request{Messages: []llm.Message{a.message()}}); strings.Contains(other, "encrypted_content\":\"") {
			t.Errorf("%s: sent to another host", rec.name)
		}
	}
	if seen < 2 {
		t.Fatalf("%d recordings with encrypted reasoning", seen)
	}
}

// message is the answer as a history has it.
func (a *answer) message() llm.Message {
	m := llm.Message{Role: llm.RoleAssistant}
	at := map[int]int{}
	for _, p := range a.parts {
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
