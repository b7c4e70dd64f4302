// Package server is the HTTP side of Pageside: credentials, limits, bodies, errors, Server-Sent
// Events, and the REST of threads and settings. Runs are asked for and read in the words of
// protocols, which are packages of their own: see Protocol.
//
//	assistant, err := server.New(server.Config{
//		Runs: manager, Web: web.Script(),
//		Protocols: []server.Protocol{agui.Protocol{}},
//	})
//	if err != nil {
//		return err
//	}
//	http.Handle("/v1/", assistant)
//	http.Handle("/pageside.js", assistant) // the tray, for the script tag
//	http.Handle("/assets/", assistant)
//	http.Handle("/", yourPages)
//
// The program examples/embedded is complete: a tool, a page and users of its own. web.Files would
// serve the demo at /.
//
// A request refused before the first event gets an HTTP status and {"error": {"code", "message",
// "details"}}; later errors are a RUN_ERROR in the stream. Threads, agents, tools and
// the store are behind run.Manager: the package knows none of them but through it.
package server
