package llmtest

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

// Vendor describes a provider's package to the suites: how to make a model, and how the provider
// frames an answer.
type Vendor struct {
	New func(Setup) llm.Model
	Key string // the models' credential, which must not appear in errors

	Said     string                  // frames that begin an answer with the text "a"
	More     string                  // frames with another "a"
	Finished string                  // frames with which the model stops, before the stream ends
	Called   string                  // an answer that calls f, with the id call_1
	Over     string                  // frames that end an answer
	Frame    func(doc string) string // frames a document; nil: as Server-Sent Events
	Binary   bool                    // no Server-Sent Events: no comments, lines, blanks

	Recorded func(*testing.T) []Recording          // streams, see Recordings
	Read     func(t *testing.T, body string) Plain // reads one
	Waits    Waits                                 // see Timeouts
}

// Setup configures a model for a suite. Zero fields mean the package's defaults.
type Setup struct {
	URL    string // of the server, without a path
	Client *http.Client
	Limits httpmodel.Limits
	With   map[string]string // what a request of Requests says of its model, such as model NAME
}

// Model returns a model whose calls all go to client.
func (v *Vendor) Model(client *http.Client) llm.Model { return v.New(Setup{Client: client}) }

// Play returns the answer a model reads from body, an event stream.
func (v *Vendor) Play(t testing.TB, body io.Reader) Answer {
	t.Helper()
	return v.player()(t, body)
}

// player is Play with one model for all: that of Amazon takes milliseconds to make.
func (v *Vendor) player() func(testing.TB, io.Reader) Answer {
	var body io.Reader
	respond := func(r *http.Request) (*http.Response, error) { return Respond(http.StatusOK, EventStream, body)(r) }
	m := v.Model(&http.Client{Transport: Transport(respond)})
	return func(t testing.TB, stream io.Reader) Answer {
		t.Helper()
		body = stream
		return Ask(t, t.Context(), m, Hello)
	}
}

// served returns a model that talks to handler over an in-memory network.
func (v *Vendor) served(t *testing.T, handler http.HandlerFunc) llm.Model {
	_, client := Serve(t, handler)
	return v.New(Setup{URL: "http://model", Client: client})
}

// Sent returns the body of req as sent by a model made with create. answer is the provider's
// response.
func Sent(t testing.TB, create func(*http.Client) llm.Model, answer string, req *llm.Request) string {
	t.Helper()
	var sent []string
	client := Recorder(&sent, func(string) (int, string) { return http.StatusOK, answer })
	if a := Ask(t, t.Context(), create(client), req); a.Err != nil {
		t.Fatal(a.Err)
	}
	if len(sent) != 1 || !json.Valid([]byte(sent[0])) {
		t.Fatalf("not one document of JSON: %s", sent)
	}
	return sent[0]
}

// Asked returns the request that a model makes.
func Asked(t *testing.T, create func(*http.Client) llm.Model, answer string) (got *http.Request) {
	t.Helper()
	m := create(&http.Client{Transport: Transport(func(r *http.Request) (*http.Response, error) {
		got = r
		return Respond(http.StatusOK, EventStream, strings.NewReader(answer))(r)
	})})
	if a := Ask(t, t.Context(), m, Hello); a.Err != nil {
		t.Fatal(a.Err)
	}
	return got
}

// HasHeaders checks the headers of a request; one that is not to be there is "".
func HasHeaders(t *testing.T, r *http.Request, want map[string]string) {
	t.Helper()
	for name, value := range want {
		must.Be(t, r.Header.Get(name), value, "%s of %s", name, r.URL)
	}
}

// Name is a model's name, one variable of the environment (KEY=value), and what becomes of them:
// the address of the calls and the key, or an error.
type Name = struct{ Name, Env, Want string }

// Resolves checks what names become. resolve returns the model, and its address and key.
func Resolves(t *testing.T, names []Name, resolve func(name string, env func(string) string) (llm.Model, string, error)) {
	for _, tc := range names {
		key, value, _ := strings.Cut(tc.Env, "=")
		m, got, err := resolve(tc.Name, func(k string) string { return map[string]string{key: value}[k] })
		if err != nil {
			got = err.Error()
		}
		if err != nil && m != nil {
			t.Errorf("%s with %s: an error and a model", tc.Name, tc.Env)
		} else if err == nil && m.Info().Name() != tc.Name {
			t.Errorf("%s with %s is %s", tc.Name, tc.Env, m.Info().Name())
		}
		must.Be(t, got, tc.Want, "%s with %s", tc.Name, tc.Env)
	}
}

// Schemas checks what becomes of the schemas in the txtar files of testdata/schemas, each of which
// is a section: the last line, behind a line of what else cut is told.
func Schemas(t *testing.T, cut func(told, schema string) string) {
	talk.In(t, filepath.Join("testdata", "schemas"), func(t *testing.T, file *talk.File) {
		file.Cases(t, func(t *testing.T, lines []string) []string {
			told, schema, ok := strings.Cut(strings.TrimSpace(strings.Join(lines, "")), "\n")
			if !ok {
				told, schema = "", told
			}
			got := cut(told, schema)
			must.Be(t, cut(told, schema), got, "the second time, from memory")
			return []string{cmp.Or(got, "nothing")}
		})
	})
}

// FuzzStream checks that no bytes, split in any way, break the rules of a stream, using Ask.
func (v *Vendor) FuzzStream(t *testing.T, body []byte, n uint8) Answer {
	cut := Ask(t, t.Context(), v.Model(RespondWith(http.StatusOK, nil, &CutReader{Data: body, N: int(n) + 1})), Hello)
	whole := Ask(t, t.Context(), v.Model(RespondWith(http.StatusOK, nil, &CutReader{Data: body, N: len(body) + 1})), Hello)
	if cut.Text != whole.Text || cut.Reasoning != whole.Reasoning || len(cut.Calls) != len(whole.Calls) || cut.Finish != whole.Finish || cut.Kind() != whole.Kind() {
		t.Fatalf("cut: %+v; whole: %+v", cut, whole)
	}
	return cut
}

// FuzzRequest checks that whatever a history holds becomes a request that is JSON. sent returns it
// as Sent does; opaques are values of the provider's own.
func FuzzRequest(f *testing.F, sent func(testing.TB, *llm.Request) string, opaques ...string) {
	for _, opaque := range append(opaques, "") {
		f.Add("text", "thought", opaque, "id", `{"a":1}`, "image/png", uint8(3))
		f.Add("", "\xff", opaque, "", `{"a":`, "text/plain", uint8(200))
	}
	f.Fuzz(func(t *testing.T, text, thought, opaque, id, args, mime string, kinds uint8) {
		thinks := llm.Reasoning{Text: thought, Opaque: opaque}
		all := []llm.Message{
			Say(llm.RoleUser, llm.Text{Text: text}, llm.Media{Kind: "document", MimeType: mime, Data: text}, llm.Media{Kind: "image", MimeType: thought, URL: id}),
			Say(llm.RoleAssistant, thinks, llm.Text{Text: text}, llm.ToolCall{ID: id, Name: "f", Args: args, Opaque: opaque}),
			Say(llm.RoleTool, llm.ToolResult{ID: id, Content: llm.Text{Text: text}, IsError: true}),
			Say(llm.RoleAssistant, thinks, llm.Text{Text: text}),
		}
		req := &llm.Request{System: []llm.Block{{Text: text, Cache: true}, {Text: thought, Cache: true}}, Effort: text}
		for i, m := range all {
			if kinds&(1<<i) == 0 {
				req.Messages = append(req.Messages, m)
			}
		}
		sent(t, req)
	})
}

// BenchToken measures one token, from the response's bytes to the part; 16 tokens arrive per read.
func (v *Vendor) BenchToken(b *testing.B, begin, frame string) {
	tokens := io.LimitReader(&bounded{Endless(frame), 16 * len(frame)}, int64(b.N*len(frame)))
	body := io.MultiReader(strings.NewReader(begin), tokens, strings.NewReader(v.Over))
	m := v.New(Setup{Client: Streaming(body), Limits: httpmodel.Limits{MaxStep: 1 << 40, MaxBody: 1 << 50}})
	b.ReportAllocs()
	b.ResetTimer()
	n := 0
	for part, err := range m.Stream(b.Context(), Hello) {
		if err != nil {
			b.Fatal(err)
		}
		if part.Delta != "" {
			n++
		}
	}
	if n != b.N {
		b.Fatalf("%d deltas, want %d", n, b.N)
	}
}

// BenchRequest measures a history of 200 messages of 2 KB that are already JSON strings.
func (v *Vendor) BenchRequest(b *testing.B) {
	req := &llm.Request{}
	quoted := []byte(`"` + strings.Repeat(`a line of text\n`, 128) + `"`)
	for i := range 200 {
		role := []string{llm.RoleUser, llm.RoleAssistant}[i%2]
		req.Messages = append(req.Messages, Say(role, llm.Text{Quoted: quoted}))
	}
	b.ReportAllocs()
	for b.Loop() {
		m := v.Model(Streaming(strings.NewReader(v.Said + v.Over)))
		for _, err := range m.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
