package research

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/saved"
	"github.com/pageside/pageside/test/must"
)

// restarted is the application over a file where things are saved, as a new process has it.
func restarted(t *testing.T, file string) (*App, func()) {
	t.Helper()
	users := must.Get(saved.Open(t.Context(), file))(t)
	a := must.Get(New(t.Context(), Config{Saved: users}))(t)
	return a, func() {
		if err := users.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestStreamsAndReportsOutliveTheApplication, with their versions, so that an undo in a page that
// stayed open still fits.
func TestStreamsAndReportsOutliveTheApplication(t *testing.T) {
	file := filepath.Join(t.TempDir(), "saved.db")
	a, end := restarted(t, file)
	if r := demotest.RunTool(t, a, "update_stream_schema", `{"stream":"1","version":1,"remove":["outcome"]}`); r.IsError {
		t.Fatal(r.Text)
	}
	added := must.Get(a.addStream(Stream{Name: "My own", Retrieval: Retrieval{Query: "venetoclax", MaxResults: 5}}))(t)
	made := must.Get(a.newReport(t.Context(), added.ID, "Mine"))(t)
	if len(made.Full) == 0 {
		t.Fatal("the report is empty")
	}
	first := openGenerated(t).streams.All()[0].Schema.Fields
	streams, reports := a.streams.All(), a.sortedReports()
	end()

	a, end = restarted(t, file)
	if got := a.streams.All(); !reflect.DeepEqual(got, streams) || got[0].Version != 2 {
		t.Errorf("streams\n%+v, want\n%+v", got, streams)
	}
	if got := a.sortedReports(); demotest.Compact(got) != demotest.Compact(reports) {
		t.Errorf("reports\n%s, want\n%s", demotest.Compact(got), demotest.Compact(reports))
	}
	back, err := a.reports.Get(made.ID)
	if err != nil || len(back.Full) != len(made.Full) || compare(back, made).AddedTotal != 0 {
		t.Errorf("%+v, %v", back, err)
	}
	undone := streams[0]
	undone.Schema.Fields = first
	if _, err := a.putStream(undone); err != nil {
		t.Error(err)
	}
	end()

	a, end = restarted(t, file)
	defer end()
	if s, err := a.streams.Get("1"); err != nil || s.Version != 3 || len(s.Schema.Fields) != len(first) {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestWhoIsAskedIsToldWhatChanges: by the labels of stream and fields; what cannot be saved is
// refused before anybody is asked.
func TestWhoIsAskedIsToldWhatChanges(t *testing.T) {
	a := openGenerated(t)
	s := must.Get(a.streams.Get("1"))(t)
	first, second := s.Schema.Fields[0], s.Schema.Fields[1]
	args := `{"stream":"1","version":1,"add":[{"key":"dose","label":"Dose","type":"number"}],"change":[{"key":"` + first.Key + `","label":"Who","type":"text"}],"remove":["` + second.Key + `"]}`
	got, refused := demotest.WouldAsk(t, a, "update_stream_schema", args)
	want := "Changes what the stream “" + s.Name + "” extracts from its articles: adds “Dose” (number); changes “" + first.Label + "” to “Who” (text); removes “" + second.Label + "”."
	if refused != nil || !strings.HasPrefix(got, want) {
		t.Errorf("%q, %v, want %q", got, refused, want)
	}
	if now, _ := a.streams.Get("1"); !reflect.DeepEqual(now, s) {
		t.Error("asking changed the stream")
	}
	for args, says := range map[string]string{
		`{"stream":"77","version":1,"remove":["x"]}`:           "not found",
		`{"stream":"1","version":1,"remove":["x"]}`:            "is no field",
		`{"stream":"1","version":9,"remove":["population"]}`:   "version 1 now",
		`{"stream":"1","version":1,"add":[],"remove":[]}`:      "nothing to do",
		`{"stream":"1","version":1,"change":[{"key":"dose"}]}`: "is no field",
	} {
		if got, refused := demotest.WouldAsk(t, a, "update_stream_schema", args); refused == nil || !strings.Contains(refused.Message, says) {
			t.Errorf("%s: %q, %v", args, got, refused)
		}
	}
}
