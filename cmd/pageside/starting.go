package main

import (
	"fmt"
	"net/http"
	"sync/atomic"
)

// starting answers from the moment the server listens: until it has a handler it is alive and not
// ready. Opening a store and taking over the runs of an earlier process may take a while.
type starting struct{ handler atomic.Pointer[http.Handler] }

// serve hands all further requests to the handler.
func (s *starting) serve(h http.Handler) { s.handler.Store(&h) }

// ServeHTTP implements http.Handler.
func (s *starting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := s.handler.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	if r.URL.Path == "/healthz" {
		fmt.Fprintln(w, "ok")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	fmt.Fprintln(w,
		`{"error":{"code":"starting","message":"the server is starting: it opens its store and goes on with the runs of an earlier process"}}`)
}
