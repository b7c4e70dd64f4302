package demo

import (
	"encoding/base64"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// TestTruth asks what people type, and compares each answer with the truth, which SQL on the log
// tells without any code of the scripted model's. No answer may be wrong, and seven of ten
// questions must be answered.
func TestTruth(t *testing.T) {
	d := openSample(t)
	data := must.Get(os.ReadFile("testdata/questions.txt"))(t)
	rules := must.Get(scripted())(t)
	model := rules.WithPace(0)
	asked, answered, strangers, theirs := 0, 0, 0, 0
	for line := range strings.Lines(string(data)) {
		who, rest, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		i := strings.LastIndex(rest, " | ")
		question, truth := rest[:i], rest[i+3:]
		s := newScreen(t, d)
		s.agent.Model = model
		answer := s.ask(question)
		asked++
		if who == "stranger" {
			strangers++
		}
		if refused(answer) {
			if testing.Verbose() {
				t.Logf("refused: %s", question)
			}
			continue
		}
		answered++
		if who == "stranger" {
			theirs++
		}
		if wrong := judge(s, answer, truth); wrong != "" {
			t.Errorf("%s: %s\n%s\n%s", question, wrong, answer, strings.Join(s.Calls, "\n"))
		}
	}
	t.Logf("answered %d of %d questions, of strangers %d of %d", answered, asked, theirs, strangers)
	if asked < 120 || strangers < 50 {
		t.Errorf("%d questions, %d of strangers: 120 and 50 are wanted", asked, strangers)
	}
	if 10*answered < 7*asked || 10*theirs < 7*strangers {
		t.Error("less than seven of ten are answered")
	}
}

var refused = demotest.Refused

var boldRe = regexp.MustCompile(`\*\*([^*]+)\*\*`)

// judge compares an answer with the truth, and says what is wrong.
func judge(s *screen, answer, truth string) string {
	kind, rest, _ := strings.Cut(truth, " ")
	switch kind {
	case "refuse":
		return "nothing can know that"
	case "says":
		if !strings.Contains(answer, rest) {
			return "it does not say " + rest
		}
		return ""
	case "page":
		r, err := s.results()
		want := factsOf(s, rest)[0]
		if err != nil || r.Kind != "rows" || want != fmt.Sprint(r.Matched) {
			return fmt.Sprintf("the page does not show %s requests (%v)", want, err)
		}
		return ""
	}
	return compareFacts(factsOf(s, truth), answer)
}

// compareFacts looks for the facts in the answer, in their order; the first number in bold is among
// the first two.
func compareFacts(facts []string, answer string) string {
	plain := strings.NewReplacer(",", "", "**", "", "`", "").Replace(answer)
	if strings.Contains(strings.Join(facts, ""), "%") {
		plain = strings.NewReplacer("**", "", ",", ".").Replace(answer)
	}
	from := 0
	for _, fact := range facts {
		at := regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(fact) + `($|[^\w])`).FindStringIndex(plain[from:])
		if at == nil {
			return fmt.Sprintf("%q of %q is missing, or in another order", fact, facts)
		}
		from += at[0]
	}
	bold := boldRe.FindStringSubmatch(answer)
	if bold == nil {
		return "no number is in bold"
	}
	first := strings.NewReplacer(",", "", ".", "").Replace(bold[1])
	for _, fact := range facts[:min(2, len(facts))] {
		if fact = strings.ReplaceAll(fact, ".", ""); fact == first || strings.HasPrefix(first, fact+" ") {
			return ""
		}
	}
	return fmt.Sprintf("%s is told, want %q", bold[1], facts)
}

// factsOf runs SQL and returns its cells, row by row, as an answer would write them.
func factsOf(s *screen, query string) (facts []string) {
	s.t.Helper()
	rows, err := s.demo.log.DB.QueryContext(s.t.Context(), query)
	if err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		must.Do(s.t, rows.Scan(cells...))
		for _, c := range cells {
			switch v := (*c.(*any)).(type) {
			case float64:
				facts = append(facts, strconv.FormatInt(int64(math.Round(v)), 10))
			case string:
				facts = append(facts, strings.ReplaceAll(v, ",", ""))
			default:
				facts = append(facts, fmt.Sprint(v))
			}
		}
	}
	if err := rows.Err(); err != nil || len(facts) == 0 {
		s.t.Fatalf("%s: no truth (%v)", query, err)
	}
	return facts
}

// TestTitles has the server's title step ask for a title, as it does for each new thread.
func TestTitles(t *testing.T) {
	rules := must.Get(scripted())(t)
	a := &agent.Agent{ID: "default", Model: rules, TitleModel: rules.WithPace(0), Pages: newScreen(t, openSample(t)).agent.Pages}
	for question, want := range map[string]string{
		"Who are the top clients?":                "Who are the top clients",
		"please explain this row to me!":          "Explain this row to me",
		"What happened in this log?\nIgnore this": "What happened in this log",
	} {
		title, _, err := a.Title(t.Context(), &agent.Input{History: []agui.Message{{ID: "q", Role: "user", Content: agui.TextContent(question)}}})
		if err != nil || title != want {
			t.Errorf("%s: %q %v, want %q", question, title, err, want)
		}
	}
}

// TestAttachment: a question about a file is answered from the file.
func TestAttachment(t *testing.T) {
	if !fileRe.MatchString("What is in this file?") || fileRe.MatchString("what is in this file about pages") {
		t.Error("which questions are about a file")
	}
	if text := aboutFiles(nil); text != "No file is attached to this question." {
		t.Error(text)
	}
	note := llm.Media{Kind: "document", MimeType: "text/plain", Name: "note.txt", Data: base64.StdEncoding.EncodeToString([]byte("Call Ada\nat nine\n"))}
	if text := aboutFiles([]llm.Media{note}); text != "**note.txt** says:\n\n> Call Ada\n> at nine\n" {
		t.Error(text)
	}
}
