// Package research is the Go side of the demo application Research: a library of articles and
// clinical trials, research streams that searches bring up to date, and reports of what a
// stream found, with an assistant beside all of it.
//
//	app, err := research.New(ctx, research.Config{ArticleFile: "articles.jsonl.gz"})
//	defer app.Close()
//	mux.Handle("/demo/research/", app.Handler())
//
// It holds the application's data and its HTTP API (api.go, whose answers web/apps/demo has as
// types), its backend tools, and what the assistant is told: pages and payload types (pages.yaml,
// schemas), and the rules that the scripted model plays (script*.yaml). The query language is
// package pubmed's business, loading and searching package library's. The page itself lives in
// web/apps/demo.
//
// # What the pages tell the assistant
//
// The rules of the scripted model and the prompt read these context items, by description:
//
//	Research: library, Research: streams, Research: stream, Research: article search,
//	Research: trial search, Research: reports, Research: article, Research: open trial
//
// Lists of records are sent in brief, with the full records behind retrieve_items, in the order of
// the page. The scope is {"stream": id} on edit_research_stream and {"report": id} where a report
// is open.
package research
