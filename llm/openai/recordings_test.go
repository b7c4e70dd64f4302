package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/streams"
)

// recording is one recorded stream.
type recording struct{ name, body string }

// recordings returns Chat Completions streams: our own, and those of many servers where they were
// recorded.
func recordings(t *testing.T) (all []recording) {
	t.Helper()
	for _, own := range streams.Read(t, "testdata", "chat") {
		all = append(all, recording{own.Name, own.Body})
	}
	root, ok := streams.Recorded(t)
	if !ok {
		return all
	}
	for _, pattern := range []string{"TestOpenAICommon", "TestOpenAICompatibleCommon"} {
		files, err := filepath.Glob(filepath.Join(root, "cassettes", pattern, "*", "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no cassettes in %s: %v", pattern, err)
		}
		for _, f := range files {
			all = append(all, cassette(t, f)...)
		}
	}
	chunks, err := os.ReadFile(filepath.Join(root, "chunks", "openai", "azure-model-router.1.chunks.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return append(all, recording{"azure", sse(strings.Split(strings.TrimSpace(string(chunks)), "\n")...) + "data: [DONE]\n\n"})
}

func cassette(t *testing.T, file string) (found []recording) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Interactions []struct {
			Response struct{ Body string }
		}
	}
	if err := yaml.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".yaml")
	seen := map[string]bool{}
	for i, in := range c.Interactions {
		if body := in.Response.Body; strings.Contains(body, "data:") && !seen[body] {
			seen[body] = true
			found = append(found, recording{dir + "/" + string(rune('0'+i)), body})
		}
	}
	return found
}

// plain is what a recording says, read the simplest way.
type plain struct {
	text, reasoning       string
	calls                 []call
	finish                string
	failed                bool
	input, output, cached int64
}

func readPlain(t *testing.T, body string) (p plain) {
	t.Helper()
	p.input, p.output, p.cached = -1, -1, -1
	byIndex := map[int]int{}
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if !ok || strings.TrimSpace(data) == "[DONE]" {
			continue
		}
		var c struct {
			Choices []struct {
				FinishReason string `json:"finish_reason"`
				Delta        struct {
					Content   string
					Reasoning string
					Thought   string `json:"reasoning_content"`
					ToolCalls []struct {
						Index    int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
			}
			Error json.RawMessage
			Usage *struct {
				In      int64 `json:"prompt_tokens"`
				Out     int64 `json:"completion_tokens"`
				Total   int64 `json:"total_tokens"`
				Details struct {
					Cached *int64 `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
			}
		}
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatal(err)
		}
		p.failed = p.failed || c.Error != nil
		for _, ch := range c.Choices {
			p.text += ch.Delta.Content
			p.reasoning += ch.Delta.Reasoning + ch.Delta.Thought
			if ch.FinishReason != "" {
				p.finish = ch.FinishReason
			}
			for _, tc := range ch.Delta.ToolCalls {
				if _, ok := byIndex[tc.Index]; !ok {
					byIndex[tc.Index] = len(p.calls)
					p.calls = append(p.calls, call{id: tc.ID, name: tc.Function.Name})
				}
				p.calls[byIndex[tc.Index]].args += tc.Function.Arguments
			}
		}
		if u := c.Usage; u != nil {
			p.input, p.output = u.In, u.Total-u.In // the total is what every server agrees on
			if u.Details.Cached != nil {
				p.cached = *u.Details.Cached
			}
		}
	}
	return p
}

func (p *plain) compare(t *testing.T, a answer) {
	t.Helper()
	if p.failed != (a.err != nil) {
		t.Fatalf("error %v, want %v", a.err, p.failed)
	}
	if a.text != p.text || a.reasoning != p.reasoning {
		t.Errorf("text %q, reasoning %q; want %q, %q", a.text, a.reasoning, p.text, p.reasoning)
	}
	if len(a.calls) != len(p.calls) {
		t.Fatalf("calls %+v, want %+v", a.calls, p.calls)
	}
	for i, c := range a.calls {
		if w := p.calls[i]; c.id != w.id || c.name != w.name || c.args != w.args || !c.ended {
			t.Errorf("call %d: %+v, want %+v", i, c, w)
		}
	}
	if p.failed {
		return
	}
	want := map[string]llm.Finish{"stop": llm.FinishStop, "tool_calls": llm.FinishTools, "length": llm.FinishLength, "content_filter": llm.FinishFilter}[p.finish]
	if a.finish != want {
		t.Errorf("finish %q, want %q", a.finish, want)
	}
	if count(a.usage.Input) != p.input || count(a.usage.Output) != p.output || count(a.usage.CacheRead) != p.cached {
		t.Errorf("usage %d/%d/%d, want %d/%d/%d", count(a.usage.Input), count(a.usage.Output), count(a.usage.CacheRead), p.input, p.output, p.cached)
	}
}

func TestRecordings(t *testing.T) {
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want := readPlain(t, rec.body)
			if want.text == "" && len(want.calls) == 0 {
				t.Fatal("the recording says nothing")
			}
			for _, n := range []int{1, 2, 3, 64, 1000, len(rec.body)} {
				a := ask(t, t.Context(), model(respond(&cutReader{data: []byte(rec.body), n: n})), hello)
				want.compare(t, a)
			}
			for _, n := range []int{97, 1500, len(rec.body)} {
				want.compare(t, overHTTP(t, rec.body, n))
			}
		})
	}
}

// overHTTP plays a body through a real server that flushes every n bytes.
func overHTTP(t *testing.T, body string, n int) answer {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for rest := body; rest != ""; {
			piece := rest[:min(n, len(rest))]
			rest = rest[len(piece):]
			_, _ = io.WriteString(w, piece)
			w.(http.Flusher).Flush()
		}
	}))
	defer server.Close()
	return ask(t, t.Context(), openai.New(openai.Config{BaseURL: server.URL, Model: "test"}), hello)
}

// Cut anywhere, a stream gives what came before the cut and then an error, unless the provider had
// finished; and no call ends that was not written to its end.
func TestRecordingsCutAnywhere(t *testing.T) {
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want := readPlain(t, rec.body)
			finished := strings.Index(rec.body, `"finish_reason":"`)
			if finished < 0 {
				finished = strings.Index(rec.body, `"finish_reason": "`)
			}
			if want.failed {
				return // TestStreamFaults has it
			}
			for _, at := range cuts(len(rec.body), finished) {
				end := io.EOF
				if at%2 == 0 {
					end = io.ErrUnexpectedEOF // as net/http says of a chunked body cut off
				}
				a := ask(t, t.Context(), model(respond(&cutReader{data: []byte(rec.body[:at]), n: at, end: end})), hello)
				checkCut(t, at, finished, want, a)
			}
		})
	}
}

// raced is set under the race detector, which makes parsing twenty times slower.
var raced bool

// cuts returns every place of a short body, and of a long one some, and every one around its
// finish.
func cuts(n, finish int) (at []int) {
	budget := 16 << 20
	if raced {
		budget /= 16
	}
	stride := 1 + n*n/budget
	for i := range n + 1 {
		if i%stride == 0 || (i > finish-60 && i < finish+60) {
			at = append(at, i)
		}
	}
	return at
}

func checkCut(t *testing.T, at, finished int, want plain, a answer) {
	t.Helper()
	if !strings.HasPrefix(want.text, a.text) || !strings.HasPrefix(want.reasoning, a.reasoning) || len(a.calls) > len(want.calls) {
		t.Fatalf("cut at %d: %+v is no beginning of %+v", at, a, want)
	}
	for i, c := range a.calls {
		w := want.calls[i]
		if c.name != w.name || !strings.HasPrefix(w.args, c.args) || (c.ended && c.args != w.args) {
			t.Fatalf("cut at %d: call %+v, want %+v", at, c, w)
		}
	}
	switch {
	case at <= finished && a.kind() != llm.KindNetwork:
		t.Fatalf("cut at %d, before the finish at %d: %v", at, finished, a.err)
	case a.err != nil && a.kind() != llm.KindNetwork:
		t.Fatalf("cut at %d: %v", at, a.err)
	case a.err == nil && (a.text != want.text || len(a.calls) != len(want.calls)):
		t.Fatalf("cut at %d: finished with %+v", at, a)
	}
}
