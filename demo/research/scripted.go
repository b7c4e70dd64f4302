package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
)

// Scripted returns a scripted model that can also judge rows. It looks for the words of the
// criteria, and says so: it understands nothing.
func Scripted(m llm.Model) llm.Model { return scripted{m} }

type scripted struct{ llm.Model }

func (s scripted) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	if len(req.Tools) != 1 || req.Tools[0].Name != judgeName {
		return s.Model.Stream(ctx, req)
	}
	return func(yield func(llm.Part, error) bool) {
		answer, err := judgeByWords(req)
		if err != nil {
			yield(llm.Part{}, &llm.Error{Kind: llm.KindBadRequest, Model: s.Info().Name(), Message: err.Error()})
			return
		}
		for _, p := range []llm.Part{{Kind: llm.ToolStart, ID: "call_judge", Name: judgeName}, {Kind: llm.ToolArgs, Delta: string(answer)}, {Kind: llm.ToolEnd}, {Kind: llm.FinishPart, Finish: llm.FinishTools}} {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// judgeByWords answers a query for verdicts.
func judgeByWords(req *llm.Request) (json.RawMessage, error) {
	verdicts := []verdict{}
	var terms terms
	kind := ""
	for _, item := range script.ReadRequest(req).Context {
		fields, _ := item.Value.(map[string]any)
		if item.Description == "criteria" {
			kind, terms = fmt.Sprint(fields["type"]), termsOf(fmt.Sprint(fields["criteria"]))
			continue
		}
		verdicts = append(verdicts, terms.judge(kind, fields))
	}
	if kind == "" {
		return nil, errors.New("there are no criteria to judge by")
	}
	return marshal(map[string]any{"rows": verdicts, "note": terms.note()}), nil
}

// terms are the words that the scripted model looks for: all of them must be there.
type terms []string

var (
	inQuotes = regexp.MustCompile(`["“]([^"“”]+)["”]`)
	numbered = map[string]bool{"phase": true, "grade": true, "stage": true, "type": true}
	// filler are words of a question that say nothing of what to look for.
	filler = strings.Fields("a about all an and any are article articles as at be been by can column combination combined deal deals did do does for from has have how if in is it its " +
		"mention mentions mentioned name named of on or paper papers patients report reports row say says show shown studied studies study that the them they this those to trial trials use used uses was were what when where whether which who why with yes no")
)

// termsOf returns what to look for: the phrases in quotation marks, else the telling words, a
// number together with the word before it.
func termsOf(criteria string) (t terms) {
	for _, quoted := range inQuotes.FindAllStringSubmatch(criteria, -1) {
		t = append(t, strings.Join(pubmed.Tokens(quoted[1]), " "))
	}
	if t != nil {
		return t
	}
	words := pubmed.Tokens(criteria)
	for i, w := range words {
		switch {
		case i > 0 && numbered[words[i-1]] && len(w) == 1:
			t[len(t)-1] += " " + w
		case !slices.Contains(filler, w):
			t = append(t, w)
		}
	}
	return t
}

func (t terms) note() string {
	if len(t) == 0 {
		return "The scripted demo model found no words to look for in the criteria."
	}
	return fmt.Sprintf("The scripted demo model understands nothing: it only looks for the words “%s”.", strings.Join(t, "”, “"))
}

// judge looks for the terms in a row.
func (t terms) judge(kind string, fields map[string]any) verdict {
	v := verdict{ID: fmt.Sprint(fields["id"])}
	// first is where a term stands, label that term
	all, total, first, label := len(t) > 0, 0, "", ""
	for _, term := range t {
		passage, n := find(term, fields)
		if all, total = all && n > 0, total+n; n > 0 && first == "" {
			first, label = passage, term
		}
	}
	switch {
	case kind == "yes_no":
		v.Value = all
	case kind == "number":
		v.Value = total
	case kind == "text" && all:
		v.Value = first
	case kind == "category" && first != "":
		v.Value = label
	}
	if v.Value != nil && v.Value != false {
		v.Evidence = first
	}
	return v
}

var sentenceEnd = regexp.MustCompile(`[.!?]\s+`)

// find returns the first sentence of a row that has a term, and how often the row has it. A title
// says more than the beginning of an abstract; a phase is looked up where trials have theirs.
func find(term string, fields map[string]any) (sentence string, count int) {
	words := pubmed.Spaced(term)
	_, isTrial := fields["phase"]
	names := slices.Sorted(maps.Keys(fields))
	if at := slices.Index(names, "title"); at > 0 {
		names = append([]string{"title"}, slices.Delete(names, at, at+1)...)
	}
	for _, name := range names {
		if name == "id" || strings.HasPrefix(term, "phase ") && isTrial && name != "phase" {
			continue
		}
		for _, text := range textsOf(fields[name]) {
			n := strings.Count(pubmed.Spaced(text), words)
			if count += n; n > 0 && sentence == "" {
				sentence = sentenceWith(words, text)
			}
		}
	}
	return sentence, count
}

// textsOf are the texts of a row's field.
func textsOf(value any) (texts []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case []any:
		for _, each := range v {
			texts = append(texts, fmt.Sprint(each))
		}
	}
	return texts
}

func sentenceWith(words, text string) string {
	for _, s := range sentenceEnd.Split(text, -1) {
		if strings.Contains(pubmed.Spaced(s), words) {
			return clipWords(strings.TrimSpace(s))
		}
	}
	return clipWords(text)
}

// clipWords cuts a text without a mark at its end: it stays a quote.
func clipWords(text string) string {
	return strings.TrimSuffix(visible.Clip(text, maxEvidence-10), "…")
}
