package anthropic_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/test/streams"
)

// recording is one recorded stream.
type recording struct{ name, body string }

// recordings returns Messages streams: our own, and recorded ones where there are some.
func recordings(t *testing.T) (all []recording) {
	t.Helper()
	for _, own := range streams.Read(t, "testdata", "streams") {
		all = append(all, recording{own.Name, own.Body})
	}
	root, ok := streams.Recorded(t)
	if !ok {
		return all
	}
	for _, pattern := range []string{"TestAnthropicCommon/*", "TestGoogleCommon/*claude*"} {
		for _, f := range glob(t, filepath.Join(root, "cassettes", pattern, "*.yaml")) {
			all = append(all, cassette(t, f)...)
		}
	}
	for _, f := range glob(t, filepath.Join(root, "chunks", "anthropic", "*.txt")) {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, lines := range answers(strings.Split(strings.TrimSpace(string(raw)), "\n")) {
			all = append(all, recording{fmt.Sprintf("%s/%d", strings.TrimSuffix(filepath.Base(f), ".chunks.txt"), i), sse(lines...)})
		}
	}
	return all
}

// answers splits the chunks of a file, some of which hold the answers of several steps. The
// recorder left out some ends.
func answers(lines []string) (all [][]string) {
	over := true
	for _, line := range lines {
		if over && strings.Contains(line, `"type":"message_start"`) {
			all = append(all, nil)
			over = false
		}
		if strings.Contains(line, `"type":"message_delta"`) || line == stopped {
			over = true
		}
		all[len(all)-1] = append(all[len(all)-1], line)
	}
	for i, a := range all {
		if a[len(a)-1] != stopped {
			all[i] = append(a, stopped)
		}
	}
	return all
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings at %s: %v", pattern, err)
	}
	return files
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
	for i, in := range c.Interactions {
		if body := in.Response.Body; strings.Contains(body, "data:") {
			found = append(found, recording{dir + "/" + string(rune('0'+i)), body})
		}
	}
	return found
}

// plain is what a recording says, read the simplest way.
type plain struct {
	text, reasoning string
	signatures      []string // as they go back, in order
	calls           []call
	finish          string
	failed          bool
	usage           map[string]int64
}

type plainBlock struct {
	Type, Text, Thinking, Signature, Data, ID, Name string
	Input                                           json.RawMessage
}

type plainEvent struct {
	Type    string
	Index   int
	Message struct {
		Content []plainBlock
		Stop    string `json:"stop_reason"`
		Usage   map[string]any
	}
	Block plainBlock `json:"content_block"`
	Delta struct {
		Type, Text, Thinking, Signature string
		Partial                         string `json:"partial_json"`
		Stop                            string `json:"stop_reason"`
	}
	Usage map[string]any
}

func readPlain(t *testing.T, body string) (p plain) {
	t.Helper()
	p.usage = map[string]int64{}
	kinds, calls, signatures := map[int]string{}, map[int]int{}, map[int]string{}
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if !ok {
			continue
		}
		var e plainEvent
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		for _, usage := range []map[string]any{e.Message.Usage, e.Usage} {
			for name, n := range usage {
				if n, ok := n.(float64); ok {
					p.usage[name] = int64(n)
				}
			}
		}
		switch e.Type {
		case "message_start":
			clear(kinds)
			p.finish = e.Message.Stop
			for _, b := range e.Message.Content {
				p.calls = append(p.calls, call{id: b.ID, name: b.Name, args: string(b.Input), ended: true})
			}
		case "content_block_start":
			kinds[e.Index] = e.Block.Type
			signatures[e.Index] = e.Block.Signature
			switch e.Block.Type {
			case "text":
				p.text += e.Block.Text
			case "tool_use":
				calls[e.Index] = len(p.calls)
				p.calls = append(p.calls, call{id: e.Block.ID, name: e.Block.Name})
				if len(e.Block.Input) > len("{}") {
					p.calls[calls[e.Index]].args = string(e.Block.Input)
				}
			case "redacted_thinking":
				p.signatures = append(p.signatures, "anthropic:redacted:"+e.Block.Data)
			}
		case "content_block_delta":
			p.reasoning += e.Delta.Thinking
			signatures[e.Index] += e.Delta.Signature
			if kinds[e.Index] == "text" {
				p.text += e.Delta.Text
			}
			if kinds[e.Index] == "tool_use" {
				p.calls[calls[e.Index]].args += e.Delta.Partial
			}
		case "content_block_stop":
			if kinds[e.Index] == "thinking" && signatures[e.Index] != "" {
				p.signatures = append(p.signatures, "anthropic:thinking:"+signatures[e.Index])
			}
			if kinds[e.Index] == "tool_use" {
				c := &p.calls[calls[e.Index]]
				c.ended = true
				if c.args == "" {
					c.args = "{}"
				}
			}
		case "message_delta":
			p.finish = e.Delta.Stop
		case "error":
			p.failed = true
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
	if got := a.opaques(); strings.Join(got, "\n") != strings.Join(p.signatures, "\n") {
		t.Errorf("signatures %q, want %q", got, p.signatures)
	}
	if len(a.calls) != len(p.calls) {
		t.Fatalf("calls %+v, want %+v", a.calls, p.calls)
	}
	for i, c := range a.calls {
		if w := p.calls[i]; c.id != w.id || c.name != w.name || c.args != w.args || c.ended != w.ended {
			t.Errorf("call %d: %+v, want %+v", i, c, w)
		}
	}
	if p.failed {
		return
	}
	want := map[string]llm.Finish{"end_turn": llm.FinishStop, "tool_use": llm.FinishTools, "max_tokens": llm.FinishLength, "refusal": llm.FinishFilter}[p.finish]
	if a.finish != want {
		t.Errorf("finish %q, want %q", a.finish, want)
	}
	read, written := p.usage["cache_read_input_tokens"], p.usage["cache_creation_input_tokens"]
	if got := count(a.usage.Input); got != p.usage["input_tokens"]+read+written {
		t.Errorf("input %d of %v", got, p.usage)
	}
	if count(a.usage.Output) != p.usage["output_tokens"] || max(0, count(a.usage.CacheRead)) != read || max(0, count(a.usage.CacheWrite)) != written {
		t.Errorf("output %d, read %d, written %d of %v", count(a.usage.Output), count(a.usage.CacheRead), count(a.usage.CacheWrite), p.usage)
	}
}

// opaques are the opaque values in the order they came.
func (a *answer) opaques() (list []string) {
	for _, p := range a.parts {
		if p.Kind == llm.Opaque {
			list = append(list, p.Opaque)
		}
	}
	return list
}

func TestRecordings(t *testing.T) {
	thoughts, tools := 0, 0
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want := readPlain(t, rec.body)
			thoughts += len(want.signatures)
			tools += len(want.calls)
			if want.text == "" && len(want.calls) == 0 && want.finish != "refusal" && !strings.Contains(rec.body, "server_tool_use") {
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
	if thoughts < 4 || tools < 5 {
		t.Errorf("%d signatures and %d calls in all recordings: too few to prove anything", thoughts, tools)
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
	return ask(t, t.Context(), anthropic.New(anthropic.Config{BaseURL: server.URL, Model: "claude-test"}), hello)
}

// Cut anywhere, a stream gives what came before the cut and then an error, unless the provider had
// finished; and no call ends that was not written to its end.
func TestRecordingsCutAnywhere(t *testing.T) {
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want := readPlain(t, rec.body)
			finished := max(strings.LastIndex(rec.body, `"message_delta"`), strings.LastIndex(rec.body, `"stop_reason":"tool_use"`))
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
		if i%stride == 0 || (i > finish-60 && i < finish+300) {
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
	for i, opaque := range a.opaques() {
		if want.signatures[i] != opaque {
			t.Fatalf("cut at %d: half a signature %q", at, opaque)
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
