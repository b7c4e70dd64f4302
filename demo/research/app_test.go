package research

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// Only TestRequestsEnd is about how long a request may take: the race detector on a busy machine is
// slow.
func init() { requestTimeout = 2 * time.Minute }

// generated is loaded once: it takes a while, and nobody here changes it.
var generated = sync.OnceValues(func() (*App, error) { return New(context.Background(), Config{}) })

func openGenerated(t *testing.T) *App {
	t.Helper()
	return must.Get(generated())(t)
}

// TestToolEffects: what only reads says so, what writes is approved by a person.
func TestToolEffects(t *testing.T) {
	a := &App{}
	for _, tl := range a.Tools() {
		writes := tl.Name == "update_stream_schema"
		if (tl.Effect == tool.Read) == writes || (tl.Policy.Approval == tool.ApprovalAlways) != writes {
			t.Errorf("%s: %s %s", tl.Name, tl.Effect, tl.Policy.Approval)
		}
	}
}

// TestEveryPageIsOfResearch: what holds for all pages is told on each.
func TestEveryPageIsOfResearch(t *testing.T) {
	for _, p := range (&App{}).Pages() {
		must.Have(t, p.Instructions, "On the pages of Research you help people", "%s", p.Name)
	}
}

// TestStreamsOfAnotherLibrary: where the given streams find nothing, the commonest headings make
// some.
func TestStreamsOfAnotherLibrary(t *testing.T) {
	a := openGenerated(t)
	before := givenStreams
	givenStreams = []byte(`[{"name": "None", "retrieval": {"query": "nonsenseword[ti]"}}]`)
	defer func() { givenStreams = before }()
	s, err := a.firstStreams(t.Context())
	if err != nil || len(s) != 3 || s[0].Retrieval.Query != `"Antineoplastic Combined Chemotherapy Protocols"[mh]` {
		t.Errorf("%+v %v", s, err)
	}
}

// TestScriptedTerms: what the scripted model looks for is in the criteria.
func TestScriptedTerms(t *testing.T) {
	fields := map[string]any{"id": "7", "title": "One. Two FLT3 inhibitors! Three.", "phase": "Phase 1/Phase 3", "conditions": []any{"AML"}}
	for _, row := range demotest.Rows(t, "testdata/terms.txt") {
		got := termsOf(row[0]).judge(row[1], fields)
		if fmt.Sprint(got.Value) != row[2] || got.Evidence != row[3] || got.ID != "7" {
			t.Errorf("%s: %+v", row, got)
		}
	}
}

// TestRequestsEnd: a request that takes too long is told so, whatever it asks for.
func TestRequestsEnd(t *testing.T) {
	a := openGenerated(t)
	before := requestTimeout
	requestTimeout = time.Nanosecond
	defer func() { requestTimeout = before }()
	for path, body := range map[string]string{"articles/search": `{"query":"a"}`, "trials/search": `{}`, "reports": `{"streamId":"1"}`} {
		req := httptest.NewRequest(http.MethodPost, "/demo/research/"+path, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, req)
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "query_timeout") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// TestValidate finds what is wrong with a stream.
func TestValidate(t *testing.T) {
	a := openGenerated(t)
	saved := must.Get(a.streams.Get("1"))(t)
	check := func(s Stream) (validation, string) {
		t.Helper()
		v := must.Get(a.validate(t.Context(), s))(t)
		return v, fmt.Sprint(v.Checks)
	}
	if good, says := check(saved); !good.Valid || good.Articles < 10 {
		t.Error(good.Articles, says)
	}
	empty := saved
	empty.Retrieval.Query = "nonsenseword[ti]"
	if bad, says := check(empty); bad.Valid || !strings.Contains(says, "finds no article") {
		t.Error(bad.Valid, says)
	}
	narrow := saved
	narrow.Retrieval.Filters = library.Filters{From: "2025", Types: []string{"Randomized Controlled Trial"}}
	narrow.Schema = Schema{Fields: []Field{{Key: "a", Label: "A", Type: "category"}}}
	_, says := check(narrow)
	for _, want := range []string{"keep out", "Nothing says what these fields hold: A", "at least two options: A"} {
		if !strings.Contains(says, want) {
			t.Errorf("%s is not in %v", want, says)
		}
	}
	if good, says := check(saved); len(good.Coverage) != 3 {
		t.Error("a column is counted that nobody has judged:", good.Coverage, says)
	}
}
