package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

var (
	mallory = auth.Principal{Tenant: "t", Subject: "mallory"}
	bob     = auth.Principal{Tenant: "t", Subject: "bob"}
)

// startAs starts a run of somebody.
func (f *fixture) startAs(p auth.Principal, thread, id, text string, size int64) (*Run, error) {
	in := &agui.RunAgentInput{ThreadID: thread, RunID: id, ProtocolVersion: "1.0", Messages: []agui.Message{{ID: "u" + id, Role: agui.RoleUser, Content: agui.TextContent(text)}}}
	return f.Start(f.t.Context(), Request{Principal: p, Agent: "default", Input: in, Fingerprint: id, Size: size})
}

// limitOf returns the limit that an error names.
func limitOf(err error) string {
	if e, ok := errors.AsType[*refusal.Error](err); ok && e.Code == refusal.TooManyRuns && e.Retry > 0 {
		return e.Limit
	}
	return ""
}

// One user posts ten thousand runs on one thread and as many on threads of their own. Nobody else
// notices.
func TestOneUserTakesNothingFromOthers(t *testing.T) {
	for name, threadOf := range map[string]func(i int) string{
		"one thread":   func(int) string { return "t1" },
		"many threads": func(i int) string { return fmt.Sprint("t", i) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var kept book
				f := newFixture(t, temp.Store(t), func(c *Config) { c.MaxLive, c.Audit = 100, &kept })
				refused := make([]error, 10_000)
				for i := range refused {
					go func() { _, refused[i] = f.startAs(mallory, threadOf(i), fmt.Sprint("m", i), "slow", 100) }()
				}
				synctest.Wait()
				for i := range 20 {
					if _, err := f.startAs(bob, fmt.Sprint("b", i), fmt.Sprint("b", i), "hello", 100); err != nil {
						t.Fatalf("another user's run %d is refused: %v", i, err)
					}
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				f.Drain(t.Context())
				accepted := map[string]int{}
				for _, err := range refused {
					accepted[limitOf(err)]++
					if err != nil && limitOf(err) == "" {
						t.Fatal(err)
					}
				}
				if n := accepted[""]; n < 5 || n > 32 {
					t.Errorf("%d runs of the first user were accepted: %v", n, accepted)
				}
				if len(kept.entries) == 0 || len(kept.entries) > 10 {
					t.Errorf("%d entries in the audit log", len(kept.entries))
				}
				for _, e := range kept.entries {
					if e.Kind != audit.Limit || e.Principal.Subject != "mallory" {
						t.Errorf("the audit log has %+v", e)
					}
				}
			})
		})
	}
}

// metered is a step of a model that reports what it uses. It calls a tool three times, then
// answers.
func metered(ctx context.Context, req *llm.Request, yield func(llm.Part, error) bool) {
	done := 0
	for _, m := range req.Messages {
		if m.Role == llm.RoleTool {
			done++
		}
	}
	used := sent(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: new(int64(300)), Output: new(int64(200))}})
	parts := []part{spoken([]string{"step"}, 0), idle(time.Millisecond, true), used, ends(llm.FinishStop)}
	if done < 3 {
		parts = append(parts[:3], sent(toolCall("c", done, "note", "{}")...), ends(llm.FinishTools))
	}
	stepOf(parts...)(ctx, req, yield)
}

// Parallel runs use no more than a quota and one percent, with each kind of store, and afterwards
// further ones are refused before they begin, until the next day.
func TestParallelRunsStayWithinQuota(t *testing.T) {
	st := temp.Store(t)
	awayFromMidnight()
	const quota = 100_000
	note := newLedger().tool("note", tool.Read, faulty.NewMortal(nil), "")
	f := managerWith(t, st, agentWith(t, &steps{rest: metered}, note), func(c *Config) {
		c.Limits = Limits{UserRuns: -1, Day: store.Quotas{User: store.Amount{Tokens: quota}}}
	})
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			for j := range 20 {
				id := fmt.Sprintf("r%d-%d", i, j)
				r, err := f.startAs(adaPrincipal, id, id, "hello", 0)
				if err != nil {
					wantCode(t, err, refusal.Quota)
					return
				}
				events(t, r, false)
			}
		})
	}
	all.Wait()
	user, tenant, err := st.UsageToday(t.Context(), ada)
	if err != nil || user.Used.Tokens > quota+quota/100 || user.Used.Tokens < quota*9/10 || user.Held != (store.Amount{}) || tenant != user {
		t.Errorf("used %+v of %d, the tenant %+v, %v", user, quota, tenant, err)
	}
	if rest := quota - user.Used.Tokens; rest > 0 {
		must.Do(t, st.AddUsage(t.Context(), ada, "rest", store.Amount{Tokens: rest}))
	}
	_, err = f.startAs(adaPrincipal, "late", "late", "hello", 0)
	e, ok := errors.AsType[*refusal.Error](err)
	if !ok || e.Code != refusal.Quota || e.Limit != "user.tokens" || !e.Resets.Equal(store.NextDay(time.Now())) || e.Retry <= 0 {
		t.Errorf("a run beyond the quota is refused with %+v", err)
	}
	r := must.Get(f.startAs(bob, "b", "b", "hello", 0))(t)
	must.Be(t, endOf(events(t, r, false)), agui.OutcomeSuccess, "another user's run ends with")
}

// awayFromMidnight waits while a day is about to end.
func awayFromMidnight() {
	if left := time.Until(store.NextDay(time.Now())); left < time.Minute {
		time.Sleep(left)
	}
}
