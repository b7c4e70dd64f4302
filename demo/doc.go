// Package demo is the Go side of the demo application Discover: a log explorer over a web server's
// access log, with an assistant beside it.
//
//	d, err := demo.New(ctx, demo.Config{LogFile: "access.log.gz"})
//	defer d.Close()
//	tools, err := tool.NewRegistry(d.Tools()...)
//	pages, err := page.NewRegistry(tools, nil, d.Pages()...)
//	mux.Handle("/demo/", d.Handler())
//
// It holds the page's data and its HTTP API (api.go and query.go, whose answers web/apps/demo has
// as types), the backend tools, the page's instructions for a model, and the rules that the
// scripted model plays where there is no real one. Reading logs is package accesslog's business,
// the query language package ppl's; the page itself, with the frontend tools execute_ppl_query,
// set_time_range, add_filter and select_data_source, lives in web/apps/demo. The other
// application of the demo is package research.
package demo
