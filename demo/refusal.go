package demo

// refusal is all that is said to a question that no rule knows: strangers read one line.
const refusal = "I cannot answer that: I am a **scripted model** with fixed rules, and a real model (`OPENAI_API_KEY` or [Ollama](https://ollama.com)) answers freely. Here you can ask, for example:"

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
