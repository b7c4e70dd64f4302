package library

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/research/pubmed"
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
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
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
	l, err := Open(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
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
	for i, want := range []BadLine{{3, "it is no article in JSON"}, {4, `pmid "x" is not a number`}, {5, "PMID 2 has no title"}, {6, "PMID 1 is there twice"}} {
		if got := l.Articles.BadLines[i]; got.Line != want.Line || !strings.Contains(got.Reason, want.Reason) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	a, err := l.Article(t.Context(), "1")
	if err != nil || !reflect.DeepEqual(a.MeSH, []string{"Leukemia, Myeloid, Acute", "Aged, 80 and over"}) || !reflect.DeepEqual(a.Types, []string{"Clinical Trial, Phase II", "Research Support, U.S. Gov't, P.H.S."}) {
		t.Errorf("%+v %v", a, err)
	}
	if a, err := l.Article(t.Context(), "3"); err != nil || a.Date != "" || a.MeSH == nil || a.Authors == nil {
		t.Errorf("%+v %v", a, err)
	}
	if _, err := l.Article(t.Context(), "9"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

// TestPubMedCSV reads what "Save → CSV" gives.
func TestPubMedCSV(t *testing.T) {
	text := `PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,DOI
40122885,"Bemcentinib, alone","Loges S, Heuser M, Chromik J.","Nat Commun. 2025 Mar 23;16(1):2846. doi: 10.1","Loges S",Nat Commun,2025,2025/03/24,PMC1,,10.1038/x
1,"Only
a year","Smith J.","Old J. 1990;1:2.","Smith J",Old J,1990,1990/01/01,,,
2,too few
`
	l := openFiles(t, Files{Articles: write(t, "csv-pubmed.csv", text), Trials: oneTrial(t)})
	if l.Articles.Count != 2 || l.Articles.Bad != 1 || l.Articles.BadLines[0].Line != 5 {
		t.Errorf("%+v", l.Articles)
	}
	a, _ := l.Article(t.Context(), "40122885")
	if a.Date != "2025-03-23" || !reflect.DeepEqual(a.Authors, []string{"Loges S", "Heuser M", "Chromik J"}) || a.Journal != "Nat Commun" {
		t.Errorf("%+v", a)
	}
	if a, _ := l.Article(t.Context(), "1"); a.Date != "1990" || a.Title != "Only\na year" {
		t.Errorf("%+v", a)
	}
	if n := count(t, l, "loges s[au]"); n != 1 {
		t.Error(n)
	}
}

const xmlExport = `<?xml version="1.0"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" "https://dtd.nlm.nih.gov/x.dtd">
<PubmedArticleSet>
<PubmedArticle><MedlineCitation><PMID Version="1">111</PMID><Article>
<Journal><JournalIssue><PubDate><Year>2023</Year><Month>Feb</Month></PubDate></JournalIssue><Title>Blood advances</Title><ISOAbbreviation>Blood Adv</ISOAbbreviation></Journal>
<ArticleTitle>Effect of <i>FLT3</i>-ITD &amp; more.</ArticleTitle>
<Abstract><AbstractText Label="BACKGROUND">First.</AbstractText><AbstractText Label="RESULTS">Second <sup>2</sup>.</AbstractText></Abstract>
<AuthorList><Author><LastName>Müller</LastName><ForeName>Anna B</ForeName><Initials>AB</Initials></Author><Author><CollectiveName>The Group</CollectiveName></Author></AuthorList>
<DataBankList><DataBank><DataBankName>ClinicalTrials.gov</DataBankName><AccessionNumberList><AccessionNumber>NCT01234567</AccessionNumber></AccessionNumberList></DataBank></DataBankList>
<PublicationTypeList><PublicationType UI="D1">Journal Article</PublicationType></PublicationTypeList>
<ArticleDate><Year>2023</Year><Month>02</Month><Day>07</Day></ArticleDate></Article>
<MeshHeadingList><MeshHeading><DescriptorName UI="D2">Leukemia, Myeloid, Acute</DescriptorName><QualifierName>drug therapy</QualifierName></MeshHeading></MeshHeadingList>
</MedlineCitation></PubmedArticle>
<PubmedArticle><MedlineCitation><PMID>112</PMID><Article><Journal><JournalIssue><PubDate><MedlineDate>1998 Dec-1999 Jan</MedlineDate></PubDate></JournalIssue><Title>X</Title></Journal><ArticleTitle>Two</ArticleTitle></Article></MedlineCitation></PubmedArticle>
<PubmedArticle><MedlineCitation><PMID>113</PMID>`

// TestPubMedXML reads efetch's XML, and says where it breaks off.
func TestPubMedXML(t *testing.T) {
	l := openFiles(t, Files{Articles: write(t, "set.xml", xmlExport), Trials: oneTrial(t)})
	if l.Articles.Count != 2 || l.Articles.Bad != 1 || !strings.Contains(l.Articles.BadLines[0].Reason, "broken from here") {
		t.Errorf("%+v", l.Articles)
	}
	a, _ := l.Article(t.Context(), "111")
	if a.Title != "Effect of FLT3-ITD & more." || a.Abstract != "BACKGROUND: First.\nRESULTS: Second 2." || a.Date != "2023-02-07" || a.NCT != "NCT01234567" ||
		!reflect.DeepEqual(a.Authors, []string{"Müller Anna B", "The Group"}) || !reflect.DeepEqual(a.MeSH, []string{"Leukemia, Myeloid, Acute"}) {
		t.Errorf("%+v", a)
	}
	if a, _ := l.Article(t.Context(), "112"); a.Date != "1998" {
		t.Errorf("%+v", a)
	}
	for query, want := range map[string]int{"blood adv[ta]": 1, "muller ab[au]": 1, "NCT01234567[si]": 1, "acute myeloid leukemia[mh]": 1, `"flt3 itd"[ti]`: 1, "1998[dp]": 1, "111": 1} {
		if n := count(t, l, query); n != want {
			t.Errorf("%s finds %d", query, n)
		}
	}
}

func count(t *testing.T, l *Library, query string) int {
	t.Helper()
	q, err := pubmed.Parse(query)
	if err != nil {
		t.Fatal(err)
	}
	_, total, err := l.Search(t.Context(), ArticleQuery{Text: q})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

// TestTrialsCSV reads ClinicalTrials.gov's export, whose columns may be in another order.
func TestTrialsCSV(t *testing.T) {
	text := "Study Title,NCT Number,Study Status,Conditions,Interventions,Primary Outcome Measures,Phases,Start Date,Study URL\n" +
		`"A trial, with a comma",NCT00000001,ACTIVE_NOT_RECRUITING,AML|MDS,DRUG: X|DRUG: Y,"Overall survival, from the start, 2 years|Safety, events, 1 year",PHASE1|PHASE2,2021-05,javascript:alert(1)` + "\n" +
		"Nothing,NCT1,,,,,,,\n" + `Broken "quote,NCT00000002,,,,,,,` + "\n" + "Last,nct00000003,,,,,NA,,\n"
	l := openFiles(t, Files{Articles: oneArticle(t), Trials: write(t, "ctg.csv", text)})
	if l.Trials.Count != 2 || l.Trials.Bad != 2 || l.Trials.Generated {
		t.Errorf("%+v", l.Trials)
	}
	tr, err := l.Trial(t.Context(), "nct00000001")
	if err != nil || tr.Phase != "Phase 1/Phase 2" || tr.StatusLabel != "Active, not recruiting" || !reflect.DeepEqual(tr.PrimaryOutcomes, []string{"Overall survival", "Safety"}) ||
		len(tr.Conditions) != 2 || tr.URL != "https://clinicaltrials.gov/study/NCT00000001" {
		t.Errorf("%+v %v", tr, err)
	}
}

// TestWrongFiles are refused with their name and what is wrong with them.
func TestWrongFiles(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty.jsonl", "", "is empty"}, {"other.csv", "a,b\n1,2\n", `no column "PMID"`}, {"bad.jsonl", "{x\n", "nothing in it could be read; line 1"}, {"page.html", "<html></html>", "is empty"},
	} {
		if _, err := Open(t.Context(), Files{Articles: write(t, tt.name, tt.text)}); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.name) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := Open(t.Context(), Files{Articles: oneArticle(t), Trials: "/nowhere/trials.csv"}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestGeneratedLibrary is always the same, and says of each entry what it is.
func TestGeneratedLibrary(t *testing.T) {
	if !reflect.DeepEqual(generatedArticles(), generatedArticles()) || !reflect.DeepEqual(generatedTrials(), generatedTrials()) {
		t.Error("it differs from one time to the next")
	}
	l := openFiles(t, Files{})
	if l.Articles.Count != madeArticles || l.Trials.Count != madeTrials || l.Articles.Bad+l.Trials.Bad != 0 || !l.Articles.Generated || !l.Trials.Generated {
		t.Errorf("%+v %+v", l.Articles, l.Trials)
	}
	if n := count(t, l, `"generated for a demonstration"[ab]`); n != madeArticles {
		t.Error(n)
	}
	hits, err := l.SearchTrials(t.Context(), TrialQuery{Text: "generated for a demonstration", Limit: 1})
	if err != nil || hits.Total != madeTrials {
		t.Error(hits.Total, err)
	}
}

func TestClosedLibraryLeavesNothing(t *testing.T) {
	l, err := Open(context.Background(), Files{Articles: oneArticle(t), Trials: oneTrial(t)})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(l.dir); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
