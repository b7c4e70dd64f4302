package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
)

// clumsy is a store that panics when threads are listed.
type clumsy struct{ store.Store }

func (clumsy) Threads(context.Context, store.Owner, store.ThreadQuery) (store.Page[store.FoundThread], error) {
	panic("a secret")
}

func (clumsy) Thread(context.Context, store.Owner, string) (store.Thread, error) {
	panic(fmt.Errorf("a second secret: %w", store.ErrNotFound))
}

// A panic below a handler is an error like any other: the client is told that there was one, and
// the log what it was.
func TestPanicIsAnInternalError(t *testing.T) {
	s := newSiteOn(t, clumsy{temp.Store(t)}, nil)
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
