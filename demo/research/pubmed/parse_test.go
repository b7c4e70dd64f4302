package pubmed_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/test/must"
)

// TestParsePrintsHowItIsRead: every part with its field, from left to right.
func TestParsePrintsHowItIsRead(t *testing.T) {
	for query, want := range map[string]string{
		"":                                 "",
		"  ":                               "",
		"venetoclax":                       "venetoclax[All Fields]",
		"acute myeloid leukemia":           "(acute[All Fields] AND myeloid[All Fields]) AND leukemia[All Fields]",
		"acute myeloid leukemia[mh]":       `"acute myeloid leukemia"[MeSH Terms]`,
		`"Leukemia, Myeloid, Acute"[MeSH]`: `"Leukemia, Myeloid, Acute"[MeSH Terms]`,
		"a[ti] OR b[ti] AND c[ti]":         "(a[Title] OR b[Title]) AND c[Title]",
		"a[ti] AND (b[ti] OR c[ti])":       "a[Title] AND (b[Title] OR c[Title])",
		"x1[ti] NOT review[pt]":            `x1[Title] NOT "review"[Publication Type]`,
		"x1[ti] y1[au]":                    `x1[Title] AND "y1"[Author]`,
		"leuk*[tiab]":                      "leuk*[Title/Abstract]",
		`"kinase inhib*"[tw]`:              `"kinase inhib*"[Text Word]`,
		"2020:2024[dp]":                    "2020:2024[Date - Publication]",
		"2024/05[pdat]":                    "2024/05[Date - Publication]",
		"effect of the drug":               "effect[All Fields] AND drug[All Fields]",
		"drug and placebo":                 "drug[All Fields] AND placebo[All Fields]",
		"BCL-2":                            `"BCL-2"[All Fields]`,
		"“smart quotes”[ti]":               `"smart quotes"[Title]`,
		"the":                              "the[All Fields]",
		"Title[TITLE/abstract]":            `"Title"[Title/Abstract]`,
		"((x1[ti]))":                       "x1[Title]",
		"leukemia[mesh:noexp]":             `"leukemia"[MeSH Terms:noexp]`,
		"nature[ta] AND 2024[ DP ]":        `"nature"[Journal] AND 2024[Date - Publication]`,
	} {
		q, err := pubmed.Parse(query)
		if err != nil || q.String() != want {
			t.Errorf("%q is read as %q, want %q (%v)", query, q.String(), want, err)
		}
	}
}

// TestErrorsSayWhere: what is wrong is named with its place in code points.
func TestErrorsSayWhere(t *testing.T) {
	for _, tt := range []struct {
		query            string
		position, length int
		message          string
		expected         string
	}{
		{`"venetoclax`, 0, 11, "does not end", `"`},
		{"(a[ti] OR b[ti]", 0, 1, "not closed", ")"},
		{"a[ti])", 5, 1, "without a (", ""},
		{"a[ti] AND", 9, 0, "ends where something", "a word"},
		{"AND a[ti]", 0, 3, "AND needs something", "a word"},
		{"ä[ti] OR OR b", 9, 2, "OR needs something", "a word"},
		{"a[foo]", 1, 5, "[foo] is no tag", "[tiab]"},
		{"[ti]", 0, 4, "has no word", "a word"},
		{"()", 1, 1, "nothing to look for", "a word"},
		{"leu*[ti]", 0, 4, "at least 4 letters", ""},
		{"le*uk[ti]", 0, 5, "only at the end", ""},
		{"--[ti]", 0, 2, "no letter or digit", "a word"},
		{"spring[dp]", 0, 6, "is no date", "2024[dp]"},
		{"2024:2020[dp]", 0, 9, "ends before it begins", ""},
		{"2020:2024", 0, 9, "needs its tag", "2020:2024[dp]"},
		{"2024/13[dp]", 0, 7, "is no date", "2024[dp]"},
		{"#1 AND x", 0, 2, "no search history", "a word"},
		{"(a)[ti]", 3, 4, "not behind parentheses", ""},
		{"x]", 1, 1, "] without a [", ""},
		{strings.Repeat("(", 40) + "x", 32, 1, "nested", ""},
		{strings.Repeat("x ", 3000), 4000, 0, "longer than", ""},
		{strings.Repeat("x ", 300), 400, 1, "more than 200 terms", ""},
	} {
		_, err := pubmed.Parse(tt.query)
		e, ok := errors.AsType[*pubmed.Error](err)
		if !ok {
			t.Errorf("%.40q: %v", tt.query, err)
			continue
		}
		if e.Position != tt.position || e.Length != tt.length || !strings.Contains(e.Message, tt.message) || !strings.Contains(strings.Join(e.Expected, " "), tt.expected) {
			t.Errorf("%.40q: %d+%d %s %v", tt.query, e.Position, e.Length, e.Message, e.Expected)
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
		if e, wrong := errors.AsType[*pubmed.Error](err); wrong {
			if n := len([]rune(strings.ToValidUTF8(query, "\uFFFD"))); e.Position < 0 || e.Length < 0 || e.Position+e.Length > n || e.Message == "" {
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
