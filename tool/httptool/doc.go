// Package httptool makes a tool of an HTTP endpoint that a configuration describes.
//
//	papers, err := httptool.New(httptool.Config{
//		Name:        "search_papers",
//		Description: "Search the paper index.",
//		InputSchema: json.RawMessage(`{"type":"object","properties":{"index":{"type":"string"},"query":{"type":"string"},
//			"limit":{"type":"integer"}},"required":["index","query"]}`),
//		URL:         "https://api.example.com/v1/{{.index}}/search?q={{.query}}{{if .limit}}&limit={{.limit}}{{end}}",
//		Headers:     map[string]string{"Authorization": "Bearer " + key},
//		Result:      "{{.body.total}} papers:{{range .body.hits}}\n- {{.title}} ({{.year}}){{end}}",
//		PayloadType: "paper_list",
//		PayloadPointer: "/card",
//		Effect:      tool.Read,
//	})
//
// The templates are Go's text/template over the call's arguments. Values are escaped for the position
// they stand in, as html/template does for pages: in a path they cannot leave their segment, in a
// query their value, in a JSON body their string or value. The host is text of the configuration
// and nothing else, so that no argument chooses whom the server calls. An optional argument that
// the model left out is nothing: {{if .limit}} asks for it, {{json .limit}} writes null, and a bare
// {{.limit}} is an error that names it. Functions beside Go's own: json, join, default, lower,
// upper, trim.
//
// Requests go through the egress guard: public addresses only unless the policy says otherwise, no
// redirects to other hosts, bounded in size and time. An answer of 400 and above is an error result
// with what the endpoint said, so that the model can correct itself.
package httptool
