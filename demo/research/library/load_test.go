package library

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/test/must"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	data := []byte(text)
	if strings.HasSuffix(name, ".gz") {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write(data)
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		data = b.Bytes()
	}
	must.Do(t, os.WriteFile(file, data, 0o600))
	return file
}

// oneArticle and oneTrial are files for tests that are about something else: to load the generated
// ones takes a while.
func oneArticle(t *testing.T) string { return write(t, "one.jsonl", `{"pmid":"1","title":"One"}`) }

func oneTrial(t *testing.T) string {
	return write(t, "one.csv", "NCT Number,Study Title\nNCT00000001,One\n")
}

func openFiles(t *testing.T, files Files) *Library {
	t.Helper()
	return must.Get(Open(files))(t)
}

// TestJSONLines: good lines are taken, the others counted with their line, lists that were split at
// commas put together.
func TestJSONLines(t *testing.T) {
	text := "\ufeff" + `{"pmid":"1","title":"One","authors":["A B"],"journal":"Blood","date":"2024-05","types":["Clinical Trial","Phase II","Research Support","U.S. Gov't","P.H.S."],"mesh":["Leukemia","Myeloid","Acute","Aged","80 and over","Aged","80 and over"],"nct":null}

nonsense
{"pmid":"x","title":"No number"}
{"pmid":"2"}
{"pmid":"1","title":"Again"}
{"pmid":"3","title":"Date unknown","date":"spring","unknown":1}
`
	l := openFiles(t, Files{Articles: write(t, "a.jsonl.gz", text), Trials: oneTrial(t)})
	if l.Articles.Count != 2 || l.Articles.Bad != 4 || l.Articles.Generated || l.Articles.Label != "a.jsonl.gz" {
		t.Errorf("%+v", l.Articles)
	}
	for i, want := range []string{"it is no record in JSON", `pmid "x" is not a number`, "PMID 2 has no title", "PMID 1 is there twice"} {
		if got := l.Articles.BadLines[i]; got.Line != int64(3+i) || !strings.Contains(got.Reason, want) {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	must.Be(t, fmt.Sprint(l.Top["ta"]), "[{Blood  1}]", "the journals: none is no journal")
	a, err := l.Article("1")
	if err != nil || !reflect.DeepEqual(a.MeSH, []string{"Leukemia, Myeloid, Acute", "Aged, 80 and over"}) || !reflect.DeepEqual(a.Types, []string{"Clinical Trial, Phase II", "Research Support, U.S. Gov't, P.H.S."}) {
		t.Errorf("%+v %v", a, err)
	}
	if a, err := l.Article("3"); err != nil || a.Date != "" || a.MeSH == nil || a.Authors == nil {
		t.Errorf("%+v %v", a, err)
	}
	_, err = l.Article("9")
	must.Fail(t, err, "article 9: not found", "an article that is not there")
}

func count(t *testing.T, l *Library, query string) int {
	t.Helper()
	q := must.Get(pubmed.Parse(query))(t)
	_, total, err := l.Search(t.Context(), ArticleQuery{Text: q})
	must.Do(t, err)
	return total
}

// TestTrialsCSV reads ClinicalTrials.gov's export, whose columns may be in another order.
func TestTrialsCSV(t *testing.T) {
	text := "Study Title,NCT Number,Study Status,Conditions,Interventions,Primary Outcome Measures,Phases,Start Date,Study URL\n" +
		`"A trial, with a comma",NCT00000001,ACTIVE_NOT_RECRUITING,AML|MDS,DRUG: X|DRUG: Y,"Overall survival, from the start, 2 years|Safety, events, 1 year",PHASE1|PHASE2,2021-05,javascript:alert(1)` + "\n" +
		"Nothing,NCT1,,,,,,,\n" + "Short,NCT00000004\n" + "Long,NCT00000005,,,,,,,,\n" + `Broken "quote,NCT00000002,,,,,,,` + "\n" + "Last,nct00000003,,,,,NA,,\n"
	l := openFiles(t, Files{Articles: oneArticle(t), Trials: write(t, "ctg.csv", text)})
	if l.Trials.Count != 2 || l.Trials.Bad != 4 || l.Trials.Generated {
		t.Errorf("%+v", l.Trials)
	}
	tr, err := l.Trial("nct00000001")
	if err != nil || tr.Phase != "Phase 1/Phase 2" || tr.StatusLabel != "Active, not recruiting" || !reflect.DeepEqual(tr.PrimaryOutcomes, []string{"Overall survival", "Safety"}) ||
		len(tr.Conditions) != 2 || tr.URL != "https://clinicaltrials.gov/study/NCT00000001" {
		t.Errorf("%+v %v", tr, err)
	}
}

// TestWrongFiles are refused with their name and what is wrong with them.
func TestWrongFiles(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty.jsonl", "", "is empty"}, {"bad.jsonl", "{x\n", "nothing in it could be read; line 1"}, {"page.html", "<html></html>", "it is no record in JSON"}, {"magic.gz.jsonl", "\x1f\x8bnonsense", "read gzip"},
		{"long.jsonl", `{"pmid":"1","title":"One"}` + "\n" + strings.Repeat("x", maxEntry+1), "read line 2"}, {"deep.jsonl", `{"pmid":` + strings.Repeat("[", 1<<16), "nothing in it could be read"},
	} {
		if _, err := Open(Files{Articles: write(t, tt.name, tt.text)}); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.name) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := Open(Files{Articles: oneArticle(t), Trials: "/nowhere/trials.csv"}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Open(Files{Articles: oneArticle(t), Trials: write(t, "other.csv", "a,b\n1,2\n")}); err == nil || !strings.Contains(err.Error(), `no column "NCT Number"`) {
		t.Error(err)
	}
}

// TestGeneratedLibrary says of each entry what it is.
func TestGeneratedLibrary(t *testing.T) {
	l := openFiles(t, Files{})
	if l.Articles.Count != 320 || l.Trials.Count != 80 || l.Articles.Bad+l.Trials.Bad != 0 || !l.Articles.Generated || !l.Trials.Generated {
		t.Errorf("%+v %+v", l.Articles, l.Trials)
	}
	if n := count(t, l, `"generated for a demonstration"[tiab]`); n != 320 {
		t.Error(n)
	}
	hits, err := l.SearchTrials(t.Context(), TrialQuery{TrialForm: TrialForm{Text: "generated for a demonstration"}, Limit: 1})
	if err != nil || hits.Total != 80 {
		t.Error(hits.Total, err)
	}
}

// TestCutFiles: a download that broke off says so.
func TestCutFiles(t *testing.T) {
	var lines strings.Builder
	for i := range 500 {
		fmt.Fprintf(&lines, `{"pmid":"%d","title":"Title %d"}`+"\n", i+1, i*7919)
	}
	whole := must.Get(os.ReadFile(write(t, "a.jsonl.gz", lines.String())))(t)
	file := filepath.Join(t.TempDir(), "cut.jsonl.gz")
	must.Do(t, os.WriteFile(file, whole[:len(whole)/2], 0o600))
	if _, err := Open(Files{Articles: file, Trials: oneTrial(t)}); err == nil || !strings.Contains(err.Error(), "unexpected EOF") || !strings.Contains(err.Error(), "cut.jsonl.gz") {
		t.Error(err)
	}
}
