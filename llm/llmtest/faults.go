package llmtest

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

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

// Faults checks broken streams that Answers has no words for: common ones and the package's own.
func (v *Vendor) Faults(t *testing.T, own map[string]Fault) {
	all := map[string]Fault{}
	if !v.Binary {
		all = map[string]Fault{
			"deep":                     {SSE(strings.Repeat("[", 20000)), llm.KindProtocol, ""},
			"bytes":                    {SSE("\x00\xff\xfe{"), llm.KindProtocol, ""},
			"bytes that are not UTF-8": {strings.Replace(v.Said, `"a"`, "\"a\xff\xc3b\"", 1) + v.Over, "", "a\ufffdb"},
			"data without a document":  {"data:\n\ndata: \n\n" + v.Said + v.Over, "", "a"},
		}
	}
	maps.Copy(all, own)
	m := v.Model(nil)
	for name, tc := range all {
		t.Run(name, func(t *testing.T) {
			a := v.Play(t, strings.NewReader(tc.Body))
			if a.Kind() != tc.Kind || a.Text != tc.Text {
				t.Fatalf("got %q, %+v; want %q", a.Text, a.Err, tc.Kind)
			}
			v.checkError(t, &a, m)
		})
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
