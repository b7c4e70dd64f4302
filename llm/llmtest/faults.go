package llmtest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/test/must"
)

// The rows of the tables are anonymous structs, so that other packages need no field names in a
// row.

// Fault is a broken stream and the expected result.
type Fault = struct {
	Body string
	Kind llm.ErrorKind // "" if the answer is complete anyway
	Text string
}

// Faults checks streams that are broken in ways common to all providers, and the package's own.
func (v *Vendor) Faults(t *testing.T, own map[string]Fault) {
	all := map[string]Fault{
		"nothing":                 {"", llm.KindNetwork, ""},
		"comments alone":          {": hi\n\n: hi\n\n", llm.KindNetwork, ""},
		"cut after text":          {v.Said, llm.KindNetwork, "a"},
		"not JSON":                {v.Said + SSE("nope"), llm.KindProtocol, "a"},
		"JSON of another kind":    {SSE(`[1,2]`), llm.KindProtocol, ""},
		"deep":                    {SSE(strings.Repeat("[", 20000)), llm.KindProtocol, ""},
		"bytes":                   {SSE("\x00\xff\xfe{"), llm.KindProtocol, ""},
		"data without a document": {"data:\n\ndata: \n\n" + v.Said + v.Over, "", "a"},
	}
	if v.Binary {
		all = map[string]Fault{"nothing": all["nothing"], "cut after text": all["cut after text"]}
	}
	maps.Copy(all, own)
	for name, tc := range all {
		t.Run(name, func(t *testing.T) {
			a := v.Play(t, strings.NewReader(tc.Body))
			if a.Kind() != tc.Kind || a.Text != tc.Text {
				t.Fatalf("got %q, %+v; want %q", a.Text, a.Err, tc.Kind)
			}
			if strings.Contains(fmt.Sprintf("%+v", a.Err), "nginx") {
				t.Errorf("the body is in the error: %+v", a.Err)
			}
			for _, c := range a.Calls {
				if a.Err != nil && c.Ended {
					t.Errorf("a call ended before the error: %+v", c)
				}
			}
			if tc.Kind == llm.KindOverloaded && !a.Err.Retryable() {
				t.Errorf("not to be tried again: %v", a.Err)
			}
		})
	}
}

// StatusError is a response other than 200 and the expected error.
type StatusError = struct {
	Status  int
	Body    string
	Kind    llm.ErrorKind
	Message string
	After   time.Duration
}

// StatusErrors checks the errors of responses, common ones and the package's own, and that they
// contain neither key nor body.
func (v *Vendor) StatusErrors(t *testing.T, own []StatusError) {
	all := append([]StatusError{
		{302, ``, llm.KindBadRequest, "the provider's address answered with status 302 instead of an answer", 0},
		{401, v.Key, llm.KindAuth, "the provider refused the API key", 0},
		{413, ``, llm.KindContextFull, "the conversation is longer than the model can take", 0},
		{500, `<html>oops</html>`, llm.KindOverloaded, "the provider is overloaded or failing, status 500", 0},
		{503, `<html>oops</html>`, llm.KindOverloaded, "the provider is overloaded or failing, status 503", 0},
	}, own...)
	for _, tc := range all {
		header := http.Header{"Content-Type": {"application/json"}, "Location": {"https://elsewhere/"}}
		m := v.Model(RespondWith(tc.Status, header, strings.NewReader(tc.Body)))
		a := Ask(t, t.Context(), m, Hello)
		if a.Kind() != tc.Kind || a.Err.Message != tc.Message || a.Err.Status != tc.Status || a.Err.Model != m.Info().Name() || a.Err.RetryAfter != tc.After {
			t.Errorf("%d %s: %+v, want %q", tc.Status, tc.Body, a.Err, tc.Message)
		}
		if all := fmt.Sprintf("%v %v %+v", a.Err, a.Err.Err, a.Err); strings.Contains(all, v.Key) || strings.Contains(all, "0123456789") || strings.Contains(all, "<html>") {
			t.Errorf("%d: the error holds the key or the body: %s", tc.Status, all)
		}
	}
}

// Body is a body in place of an event stream.
type Body = struct {
	Header http.Header
	Text   string
}

// NotAStream checks bodies that are no answer: common ones and the package's own.
func (v *Vendor) NotAStream(t *testing.T, own map[string]Body) {
	all := map[string]Body{
		"web page":         {http.Header{"Content-Type": {"text/html"}}, "\n<!doctype html><title>Welcome to nginx!</title>"},
		"untyped web page": {nil, "<html></html>"},
		"JSON error page":  {JSONBody, `{"status":"ok"}`},
		"JSON list":        {JSONBody, `[]`},
		"compressed":       {http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}}, "\x1f\x8b"},
	}
	maps.Copy(all, own)
	for name, tc := range all {
		a := Ask(t, t.Context(), v.Model(RespondWith(http.StatusOK, tc.Header, strings.NewReader(tc.Text))), Hello)
		must.Be(t, a.Kind(), llm.KindProtocol, "%s: %+v", name, a.Err)
		if a.Err != nil && strings.Contains(fmt.Sprintf("%+v", a.Err), "nginx") {
			t.Errorf("%s: the body is in the error: %+v", name, a.Err)
		}
	}
}

// Flood is an endless body. It is an event stream unless Header says otherwise.
type Flood = struct {
	Header http.Header
	Begin  string // precedes it
	Body   io.Reader
	Why    string // the message of the error that stops it
}

// Why a flood is stopped: by MaxStep, by MaxCalls, by the number of blocks, or by MaxLine or
// MaxBody.
const (
	TooLong      = "the answer is longer than allowed"
	TooManyCalls = "the answer calls more tools than allowed"
	TooManyParts = "the answer has more parts than allowed"
	TooMuch      = "the provider sent more than allowed"
)

// Floods checks that endless bodies are stopped at the limits, with little memory.
func (v *Vendor) Floods(t *testing.T, own map[string]Flood) {
	all := map[string]Flood{
		"one line":  {nil, "", Endless("data: x"), TooMuch},
		"one frame": {nil, "", Endless("data: xxxxxxxxxxxxxxxxx\n"), TooMuch},
		"comments":  {nil, "", Endless(": hi\n\n"), TooMuch},
		"JSON":      {JSONBody, "", Endless(`{"a":`), TooMuch},
		"blanks":    {JSONBody, "", Endless(" "), TooMuch},
	}
	maps.Copy(all, own)
	for name, tc := range all {
		if tc.Header == nil {
			tc.Header = EventStream
		}
		// slow reading is no reason to give up on the provider
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { v.flood(t, &tc) }) })
	}
	long := Ask(t, t.Context(), v.Model(RespondWith(http.StatusInternalServerError, nil, Endless("x"))), Hello)
	must.Be(t, long.Kind(), llm.KindOverloaded, "an endless error: %+v", long.Err)
	t.Run("to the byte", v.toTheByte)
}

// toTheByte checks how much is read at most: of an answer, of its stream, of an error, and of what
// follows an answer.
func (v *Vendor) toTheByte(t *testing.T) {
	ask := func(status int, begin string, endless io.Reader, limits httpmodel.Limits) (Answer, int) {
		body := &counter{r: &bounded{endless, 100}}
		client := RespondWith(status, EventStream, io.MultiReader(strings.NewReader(begin), body))
		return Ask(t, t.Context(), v.New(Setup{Client: client, Limits: limits}), Hello), body.n
	}
	comments := func() io.Reader { return Endless(": hi\n\n") }
	a, _ := ask(http.StatusOK, v.Said, Endless(v.More), httpmodel.Limits{MaxStep: 1000, MaxBody: 1 << 20})
	if len(a.Text) != 1000 || a.Err == nil || a.Err.Message != TooLong {
		t.Errorf("an answer of at most 1000 bytes: %d bytes, then %v", len(a.Text), a.Err)
	}
	a, n := ask(http.StatusOK, "", comments(), httpmodel.Limits{MaxBody: 10_000})
	if n != 10_000 || a.Err == nil || a.Err.Message != TooMuch {
		t.Errorf("a stream of at most 10,000 bytes: %d bytes are read, then %v", n, a.Err)
	}
	if _, n = ask(http.StatusInternalServerError, "", comments(), httpmodel.Limits{}); n != 64<<10 {
		t.Errorf("%d bytes of an error are read", n)
	}
	if a, n = ask(http.StatusOK, v.Said+v.Finished, comments(), httpmodel.Limits{MaxBody: 10_000}); a.Err != nil || n != 10_000-len(v.Said+v.Finished) {
		t.Errorf("after the model has stopped, %d bytes are read, then %v", n, a.Err)
	}
}

func (v *Vendor) flood(t *testing.T, f *Flood) {
	body := &counter{r: f.Body}
	client := RespondWith(http.StatusOK, f.Header, io.MultiReader(strings.NewReader(f.Begin), body))
	before := heap()
	why := ""
	for _, err := range v.New(Setup{Client: client, Limits: httpmodel.Limits{MaxBody: 6 << 20}}).Stream(t.Context(), Hello) {
		if e, ok := errors.AsType[*llm.Error](err); ok {
			why = e.Message
		}
	}
	must.Be(t, why, f.Why, "ended with")
	if body.n > 7<<20 {
		t.Errorf("%d bytes read", body.n)
	}
	if body.peak > before+16<<20 {
		t.Errorf("%d MB more in use", (body.peak-before)>>20)
	}
}

// Pauses checks that a Pause follows the parts of each network read, and that a read without parts
// gives none. In want, a Pause is |, a text's pieces are as they are, then usage, and the finish is
// a dot.
func (v *Vendor) Pauses(t *testing.T, want string, reads ...string) {
	a := v.Play(t, Reads(reads...))
	var got []string
	for _, p := range a.Parts {
		got = append(got, map[llm.PartKind]string{llm.TextDelta: p.Delta, llm.Pause: "|", llm.UsagePart: "usage", llm.FinishPart: "."}[p.Kind])
	}
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got %q, want %q", s, want)
	}
}
