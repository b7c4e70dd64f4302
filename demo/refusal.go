package demo

import (
	"slices"

	"github.com/pageside/pageside/page"
)

// refusal is all that is said to a question that no rule knows: strangers read one line.
const refusal = "I cannot answer that: I am a **scripted model** with fixed rules. A real model answers freely; here you can ask, for example:"

// connectAction opens the page's dialog that connects a model.
const connectAction = "connect_model"

// Connectable returns the pages with the action of the scripted model's refusals. A real model must
// not be told of it: it would suggest another one.
func Connectable(pages []page.Page) []page.Page {
	action := page.Action{Name: connectAction, Description: "connects a model", Handler: page.HandlerClient}
	all := slices.Clone(pages)
	for i := range all {
		all[i].Actions = append(slices.Clip(all[i].Actions), action)
	}
	return all
}

// refuse says why a question is not answered, and offers three that are, and a real model.
func (a *answer) refuse(why string) step {
	return step{text: why + chips(a.offers()) + "\n\nSUGGESTED_ACTIONS: [{\"label\":\"Connect a model\",\"action\":\"" + connectAction + "\"}]"}
}

// offered are three questions that work on a page, by the context that only this page sends: the
// first that is there counts.
var offered = []struct {
	context, field string
	questions      []string
}{
	{"Discover: query and results", "query", []string{"Show errors by status", "Which pages give the most 404s?", "What happened in this log?"}},
	{"Research: trial search", "form", []string{"Which phase is most common?", "Which trials are completed?", "Find recruiting trials with venetoclax"}},
	{"Research: article search", "query", []string{"Which journal has the most articles?", "What patterns do you see?", "Only articles since 2020"}},
	{"Research: stream", "id", []string{"Check this stream", "Which fields is the schema missing?", "Am I missing relevant articles?"}},
	{"Research: reports", "reports", []string{"Compare the last two reports", "Which report is the newest?", "How many reports are there?"}},
	{"Research: article", "pmid", []string{"Summarise this article", "Find similar articles", "Which drug is most common?"}},
	{"Research: library", "articles", []string{"Which drug is most common?", "How many trials are recruiting?", "What is a research stream?"}},
}

// offers are the questions of the page that is open.
func (a *answer) offers() []string {
	for _, o := range offered {
		value, _ := a.asked.Value(o.context).(object)
		if _, ok := value[o.field]; ok {
			return o.questions
		}
	}
	return []string{"Hello"}
}
