package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
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

// TestAColleagueReadsASharedThread: with the token, and only in the tenant. Whatever opens nothing
// is answered alike.
func TestAColleagueReadsASharedThread(t *testing.T) {
	b := newClub(t, nil)
	b.do("acme/ann", "POST", "/v1/agents/default/run", input("t1", "r1", "hello"), 200)
	b.do("acme/ann", "PATCH", "/v1/threads/t1", `{"title":"Greetings"}`, 200)
	made := b.share("acme/ann", "t1", "")
	if lasts := made.ExpiresAt.Sub(made.CreatedAt); lasts != 30*24*time.Hour || len(made.Token) < 26 || made.ID == "" {
		t.Errorf("the share is %+v", made)
	}
	var got struct {
		Title                string
		CreatedAt, ExpiresAt time.Time
		Messages             []struct{ Role, Content string }
	}
	must(t, json.Unmarshal([]byte(b.do("acme/bob", "GET", "/v1/shared/"+made.Token, "", 200)), &got))
	if got.Title != "Greetings" || !got.CreatedAt.Equal(made.CreatedAt) || !got.ExpiresAt.Equal(made.ExpiresAt) {
		t.Errorf("bob reads %+v of %+v", got, made)
	}
	if said := fmt.Sprint(got.Messages); said != "[{user hello} {assistant Hello to <you> & all.}]" {
		t.Errorf("bob reads %s", said)
	}
	list := b.do("acme/ann", "GET", "/v1/threads/t1/shares", "", 200)
	if !strings.Contains(list, `{"shares":[{"id":"`+made.ID+`","createdAt":"`) || strings.Contains(list, "token") {
		t.Errorf("the list is %s", list)
	}

	nothing := b.do("acme/bob", "GET", "/v1/shared/AAAAAAAAAAAAAAAAAAAAAAAAAA", "", 404)
	closed := func(what, who, token string) {
		t.Helper()
		if got := b.do(who, "GET", "/v1/shared/"+token, "", 404); got != nothing {
			t.Errorf("%s is answered with %s, want %s", what, got, nothing)
		}
	}
	closed("another tenant's", "globex/bob", made.Token)
	closed("a share of no tenant's", "/bob", made.Token)
	closed("half a token", "acme/bob", made.Token[:13])
	closed("an id", "acme/bob", made.ID)
	b.do("acme/bob", "DELETE", "/v1/threads/t1/shares/"+made.ID, "", 404)
	b.do("acme/ann", "DELETE", "/v1/threads/t1/shares/"+made.ID, "", 204)
	closed("a revoked one", "acme/bob", made.Token)
	gone := b.share("acme/ann", "t1", "")
	b.do("acme/ann", "DELETE", "/v1/threads/t1", "", 204)
	closed("one of a deleted thread", "acme/bob", gone.Token)
	b.do("acme/ann", "PATCH", "/v1/threads/t1", `{"deleted":false}`, 200)
	b.do("acme/bob", "GET", "/v1/shared/"+gone.Token, "", 200)
	b.later.Store(int64(30*24*time.Hour + time.Minute))
	closed("an expired one", "acme/bob", gone.Token)
	b.expectLess("/v1/threads/t1/shares", gone.ID)
}

// expectLess checks that ann's answer lacks a text.
func (b *club) expectLess(path, not string) {
	b.t.Helper()
	if got := b.do("acme/ann", "GET", path, "", 200); strings.Contains(got, not) {
		b.t.Errorf("%s still has %s: %s", path, not, got)
	}
}

func TestSharesLastSoLongAndAreSoMany(t *testing.T) {
	b := newClub(t, nil)
	b.do("acme/ann", "POST", "/v1/agents/default/run", input("t1", "r1", "hello"), 200)
	for _, bad := range []string{"0", "-1", "31536001", "1.5", `"1"`, "1e30"} {
		if got := b.do("acme/ann", "POST", "/v1/threads/t1/shares", `{"expiresIn":`+bad+`}`, 400); !strings.Contains(got, `"field":"expiresIn"`) {
			t.Errorf("%s is refused with %s", bad, got)
		}
	}
	if got := b.do("acme/ann", "POST", "/v1/threads/t1/shares", `{"public":true}`, 400); !strings.Contains(got, `"field":"public"`) {
		t.Errorf("an unknown field is refused with %s", got)
	}
	for _, c := range []struct {
		body string
		want time.Duration
	}{{`{"expiresIn":1}`, time.Second}, {`{"expiresIn":31536000}`, 365 * 24 * time.Hour}, {`{}`, 30 * 24 * time.Hour}} {
		if made := b.share("acme/ann", "t1", c.body); made.ExpiresAt.Sub(made.CreatedAt) != c.want {
			t.Errorf("%s lasts from %v to %v", c.body, made.CreatedAt, made.ExpiresAt)
		}
	}
	b.later.Store(int64(time.Minute)) // the first has expired
	for range store.MaxShares - 2 {
		b.share("acme/ann", "t1", "")
	}
	if got := b.do("acme/ann", "POST", "/v1/threads/t1/shares", "", 409); !strings.Contains(got, `"too_many_shares"`) {
		t.Errorf("one too many is refused with %s", got)
	}
	b.do("acme/bob", "POST", "/v1/agents/default/run", input("t1", "r1", "hello"), 200)
	b.share("acme/bob", "t1", "") // his own thread
}

// TestSharingNeedsUsers: where everybody is one user, or sharing is switched off, nobody shares,
// and nobody reads what was shared before. Clients are told.
func TestSharingNeedsUsers(t *testing.T) {
	for name, c := range map[string]struct {
		adjust  func(*server.Config)
		sharing string
	}{
		"users":        {nil, `"sharing":true`},
		"nobody":       {func(c *server.Config) { c.Authenticate = nil }, `"sharing":false`},
		"switched off": {func(c *server.Config) { c.NoSharing = true }, `"sharing":false`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newClub(t, c.adjust)
			const who = "/local" // who everybody is without authentication
			b.do(who, "POST", "/v1/agents/default/run", input("t1", "r1", "hello"), 200)
			if got := b.do(who, "GET", "/v1/agents/default/capabilities", "", 200); !strings.Contains(got, c.sharing) {
				t.Errorf("capabilities are %s, want %s", got, c.sharing)
			}
			if name == "users" {
				b.share(who, "t1", "")
				return
			}
			refused := b.do(who, "POST", "/v1/threads/t1/shares", "", 403)
			if unknown := b.do(who, "POST", "/v1/threads/t9/shares", "", 403); !strings.Contains(refused, `"sharing_unavailable"`) || unknown != refused {
				t.Errorf("refused with %s and %s", refused, unknown)
			}
			nothing := b.do(who, "GET", "/v1/shared/AAAAAAAAAAAAAAAAAAAAAAAAAA", "", 404)
			_, token, err := b.runs.Share(t.Context(), store.Owner{Subject: "local"}, "t1", time.Hour)
			must(t, err)
			if got := b.do(who, "GET", "/v1/shared/"+token, "", 404); got != nothing {
				t.Errorf("an earlier share is answered with %s, want %s", got, nothing)
			}
			list := b.do(who, "GET", "/v1/threads/t1/shares", "", 200)
			id := strings.Split(list, `"`)[5]
			b.do(who, "DELETE", "/v1/threads/t1/shares/"+id, "", 204)
		})
	}
}

// TestSharingNeedsAPermission: rules say who makes links and who opens those of others. Refusals
// are recorded, and clients are told that sharing is not offered. Owners revoke what they shared
// before.
func TestSharingNeedsAPermission(t *testing.T) {
	rules := &switched{to: policy.Default()}
	set := func(list ...policy.Rule) {
		t.Helper()
		to, err := policy.NewRules(list...)
		must(t, err)
		rules.set(to)
	}
	o := newOffice(t, rules)
	offers := func(who, want string) {
		t.Helper()
		if got := o.do(who, "GET", "/v1/agents/default/capabilities", "", 200); !strings.Contains(got, want) {
			t.Errorf("capabilities for %s are %s, want %s", who, got, want)
		}
	}
	const ann, bob, cid = "acme/ann/staff", "acme/bob/staff", "acme/cid/contractor"
	for _, who := range []string{ann, cid} {
		o.do(who, "POST", "/v1/agents/default/run", input("t1", "r1", "hi"), 200)
		offers(who, `"sharing":true`)
	}
	var ofAnn, ofCid madeShare
	must(t, json.Unmarshal([]byte(o.do(ann, "POST", "/v1/threads/t1/shares", "", 201)), &ofAnn))
	must(t, json.Unmarshal([]byte(o.do(cid, "POST", "/v1/threads/t1/shares", "", 201)), &ofCid))

	set(policy.Rule{On: map[policy.Kind][]string{policy.Agent: {"*"}, policy.Audit: {"*"}}, Then: policy.Allow},
		policy.Rule{Name: "staff shares", Roles: []string{"staff"}, On: on(policy.Sharing, "*"), Then: policy.Allow},
		policy.Rule{Name: "others read", Roles: []string{"guest"}, On: on(policy.Sharing, "*"), Verbs: []policy.Verb{policy.Read}, Then: policy.Allow})
	offers(ann, `"sharing":true`)
	offers(cid, `"sharing":false`)
	offers("acme/dan/guest", `"sharing":false`)
	o.do(ann, "POST", "/v1/threads/t1/shares", "", 201)
	o.do(bob, "GET", "/v1/shared/"+ofAnn.Token, "", 200)
	o.do("acme/dan/guest", "GET", "/v1/shared/"+ofAnn.Token, "", 200)
	refused := func(method, path, verb, words string) {
		t.Helper()
		want := fmt.Sprintf(`{"error":{"code":"not_permitted","details":{"kind":"sharing","name":"","verb":"%s"},"message":"you are not permitted to %s: no rule allows it"}}`, verb, words)
		if got := strings.TrimSpace(o.do(cid, method, path, "", 403)); got != want {
			t.Errorf("%s %s is refused with %s, want %s", method, path, got, want)
		}
	}
	refused("POST", "/v1/threads/t1/shares", "use", "share conversations")
	refused("POST", "/v1/threads/t9/shares", "use", "share conversations")
	refused("GET", "/v1/shared/"+ofAnn.Token, "read", "read shared conversations")
	refused("GET", "/v1/shared/nothing", "read", "read shared conversations")
	if got := o.entries("acme/eve", "kind=denied&subject=cid"); len(got) != 4 || got[0] != "cid: denied/deny/not_run/sharing" {
		t.Errorf("refusals are recorded as %q", got)
	}
	if got := o.entries("acme/eve", "kind=share&subject=cid"); !slices.Equal(got, []string{"cid: share/given/ok/"}) {
		t.Errorf("what cid shared and read is recorded as %q", got)
	}
	if list := o.do(cid, "GET", "/v1/threads/t1/shares", "", 200); strings.Count(list, `"id"`) != 1 {
		t.Errorf("cid's shares are %s", list)
	}
	o.do(cid, "DELETE", "/v1/threads/t1/shares/"+ofCid.ID, "", 204)
	o.do(bob, "GET", "/v1/shared/"+ofCid.Token, "", 404)
}

// TestSharesAreAuditedAndTheirTokensAreNot: who shared what, who read it and who revoked it is in
// the audit log. No log has a token.
func TestSharesAreAuditedAndTheirTokensAreNot(t *testing.T) {
	o := newOffice(t, nil)
	o.do("acme/ann", "POST", "/v1/agents/default/run", input("t1", "r1", "hi"), 200)
	var made madeShare
	must(t, json.Unmarshal([]byte(o.do("acme/ann", "POST", "/v1/threads/t1/shares", "", 201)), &made))
	for range 2 {
		o.do("acme/bob", "GET", "/v1/shared/"+made.Token, "", 200)
	}
	o.do("acme/cid", "GET", "/v1/shared/"+made.Token, "", 200)
	o.do("other/bob", "GET", "/v1/shared/"+made.Token, "", 404)
	o.do("nobody", "GET", "/v1/shared/"+made.Token, "", 401)
	o.do("acme/ann", "DELETE", "/v1/threads/t1/shares/"+made.ID, "", 204)
	want := []string{"ann: share/given/ok/", "bob: share/read/ok/subject ann", "cid: share/read/ok/subject ann", "ann: share/revoked/ok/"}
	if got := o.entries("acme/eve/auditor", "kind=share&thread=t1"); !slices.Equal(got, want) {
		t.Errorf("the log is %q, want %q", got, want)
	}
	if got := o.entries("/root/auditor", "kind=signin"); !slices.Equal(got, []string{": signin/deny/not_run/GET /v1/shared/…"}) {
		t.Errorf("the refused sign-in is recorded as %q", got)
	}
	if all := o.do("acme/eve/auditor", "GET", "/v1/audit", "", 200) + o.do("/root/auditor", "GET", "/v1/audit", "", 200); strings.Contains(all, made.Token) {
		t.Errorf("the audit log has the token: %s", all)
	}
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
