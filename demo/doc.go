// Package demo is the Go side of the demo application Discover: a log explorer over a web server's
// access log, with an assistant beside it.
//
//	d, err := demo.New(ctx, demo.Config{LogFile: "access.log.gz", Model: model.Info()})
//	defer d.Close()
//	tools, err := tool.NewRegistry(d.Tools()...)
//	pages, err := page.NewRegistry(tools, nil, d.Pages()...)
//	mux.Handle("/demo/", d.Handler())
//
// It holds the page's data and query API, the backend tools (describe_fields, top_values,
// look_up_client, make_chart, create_alert, list_alerts, delete_alert), the page's instructions for
// a model, and the rules that the scripted model plays where there is no real one. Reading logs is
// package accesslog's business, the query language package ppl's; the page itself, with the
// frontend tools execute_ppl_query, set_time_range, add_filter and select_data_source, lives in
// web/apps/demo.
//
// # HTTP API
//
// JSON in and out. A refused request has {"error": {"code", "message", "details"}}; details.field
// names the field that is wrong. Times are ISO 8601 in UTC.
//
// GET /demo/discover/info describes the log:
//
//	{"source": {"name": "access_log", "file": "access.log.gz", "generated": false, "label": "access.log.gz"},
//	 "total": 9999, "badLines": 1, "time": {"min": "2015-05-17T10:05:00Z", "max": "2015-05-20T21:05:59Z"},
//	 "fields": [{"name": "status", "type": "number", "description": "…"}, …],      type: string, number or time
//	 "sources": [{"name": "access_log", "label": "Access log", "description": "…", "total": 9999, "time": {…}, "fields": […]}, …],
//	 "model": {"name": "script/demo", "scripted": true}, "samples": ["Which pages give the most 404s?", …]}
//
// time is null for an empty log. POST /demo/discover/query runs a query:
//
//	{"query": "source=access_log | where status = 404",      PPL; empty means the whole source
//	 "time": {"from": "2015-05-17T10:00:00Z", "to": null},   both ends included, each may be null or absent
//	 "filters": [{"field": "clientip", "op": "is", "value": "1.2.3.4", "disabled": false}],
//	 "page": 1, "pageSize": 50,                              pageSize 1 to 200; the first 10,000 rows can be paged through
//	 "sort": {"field": "bytes", "dir": "desc"},              by a column of the result; null keeps the query's own order
//	 "interval": "auto"}                                     of the histogram, or one of 1s 5s 10s 30s 1m 5m 10m 30m 1h 3h 6h 12h 1d 1w 4w
//
// Filter operators are "is", "is not", "contains" (strings, ignoring case), ">=" and "<=". A value
// is a string or a number; null with "is" and "is not" asks for missing values. "is not" keeps rows
// without the field. Unknown properties are refused. The answer:
//
//	{"kind": "rows",                                         or "table" where the query has stats
//	 "columns": [{"name": "_id", "type": "number"}, {"name": "timestamp", "type": "time"}, …],
//	 "rows": [[17, "2015-05-17T10:05:03Z", "83.149.9.216", …], …],
//	 "total": 213,                                           rows of the result before paging
//	 "matched": 213,                                         events that time, filters and the where commands before the first command that aggregates or cuts let through
//	 "histogram": {"interval": "1h", "buckets": [{"from": "2015-05-17T10:00:00Z", "count": 74, "errors": 2}, …]},
//	 "tookMs": 4, "ppl": "source=access_log | where status = 404"}
//
// Rows of kind "rows" begin with the hidden column _id. Values are strings, numbers or null; times
// are strings. The histogram counts the matched events over the requested time as far as the log
// reaches (where the query's own conditions name timestamp: over what they leave), without gaps;
// errors have a status of 400 or more. A query that is wrong is 422:
//
//	{"error": {"code": "ppl_error", "message": "unknown field \"statu\"; did you mean status?",
//	           "details": {"line": 1, "column": 27, "length": 5, "expected": ["status"]}}}
//
// line and column count from 1, column and length in code points; length 0 points at the query's
// end. 422 query_timeout means that it ran longer than Config.QueryTimeout.
//
// GET /demo/discover/rows/{id}?source=access_log is one row: {"fields": {"timestamp": "…",
// "status": 404, …}, "raw": "the line of the log"}.
//
// GET /demo/discover/alerts lists the alerts, which Config.Keep keeps: {"alerts": [{"id", "name",
// "query", "threshold", "interval", "fired", "peak", "peakAt", "createdAt"}, …]}. DELETE
// /demo/discover/alerts/{id} takes one off the list, POST /demo/discover/alerts/{id}/restore puts
// it back; both answer with it.
package demo
