package gemini_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/test/streams"
)

// recording is one recorded stream.
type recording struct{ name, body string }

// recordings returns generateContent streams: our own, and recorded ones where there are some.
func recordings(t *testing.T) (all []recording) {
	t.Helper()
	for _, own := range streams.Read(t, "testdata", "streams") {
		all = append(all, recording{own.Name, own.Body})
	}
	root, ok := streams.Recorded(t)
	if !ok {
		return all
	}
	for _, f := range glob(t, filepath.Join(root, "cassettes", "TestGoogleCommon", "*gemini*", "*.yaml")) {
		all = append(all, cassette(t, f)...)
	}
	for _, f := range glob(t, filepath.Join(root, "chunks", "google", "*.txt")) {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(raw), `{"candidates"`) {
			continue // of another of Google's APIs
		}
		all = append(all, recording{strings.TrimSuffix(filepath.Base(f), ".chunks.txt"), sse(strings.Split(strings.TrimSpace(string(raw)), "\n")...)})
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
	calls           []call   // without the ids that were made up
	finish          string
	failed          bool
	usage           plainUsage
}

type plainUsage struct {
	Prompt     int64 `json:"promptTokenCount"`
	Candidates int64 `json:"candidatesTokenCount"`
	Thoughts   int64 `json:"thoughtsTokenCount"`
	Cached     int64 `json:"cachedContentTokenCount"`
	Total      int64 `json:"totalTokenCount"`
}

type plainChunk struct {
	Candidates []struct {
		Content struct {
			Parts []struct {
				Text      string
				Thought   bool
				Signature string `json:"thoughtSignature"`
				Call      *struct {
					ID, Name string
					Args     json.RawMessage
					Partial  []struct {
						Path   string          `json:"jsonPath"`
						String *string         `json:"stringValue"`
						Number json.RawMessage `json:"numberValue"`
					} `json:"partialArgs"`
				} `json:"functionCall"`
			}
		}
		Finish string `json:"finishReason"`
	}
	Usage *plainUsage `json:"usageMetadata"`
	Error json.RawMessage
}

func readPlain(t *testing.T, body string) (p plain) {
	t.Helper()
	pieces := map[int][]string{} // of each call: its paths and values
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if !ok {
			continue
		}
		var c plainChunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatal(err)
		}
		if c.Error != nil {
			p.failed = true
			break
		}
		if c.Usage != nil && c.Usage.Total > 0 {
			p.usage = *c.Usage
		}
		for _, part := range c.Candidates[0].Content.Parts {
			of := "text:"
			switch {
			case part.Call != nil:
				of = ""
				if part.Call.Name != "" {
					p.calls = append(p.calls, call{id: part.Call.ID, name: part.Call.Name, args: string(part.Call.Args), ended: true})
				}
				n := len(p.calls) - 1
				for _, piece := range part.Call.Partial {
					value := string(piece.Number)
					if piece.String != nil {
						value = *piece.String
					}
					pieces[n] = append(pieces[n], piece.Path, value)
				}
			case part.Thought:
				of = "thought:"
				p.reasoning += part.Text
			default:
				p.text += part.Text
			}
			if part.Signature != "" {
				p.signatures = append(p.signatures, "gemini:"+of+part.Signature)
			}
		}
		p.finish += c.Candidates[0].Finish
	}
	for i := range p.calls {
		if p.calls[i].args == "" {
			p.calls[i].args = assemble(t, pieces[i])
		}
	}
	return p
}

// assemble puts pieces together by another way than the adapter's: through any and encoding/json.
func assemble(t *testing.T, pieces []string) string {
	t.Helper()
	var root any = map[string]any{}
	for i := 0; i < len(pieces); i += 2 {
		path := strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(strings.TrimPrefix(pieces[i], "$.")), ".")
		root = put(root, path, pieces[i+1])
	}
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func put(into any, path []string, value string) any {
	if len(path) == 0 {
		if n, err := strconv.ParseFloat(value, 64); err == nil && strings.Contains(value, ".") {
			return n
		}
		old, _ := into.(string)
		return old + value
	}
	if i, err := strconv.Atoi(path[0]); err == nil {
		list, _ := into.([]any)
		for len(list) <= i {
			list = append(list, nil)
		}
		list[i] = put(list[i], path[1:], value)
		return list
	}
	object, ok := into.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object[path[0]] = put(object[path[0]], path[1:], value)
	return object
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
	ids := map[string]bool{}
	for i, c := range a.calls {
		w := p.calls[i]
		if (w.id != "" && c.id != w.id) || (w.id == "" && !strings.HasPrefix(c.id, "gemini_")) || ids[c.id] {
			t.Errorf("call %d: id %q, want %q or one of our own", i, c.id, w.id)
		}
		ids[c.id] = true
		if c.name != w.name || !sameValue(c.args, w.args) || !c.ended {
			t.Errorf("call %d: %+v, want %+v", i, c, w)
		}
	}
	if p.failed {
		return
	}
	want := map[string]llm.Finish{"STOP": llm.FinishStop, "MAX_TOKENS": llm.FinishLength, "SAFETY": llm.FinishFilter}[p.finish]
	if len(p.calls) > 0 && want == llm.FinishStop {
		want = llm.FinishTools
	}
	if a.finish != want {
		t.Errorf("finish %q, want %q", a.finish, want)
	}
	u := p.usage
	if count(a.usage.Input) != u.Prompt || count(a.usage.Output) != u.Total-u.Prompt || max(0, count(a.usage.Reasoning)) != u.Thoughts || max(0, count(a.usage.CacheRead)) != u.Cached {
		t.Errorf("usage %d/%d/%d/%d, want %+v", count(a.usage.Input), count(a.usage.Output), count(a.usage.Reasoning), count(a.usage.CacheRead), u)
	}
}

func sameValue(a, b string) bool {
	var x, y any
	return a == b || (json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y))
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
	if thoughts < 2 || tools < 5 {
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
	return ask(t, t.Context(), gemini.New(gemini.Config{BaseURL: server.URL, Model: "gemini-test"}), hello)
}

// Cut anywhere, a stream gives what came before the cut and then an error, unless the provider had
// finished; and no call ends that was not written to its end.
func TestRecordingsCutAnywhere(t *testing.T) {
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want := readPlain(t, rec.body)
			finished := strings.Index(rec.body, `"finishReason"`)
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
		if c.name != w.name || (c.args != "" && !sameValue(c.args, w.args)) || (c.ended && c.args == "") {
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
