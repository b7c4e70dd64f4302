// Package tool describes and runs what a model may call on the server: a name, a JSON Schema, a Go
// function, and the bounds it runs in.
//
//	type SearchInput struct {
//		Query string `json:"query" jsonschema:"what to look for"`
//		Limit int    `json:"limit,omitempty" jsonschema:"at most this many hits"`
//	}
//
//	search := tool.New("search_pubmed", "Search PubMed for papers.",
//		func(ctx context.Context, call *tool.Call, in SearchInput) (tool.Result, error) {
//			call.Progress("search", "asking PubMed", 0.2)
//			…
//			return tool.Result{Text: hits}, nil
//		})
//	search.Effect = tool.Read
//	search.Global = true // or name it under a page's Tools
//	tools, err := tool.NewRegistry(search)
//
// ParseArgs reads the arguments that a model wrote: it parses them, repairs them where it can, and
// validates them. Execute runs one call within its bounds: timeout, panics, progress. Whatever goes
// wrong there is a Result for the model, never an error of the run.
//
// Schemas come from sources of different trust: our own structs, configuration, and clients. All
// pass the same linter before they are compiled, because a hundred bytes of JSON Schema can keep a
// validator busy for minutes.
//
// Package page decides which tools are offered where; package agent, which calls a step runs and in
// what order.
package tool
