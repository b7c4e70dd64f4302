package pubmed_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/test/must"
)

// TestParsePrintsHowItIsRead: every part with its field, from left to right.
func TestParsePrintsHowItIsRead(t *testing.T) {
	for _, row := range demotest.Rows(t, "testdata/read.txt") {
		query, want := row[0], row[1]
		q, err := pubmed.Parse(query)
		if err != nil || q.String() != want {
			t.Errorf("%q is read as %q, want %q (%v)", query, q.String(), want, err)
		}
	}
}

// TestErrorsSayWhere: what is wrong is named with its place in code points.
func TestErrorsSayWhere(t *testing.T) {
	rows := append(demotest.Rows(t, "testdata/errors.txt"),
		[]string{strings.Repeat("(", 40) + "x", "32+1", "nested"},
		[]string{strings.Repeat("x ", 3000), "4000+0", "longer than"},
		[]string{strings.Repeat("x ", 300), "400+1", "more than 200 terms"})
	for _, row := range rows {
		query, at, words := row[0], row[1], row[2]
		_, err := pubmed.Parse(query)
		e, ok := errors.AsType[*refuse.Error](err)
		if !ok {
			t.Errorf("%.40q: %v", query, err)
			continue
		}
		point, expected := fmt.Sprintf("%d+%d", e.Details["position"], e.Details["length"]), e.Details["expected"].([]string)
		if point != at || !strings.Contains(e.Message, words) || len(row) > 3 && !slices.Contains(expected, row[3]) {
			t.Errorf("%.40q: %s %s %v", query, point, e.Message, expected)
		}
	}
}

// TestPrintedIsReadTheSame: what String writes means the same when it is read again.
func TestPrintedIsReadTheSame(t *testing.T) {
	for _, query := range []string{"acute myeloid leukemia OR x1[ti] NOT \"a b\"[tiab]", "2020:2024[dp] AND (leuk*[mh] OR smith j[au])"} {
		q := must.Get(pubmed.Parse(query))(t)
		again, err := pubmed.Parse(q.String())
		if err != nil || again.String() != q.String() {
			t.Errorf("%q prints %q, which is read as %q (%v)", query, q, again, err)
		}
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		got  []string
		want string
	}{
		{pubmed.Names("mh", "Leukemia, Myeloid, Acute"), "[acute myeloid leukemia leukemia myeloid acute leukemia, myeloid, acute]"},
		{pubmed.Names("mh", "Humans"), "[humans]"},
		{pubmed.Names("ta", "The Lancet. Haematology"), "[lancet haematology the lancet haematology]"},
		{pubmed.Names("ta", "Future oncology (London, England)"), "[future oncology future oncology london england]"},
		{pubmed.Names("au", "Kantarjian Hagop M"), "[kantarjian h kantarjian hagop m kantarjian hm]"},
		{pubmed.Names("au", "Grünwald Élise"), "[grunwald e grunwald elise]"},
	} {
		for i := range tt.got {
			must.Have(t, tt.want, tt.got[i], "%v", tt.got)
		}
	}
}

func ExampleParse() {
	q, err := pubmed.Parse(`"leukemia, myeloid, acute"[mh] venetoclax[tiab] NOT review[pt]`)
	fmt.Println(q, err)
	// Output: ("leukemia, myeloid, acute"[MeSH Terms] AND venetoclax[Title/Abstract]) NOT "review"[Publication Type] <nil>
}

// FuzzParse: no search breaks the reader, what is read prints as something that is read the same,
// and errors point into the search.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "a AND (b OR c*) NOT \"d e\"[ti]", "2020:2024[dp]", "(((", "[]", "ü[mh] #1", "a:b[dp]", "“x”", "AND OR NOT"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		q, err := pubmed.Parse(query)
		if e, wrong := errors.AsType[*refuse.Error](err); wrong {
			position, length := e.Details["position"].(int), e.Details["length"].(int)
			if n := len([]rune(strings.ToValidUTF8(query, "\uFFFD"))); position < 0 || length < 0 || position+length > n || e.Message == "" {
				t.Fatalf("%q: %+v", query, e)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", query, err)
		}
		printed := q.String()
		if len([]rune(printed)) > 4000 || strings.Count(printed, "(") > 30 {
			return
		}
		again, err := pubmed.Parse(printed)
		if err != nil || again.String() != printed {
			t.Fatalf("%q prints %q, which is read as %q (%v)", query, printed, again, err)
		}
	})
}
