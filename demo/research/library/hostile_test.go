package library

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestHostileFiles: what cannot be is refused or counted, with words that say what and where;
// nothing is expanded.
func TestHostileFiles(t *testing.T) {
	kept := maxEntry
	maxEntry = 128 << 10
	defer func() { maxEntry = kept }()
	long := strings.Repeat("x", 2*maxEntry)
	laughs := `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "lol">` + entities(20) + `]><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>&l20;</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>`
	for _, tt := range []struct{ name, text, want string }{
		{"line.jsonl", `{"pmid":"1","title":"One"}` + "\n" + `{"pmid":"2","title":"` + long + `"}`, "read line 2: an entry has more than 128 KiB"},
		{"quote.csv", "PMID,Title\n1,One\n2,\"" + long, "read the row at byte 17: an entry has more than 128 KiB"},
		{"header.csv", "PMID,Title," + long, "an entry has more than 128 KiB"},
		{"twice.csv", "PMID,Title,PMID\n1,One,2\n", `the column "PMID" more than once`},
		{"utf16.csv", "\xff\xfeP\x00M\x00I\x00D\x00,\x00T\x00", `no column "PMID"`},
		{"utf16.xml", `<?xml version="1.0" encoding="UTF-16"?><PubmedArticleSet><PubmedArticle/></PubmedArticleSet>`, "line 1: the XML is broken"},
		{"laughs.xml", laughs, "line 1: the XML is broken"},
		{"element.xml", "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>" + long, "an entry has more than 128 KiB"},
		{"deep.xml", "<PubmedArticleSet>" + strings.Repeat("<a>", maxEntry), "an entry has more than 128 KiB"},
		{"deep.jsonl", `{"pmid":` + strings.Repeat("[", 1<<16), "nothing in it could be read"},
		{"cut.jsonl.gz", "", "is empty"},
		{"magic.gz.jsonl", "\x1f\x8bnonsense", "read gzip"},
	} {
		file := write(t, tt.name, tt.text)
		l, err := Open(t.Context(), Files{Articles: file, Trials: oneTrial(t)})
		if err == nil {
			_ = l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.name) {
			t.Errorf("%s: %.300v", tt.name, err)
		}
	}
}

func entities(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<!ENTITY l%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&l%d;", i), 10))
	}
	return b.String()
}

// TestCutFiles: a download that broke off says so.
func TestCutFiles(t *testing.T) {
	var lines strings.Builder
	for i := range 500 {
		fmt.Fprintf(&lines, `{"pmid":"%d","title":"Title %d"}`+"\n", i+1, i*7919)
	}
	whole, err := os.ReadFile(write(t, "a.jsonl.gz", lines.String()))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cut.jsonl.gz")
	if err := os.WriteFile(file, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Files{Articles: file, Trials: oneTrial(t)}); err == nil || !strings.Contains(err.Error(), "unexpected EOF") || !strings.Contains(err.Error(), "cut.jsonl.gz") {
		t.Error(err)
	}
}

// TestOddColumns: of columns with one name the first counts, invalid text is made readable, empty
// columns do no harm.
func TestOddColumns(t *testing.T) {
	l := openFiles(t, Files{Articles: write(t, "odd.csv", "\ufeff PMID , Title,Journal/Book,Journal/Book,,\n1,Caf\xe9,First,Second,x,y\n"), Trials: oneTrial(t)})
	if a, err := l.Article(t.Context(), "1"); err != nil || a.Journal != "First" || a.Title != "Caf\uFFFD" {
		t.Errorf("%+v %v", a, err)
	}
}

// TestMemoryIsBounded: a row without an end of 256 MiB, four megabytes of it in memory.
func TestMemoryIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "big.csv")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("PMID,Title\n1,\"x"); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(256 << 20); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	if _, err := Open(t.Context(), Files{Articles: file, Trials: oneTrial(t)}); err == nil || !strings.Contains(err.Error(), "more than 4096 KiB") {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 64 {
		t.Errorf("it took %d MiB and %v", mib, time.Since(start))
	}
}
