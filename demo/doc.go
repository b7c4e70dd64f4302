// Package demo is the Go side of the demo application Discover: a log explorer over a web server's
// access log, with an assistant beside it.
//
//	d, err := demo.New(ctx, demo.Config{LogFile: "access.log.gz"})
//	defer d.Close()
//	tools, err := tool.NewRegistry(d.Tools()...)
//	pages, err := page.NewRegistry(tools, nil, d.Pages()...)
//	mux.Handle("/demo/", d.Handler())
//	mux.Handle("/_plugins/_ppl", d.Handler())
//
// It holds the page's data and HTTP API (api.go and query.go; web/apps/demo has its types), the
// backend tools, the instructions for a model, and the rules of the scripted model. Package
// accesslog reads logs and package ppl is the query language. The page itself, with the frontend
// tools execute_ppl_query, set_time_range, add_filter, remove_filter and select_data_source, is in
// web/apps/demo. Package research is the demo's other application.
package demo
