// Package research is the Go side of the demo application Research: a library of articles and
// clinical trials, research streams that searches bring up to date, and reports of what a
// stream found, with an assistant beside all of it.
//
//	app, err := research.New(ctx, research.Config{ArticleFile: "articles.jsonl.gz"})
//	mux.Handle("/demo/research/", app.Handler())
//
// It holds the application's data and HTTP API (api.go; web/apps/demo has its types), its backend
// tools, the pages and payload types (pages.yaml, schemas), and the rules of the scripted model
// (script*.yaml). Package pubmed is the query language, package library loads and searches. The
// page itself is in web/apps/demo.
//
// # What the pages tell the assistant
//
// The rules of the scripted model and the prompt read these context items, by description:
//
//	Research: library, Research: streams, Research: stream, Research: article search,
//	Research: trial search, Research: reports, Research: article, Research: open trial
//
// Lists of records are sent in brief, in the order of the page, with the full records available
// through retrieve_items. The scope is {"stream": id} on edit_research_stream and {"report": id} if
// a report is open.
package research
