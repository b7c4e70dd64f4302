package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest/temp"
)

// club is a server whose callers are named by a header: tenant/subject. Its store's clock can be
// moved.
type club struct {
	*site
	runs  *run.Manager
	later atomic.Int64 // a duration
}

func newClub(t *testing.T, adjust func(*server.Config)) *club {
	t.Helper()
	b := &club{}
	model, err := script.Parse("test", []byte(rules))
	must(t, err)
	pages, err := page.NewRegistry(nil, nil)
	must(t, err)
	st := temp.Store(t, sqlstore.WithClock(func() time.Time { return time.Now().Add(time.Duration(b.later.Load())) }))
	b.site = newSite(t, func(c *server.Config) {
		runs, err := run.NewManager(t.Context(), run.Config{Store: st, Agents: run.Loops(&agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Model: model, Pages: pages}), Logger: c.Logger})
		must(t, err)
		t.Cleanup(func() { runs.Drain(context.WithoutCancel(t.Context())) })
		b.runs, c.Runs = runs, runs
		c.Authenticate = func(r *http.Request) (auth.Principal, error) {
			tenant, subject, _ := strings.Cut(r.Header.Get("X-Who"), "/")
			return auth.Principal{Tenant: tenant, Subject: subject}, nil
		}
		if adjust != nil {
			adjust(c)
		}
	})
	return b
}

func (b *club) do(who, method, path, body string, status int) string {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.URL+path, strings.NewReader(body))
	must(b.t, err)
	req.Header.Set("X-Who", who)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	must(b.t, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	must(b.t, err)
	if resp.StatusCode != status {
		b.t.Fatalf("%s %s as %s: %d %s, want %d", method, path, who, resp.StatusCode, got, status)
	}
	return string(got)
}

// share shares a thread of who.
func (b *club) share(who, thread, body string) (made struct {
	ID, Token            string
	CreatedAt, ExpiresAt time.Time
}) {
	b.t.Helper()
	must(b.t, json.Unmarshal([]byte(b.do(who, "POST", "/v1/threads/"+thread+"/shares", body, http.StatusCreated)), &made))
	return made
}

func TestSharesAreSoMany(t *testing.T) {
	b := newClub(t, nil)
	b.do("acme/ann", "POST", "/v1/agents/default/run", input("t1", "r1", "hello"), 200)
	for range store.MaxShares {
		b.share("acme/ann", "t1", "")
	}
	if got := b.do("acme/ann", "POST", "/v1/threads/t1/shares", "", 409); !strings.Contains(got, `"too_many_shares"`) {
		t.Errorf("one too many is refused with %s", got)
	}
	b.do("acme/bob", "POST", "/v1/agents/default/run", input("t1", "r1", "hello"), 200)
	b.share("acme/bob", "t1", "") // his own thread
}

func TestTokensAreNotLogged(t *testing.T) {
	var log lines
	b := newClub(t, func(c *server.Config) { c.AccessLog = slog.New(slog.NewJSONHandler(&log, nil)) })
	for _, path := range []string{"/v1/shared/TOKEN", "/v1/shared/TOKEN/x", "/v1//shared/TOKEN", "/base/v1/shared/TOKEN"} {
		b.do("acme/bob", "GET", path, "", 404)
	}
	b.Close() // waits for the handlers, which log last
	got := log.of(t, "request")
	for _, line := range got {
		if path := fmt.Sprint(line["path"]); strings.Contains(path, "TOKEN") || !strings.HasSuffix(path, "/shared/…") {
			t.Errorf("logged is %s", path)
		}
	}
	if len(got) < 4 {
		t.Errorf("logged are %v", got)
	}
}
