// Package httptool makes a tool of an HTTP endpoint that a configuration describes.
//
//	papers, err := httptool.New(httptool.Config{
//		Name:        "search_papers",
//		Description: "Search the paper index.",
//		InputSchema: json.RawMessage(schema), // of index, query and, not required, limit
//		URL: "https://api.example.com/v1/{{.index}}/search?q={{.query}}" +
//			"{{if .limit}}&limit={{.limit}}{{end}}",
//		Headers:     map[string]string{"Authorization": "Bearer " + key},
//		Result:      "{{range .body.hits}}\n- {{.title}} ({{.year}}){{end}}",
//		PayloadType: "paper_list",
//		PayloadPointer: "/card",
//		Effect:      tool.Read,
//	})
//
// The templates are Go's text/template over the call's arguments. Values are escaped for where they
// stand, as html/template does for pages: they cannot leave their segment in a path, their value in
// a query, or their string or value in a JSON body. The host is plain text of the configuration, so
// no argument chooses whom the server calls. An optional argument that the model left out is empty:
// {{if .limit}} tests for it, {{json .limit}} writes null, and a bare {{.limit}} is an error that
// names it. Functions beside Go's own: json, join, default, lower, upper, trim.
//
// Requests go through the egress guard: public addresses only unless the policy says otherwise, no
// redirects to other hosts, bounded in size and time. An answer of 400 and above is an error result
// with what the endpoint said, so that the model can correct itself.
package httptool
