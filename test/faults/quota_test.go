package faults

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/test/must"
)

// TestQuotaOutlivesKill: a process is killed while a run that has used tokens makes its next model
// call. The next process counts what was used before, once, ends the run, and refuses whoever has
// used up the quota; and so does the one after it.
func TestQuotaOutlivesKill(t *testing.T) {
	takesChances(t)
	beside(t)
	const quota, first, second = 10_000, 4_000, 6_000
	s := newSite(t)
	var asked atomic.Int64
	s.llm.faults["the first time forever"] = func(w http.ResponseWriter, r *http.Request, _ step) {
		if asked.Add(1) == 1 {
			<-r.Context().Done() // its process is killed
			return
		}
		s.llm.play(w, r, "used", step{Words: 1, Tokens: second}, true)
	}
	limited := func(c *childConfig) { c.Quota = quota }
	b := ask("t", "used", step{Calls: []tcal{{"look", `{"ms":1}`}}, Tokens: first}, step{Fault: "the first time forever"})
	p := s.start(limited)
	gone := make(chan struct{})
	go func() { defer close(gone); p.post(within(t, hang), b) }()
	awaitCount(t, &asked, 1)
	if q := p.quota(t); q.Used != first || q.Held == 0 || q.Limit != quota {
		t.Errorf("before the kill: %+v", q)
	}
	p.kill()
	<-gone

	p = s.start(limited)
	if q := p.quota(t); q.Used != first && q.Used != first+second {
		t.Errorf("right after the restart: %+v", q)
	}
	got := judge("used", p.post(within(t, hang), b))
	if got.finished() == nil {
		t.Fatalf("the run that was killed: %s", got)
	}
	used := usage.Spending{Usage: got.finished().Usage}
	must.Be(t, used.Amount().Tokens, first+second, "the tokens that the run says it used, before and after the kill")
	for range 2 {
		if q := p.quota(t); q.Used != first+second || q.Held != 0 || q.Left != 0 {
			t.Errorf("after the run: %+v", q)
		}
		refused := p.run(within(t, hang), "t2", "more", step{Words: 1})
		must.Be(t, refused.status, http.StatusTooManyRequests, "a run over the quota")
		must.Have(t, refused.refuse, `"quota_exceeded"`, "a run over the quota")
		p.kill()
		p = s.start(limited)
	}
	must.Be(t, asked.Load(), 2, "times that the call under way was made")
	must.Be(t, len(s.llm.requests("more")), 0, "requests of the run that was refused")
	report(t, "quota over kills", "%d tokens used over %d kills: counted once, and runs beyond them refused", first+second, s.starts-1)
}

// quotaOf is a quota in GET /v1/limits.
type quotaOf struct{ Used, Held, Left, Limit int64 }

// quota returns the user's quota of tokens.
func (p *process) quota(t *testing.T) quotaOf {
	t.Helper()
	var limits struct{ Quotas []quotaOf }
	status, answer, err := p.do(http.MethodGet, "/v1/limits", nil)
	if err != nil || status != http.StatusOK || json.Unmarshal([]byte(answer), &limits) != nil || len(limits.Quotas) != 1 {
		t.Fatalf("GET /v1/limits: %d %s %v\n%s", status, answer, err, p.log)
	}
	return limits.Quotas[0]
}

// awaitCount waits until something happened n times.
func awaitCount(t *testing.T, count *atomic.Int64, n int64) {
	t.Helper()
	for begun := time.Now(); count.Load() < n; time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > hang {
			t.Fatalf("it happened %d times in %s, not %d", count.Load(), hang, n)
		}
	}
}
