package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
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
	built, err := config.Build(t.Context(), source, config.Options{Env: environment(nil), OpenModel: modelsOf(environment(nil))})
	must.Do(t, err)
	defer built.Close()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	url := "http://" + listener.Addr().String()
	preparing, prepared := make(chan struct{}), make(chan struct{})
	what := &site{built: built, log: slog.New(slog.DiscardHandler), prepare: func(context.Context, store.Store) error {
		close(preparing)
		<-prepared
		return nil
	}}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	c := common{store: "sqlite:" + filepath.Join(t.TempDir(), "p.db"), grace: time.Second}
	go func() { ended <- what.serve(ctx, c, listener, io.Discard) }()
	<-preparing
	if status, _ := get(t, url+"/healthz"); status != http.StatusOK {
		t.Errorf("/healthz is %d while it starts", status)
	}
	for _, path := range []string{"/readyz", "/v1/agents"} {
		if status, body := get(t, url+path); status != http.StatusServiceUnavailable || !strings.Contains(body, `"code":"starting"`) {
			t.Errorf("%s is %d %s while it starts", path, status, body)
		}
	}
	close(prepared)
	eventually(t, func() bool { status, _ := get(t, url+"/readyz"); return status == http.StatusOK },
		func() string { return "it is never ready" })
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	resp := must.Get(http.Get(url))(t)
	defer resp.Body.Close()
	raw := must.Get(io.ReadAll(resp.Body))(t)
	return resp.StatusCode, string(raw)
}
