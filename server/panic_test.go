package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
)

// clumsy panics when threads are listed or read.
type clumsy struct{ server.Runs }

func (clumsy) Threads(context.Context, run.Owner, run.ThreadQuery) (run.ThreadPage, error) {
	panic("a secret")
}

func (clumsy) Thread(context.Context, run.Owner, string) (run.Thread, error) {
	panic(fmt.Errorf("a second secret: %w", store.ErrNotFound))
}

// A panic below a handler is an error like any other: the client is told that there was one, and
// the log what it was.
func TestPanicIsAnInternalError(t *testing.T) {
	s := newSite(t, func(cfg *server.Config) { cfg.Runs = clumsy{cfg.Runs} })
	body := s.read(s.get("/v1/threads"), http.StatusInternalServerError)
	if !strings.Contains(body, `"code":"internal"`) || strings.Contains(body, "secret") {
		t.Errorf("the client is told %s", body)
	}
	s.read(s.get("/v1/threads/t1"), http.StatusInternalServerError) // whatever it panics with
	s.read(s.get("/healthz"), http.StatusOK)
	s.Close()
	if !strings.Contains(s.logs.String(), "a secret") || !strings.Contains(s.logs.String(), "a second secret") {
		t.Errorf("the log has %s", s.logs)
	}
}
