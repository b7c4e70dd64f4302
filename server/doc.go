// Package server is the HTTP side of Pageside: routes, decoding, Server-Sent Events, and errors.
//
//	handler, err := server.New(server.Config{Runs: manager, Store: st, Web: web.Files()})
//	if err != nil {
//		return err
//	}
//	http.ListenAndServe("127.0.0.1:8420", handler)
//
// A request refused before the first event gets an HTTP status and {"error": {"code", "message",
// "details"}}; later errors are a RUN_ERROR in the stream. The package takes interfaces and an
// fs.FS: it knows no SQL and no vendor. Package run handles runs.
package server
