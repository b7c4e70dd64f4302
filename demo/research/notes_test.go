package research

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/demo/research/library"
)

// TestSearchSaysWhatItDidNotLookFor: to the model, on the card, on the page and in a check of a
// stream.
func TestSearchSaysWhatItDidNotLookFor(t *testing.T) {
	a := openGenerated(t)
	heading := a.headings(1)[0]
	for query, want := range map[string]string{
		fmt.Sprintf("%q[majr:noexp]", heading.Value):          "[majr] of “" + heading.Value + "” is ignored",
		fmt.Sprintf("%q[mh:noexp]", heading.Value+"/therapy"): "“/therapy” is ignored",
		fmt.Sprintf("%q[mh]", heading.Value):                  "MeSH's tree",
		fmt.Sprintf("%q[mh:noexp]", heading.Value):            "",
		"venetoclax[tiab]":                                    "",
	} {
		args, _ := json.Marshal(map[string]any{"query": query})
		r := search(t, a, string(args))
		card, ok := r.Payload.(*searchResult)
		if !ok || r.IsError {
			t.Fatalf("%s: %s", query, r.Text)
		}
		notes := strings.Join(card.Notes, " ")
		if (want == "") != (notes == "") || !strings.Contains(notes, want) || (want == "") == strings.Contains(r.Text, `"notes"`) {
			t.Errorf("%s: the notes are %q, want %q; %s", query, notes, want, r.Text)
		}
		if strings.Contains(query, "noexp") && card.Total != heading.Count {
			t.Errorf("%s finds %d, want %d", query, card.Total, heading.Count)
		}
		v, err := a.validate(t.Context(), Stream{ID: "1", Name: "x", Retrieval: Retrieval{Query: query}})
		if err != nil {
			t.Fatal(err)
		}
		told := ""
		for _, c := range v.Checks {
			if c.ID == "unknown" {
				told = c.Message
			}
		}
		if told != notes {
			t.Errorf("%s: the check says %q", query, told)
		}
	}
	req := httptest.NewRequest(http.MethodPost, "/demo/research/articles/search", strings.NewReader(`{"query":"leukemia[majr]"}`))
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, req)
	var answer struct{ Notes []string }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK || len(answer.Notes) != 2 {
		t.Errorf("%d %s %v", w.Code, w.Body, err)
	}
}

// TestLastYearsCountFromToday, whenever that is.
func TestLastYearsCountFromToday(t *testing.T) {
	a := *openGenerated(t)
	year := a.lastYear()
	a.config.now = func() time.Time { return time.Date(year, 12, 31, 12, 0, 0, 0, time.UTC) }
	count := func(query string) int {
		q, err := a.parse(query)
		if err != nil {
			t.Fatal(err)
		}
		_, total, err := a.library.Search(t.Context(), library.ArticleQuery{Text: q})
		if err != nil {
			t.Fatal(err)
		}
		return total
	}
	got, want := count(`"last 2 years"[dp]`), count(fmt.Sprintf("%d/12/31:%d[dp]", year-2, year))
	if got != want || got == 0 || got == count("") {
		t.Errorf("%d, want %d of %d", got, want, count(""))
	}
	a.config.now = func() time.Time { return time.Date(year+9, 12, 31, 12, 0, 0, 0, time.UTC) }
	if got := count(`last 2 years[dp]`); got != 0 {
		t.Errorf("%d are found years later", got)
	}
}
