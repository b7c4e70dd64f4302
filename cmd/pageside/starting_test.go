package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

// TestListensBeforeItIsReady: what takes long before the first request keeps nobody from asking
// whether the server lives, and whether it is ready.
func TestListensBeforeItIsReady(t *testing.T) {
	source := must.Get(sourceOf(common{model: "script/" + rulesFile(t)}, "", config.Options{}))(t)
	options := config.Options{Env: environment(nil), OpenModel: modelsOf(environment(nil))}
	built := must.Get(config.Build(t.Context(), source, options))(t)
	defer built.Close()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	preparing, prepared := make(chan struct{}), make(chan struct{})
	what := &site{built: built, log: slog.New(slog.DiscardHandler), prepare: func(context.Context, store.Store) error {
		close(preparing)
		<-prepared
		return nil
	}}
	ctx, stop := context.WithCancel(t.Context())
	s := &started{t: t, url: "http://" + listener.Addr().String(), stop: stop, end: make(chan error, 1)}
	c := common{store: newStore(t), grace: time.Second}
	go func() { s.end <- what.serve(ctx, c, listener, io.Discard) }()
	<-preparing
	s.wants(person{}, "GET", "/healthz", "", http.StatusOK)
	for _, path := range []string{"/readyz", "/v1/agents"} {
		s.wants(person{}, "GET", path, "", http.StatusServiceUnavailable, `"code":"starting"`)
	}
	close(prepared)
	eventually(t, func() bool { status, _ := s.do("GET", "/readyz", ""); return status == http.StatusOK },
		func() string { return "it is never ready" })
	s.ends()
	http.DefaultClient.CloseIdleConnections()
}
