package agui_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
)

func TestSourcesLeadNowhereElse(t *testing.T) {
	for address, kept := range map[string]bool{
		"https://example.com/a?b#c": true, "http://example.com": true, "#row-3": true, "/articles/12?x=1": true, "": false,
		"javascript:alert(1)": false, "java\tscript:alert(1)": false, " https://example.com": false, "data:text/html,x": false, "vbscript:x": false, "file:///etc/passwd": false,
		"mailto:a@b.c": false, "//evil.example/a": false, `/\evil.example`: false, `\\evil.example`: false, "https:///x": false, "https://bank.example@evil.example": false,
		"articles/12": false, "#": false, "https://example.com/" + strings.Repeat("a", 3000): false, "https://exa\nmple.com": false,
	} {
		got := new(agui.Numbering).Number([]agui.CitableSource{{Title: "A", URL: address}})
		if len(got) != 1 || (got[0].URL == address && address != "") != kept || !kept && got[0].URL != "" {
			t.Errorf("%q becomes %+v; kept should be %v", address, got, kept)
		}
	}
}

func TestSourcesKeepTheirNumbers(t *testing.T) {
	first := new(agui.Numbering).Number([]agui.CitableSource{{Title: "A", URL: "https://a.example"}, {Title: "B"}, {}, {Title: "B"}})
	thread := []agui.Message{agui.Sources{Sources: first, ToolCallID: "c1"}.Message("s1")}
	next := agui.NumberingOf(thread).Number([]agui.CitableSource{{Title: "C"}, {Title: "renamed", URL: "https://a.example"}, {Title: "B"}})
	must.Be(t, numbersOf(first)+" "+numbersOf(next), "A1 B2 C3 renamed1 B2", "numbers")
	own := agui.NumberingOf(thread).Take([]agui.NumberedSource{{Number: 7, CitableSource: agui.CitableSource{Title: "X"}}, {Number: -1, CitableSource: agui.CitableSource{Title: "Y"}},
		{Number: 7, CitableSource: agui.CitableSource{Title: "Z"}}, {Number: 1 << 40, CitableSource: agui.CitableSource{Title: "W"}}})
	must.Be(t, numbersOf(own), "X7 Y8 W9", "numbers of its own")
}

func TestSourcesAreBounded(t *testing.T) {
	many := make([]agui.CitableSource, 80)
	for i := range many {
		many[i] = agui.CitableSource{Title: fmt.Sprint(i, " ") + strings.Repeat("é", 400), Snippet: strings.Repeat("ü\n", 2000) + "\xff"}
	}
	got := new(agui.Numbering).Number(many)
	if len(got) != 50 || len(got[0].Title) > 300 || len(got[0].Snippet) > 1000 || !utf8.ValidString(got[0].Title+got[0].Snippet) || strings.Contains(got[0].Snippet, "\n") {
		t.Errorf("%d sources, the first with %d and %d bytes", len(got), len(got[0].Title), len(got[0].Snippet))
	}
}

func numbersOf(sources []agui.NumberedSource) string {
	var b []string
	for _, s := range sources {
		b = append(b, fmt.Sprint(s.Title, s.Number))
	}
	return strings.Join(b, " ")
}
