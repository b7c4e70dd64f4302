package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
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
	if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeTooManyRuns && e.Retry > 0 {
		return e.Limit
	}
	return ""
}

// entries is a recorder for the audit log.
type entries struct {
	mu  sync.Mutex
	all []audit.Entry
}

func (e *entries) Record(_ context.Context, entry audit.Entry) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, entry)
	return nil
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
				var kept entries
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
				if len(kept.all) == 0 || len(kept.all) > 10 {
					t.Errorf("%d entries in the audit log", len(kept.all))
				}
				for _, e := range kept.all {
					if e.Kind != audit.Limit || e.Principal.Subject != "mallory" {
						t.Errorf("the audit log has %+v", e)
					}
				}
			})
		})
	}
}

func TestLimitsOnRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) {
			c.Limits = Limits{UserRuns: 2, TenantRuns: 3, Inputs: 1000, UserInputs: 600, Messages: 2}
		})
		other := auth.Principal{Tenant: "u", Subject: "ada"}
		begin := func(p auth.Principal, id string) string {
			_, err := f.startAs(p, id, id, "slow", 0)
			if err != nil && limitOf(err) == "" {
				t.Errorf("%s: %v", id, err)
			}
			return limitOf(err)
		}
		got := []string{begin(bob, "b1"), begin(bob, "b2"), begin(bob, "b3"), begin(mallory, "m1"), begin(mallory, "m2"), begin(other, "o1")}
		if want := ",,user.runs,,tenant.runs,"; strings.Join(got, ",") != want {
			t.Errorf("refused %q, want %q", strings.Join(got, ","), want)
		}
		if u, err := f.Usage(t.Context(), ownerOf(bob)); err != nil || u.Runs != 2 || u.TenantRuns != 3 {
			t.Errorf("usage is %+v, %v", u, err)
		}
		time.Sleep(time.Minute) // all have ended
		if begin(bob, "b4") != "" || begin(bob, "b5") != "" {
			t.Error("ended runs still count")
		}
		in := f.input("t9", "hello")
		in.Messages = append(in.Messages, in.Messages[0], in.Messages[0])
		_, err := f.Start(t.Context(), Request{Principal: other, Agent: "default", Input: in})
		wantCode(t, err, CodeTooLarge)
		f.Drain(t.Context())
		if u, _ := f.Usage(t.Context(), ownerOf(bob)); u.Runs != 0 || u.TenantRuns != 0 || len(f.admission.users) != 0 || len(f.admission.tenants) != 0 {
			t.Errorf("after all have ended, usage is %+v", u)
		}
	})
}

// What waits for its thread holds its input: large ones are bounded for each user and for all.
func TestLimitsOnWaitingInputs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.Limits = Limits{Inputs: 1000, UserInputs: 600, ThreadLine: -1} })
		wait := func(p auth.Principal, id string) *error {
			err := new(error)
			go func() { _, *err = f.startAs(p, "t1", id, "slow", 300) }()
			synctest.Wait()
			return err
		}
		wait(mallory, "m0") // has the thread, and no input any more
		first := []*error{wait(mallory, "m1"), wait(mallory, "m2")}
		if err := *wait(mallory, "m3"); limitOf(err) != "user.inputs" {
			t.Errorf("a third input is refused with %v", err)
		}
		wait(bob, "b0")
		wait(bob, "b1")
		wantCode(t, *wait(bob, "b2"), CodeOverloaded)
		if err := *wait(auth.Principal{Subject: "eve"}, "e1"); err == nil {
			t.Error("inputs beyond the limit of all are accepted")
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if *first[0] != nil || *first[1] != nil {
			t.Errorf("runs that waited were refused: %v, %v", *first[0], *first[1])
		}
		if n := f.admission.inputs.Held(ownerOf(mallory)); n != 0 {
			t.Errorf("%d bytes are still counted", n)
		}
		f.Drain(t.Context())
	})
}

const pixel = "iVBORw0KGgoA"

func TestLimitsOnAttachments(t *testing.T) {
	f := newFixture(t, temp.Store(t), func(c *Config) { c.Limits = Limits{Attachments: 2, AttachmentBytes: 300} })
	picture := func(n int, data string) agui.Content {
		return agui.PartsContent(slices.Repeat([]agui.ContentPart{{Type: agui.PartImage, Source: &agui.Source{Type: "data", Value: data, MimeType: "image/png"}}}, n))
	}
	post := func(thread string, c agui.Content) error {
		in := f.input(thread, "x")
		in.Messages[0].Content = c
		r, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: in.RunID})
		if err == nil {
			events(t, r, false)
		}
		return err
	}
	must(t, post("t1", picture(1, pixel)))
	wantCode(t, post("t1", picture(2, pixel)), CodeTooLarge)
	wantCode(t, post("t2", picture(1, pixel+strings.Repeat("AAAA", 100))), CodeTooLarge)
	if err := post("t1", agui.TextContent("hello")); err != nil {
		t.Errorf("text on a full thread: %v", err)
	}
}

// metered is a model that reports what its calls use. It calls tools so many times, then answers.
type metered struct {
	input, output int64
	calls         int
	prices        llm.Prices
	takes         time.Duration
	silent        bool // it reports nothing
}

func (m metered) Info() llm.Info {
	return llm.Info{Provider: "fake", Model: "metered", Tools: true, Prices: m.prices}
}

func (m metered) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	if err := dialects.Check(req); err != nil {
		return dialects.Refuse(m.Info(), err)
	}
	return func(yield func(llm.Part, error) bool) {
		done := 0
		for _, msg := range req.Messages {
			if msg.Role == llm.RoleTool {
				done++
			}
		}
		if !yield(llm.Part{Kind: llm.TextDelta, Delta: fmt.Sprintf("step %d ", done)}, nil) || !yield(llm.Part{Kind: llm.Pause}, nil) {
			return
		}
		select {
		case <-time.After(m.takes):
		case <-ctx.Done():
			yield(llm.Part{}, ctx.Err())
			return
		}
		if !m.silent {
			yield(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &m.input, Output: &m.output}}, nil)
		}
		if done < m.calls {
			call(fmt.Sprint("c", done), "note", fmt.Sprintf(`{"n":%d}`, done))(ctx, req, yield)
			return
		}
		say("done")(ctx, req, yield)
	}
}

// newMetered is a manager with the model and a tool for it to call.
func newMetered(t *testing.T, st store.Store, model llm.Model, limits Limits) *fixture {
	note := tool.New("note", "Notes a number.", func(_ context.Context, _ *tool.Call, in struct {
		N int `json:"n"`
	}) (tool.Result, error) {
		return tool.Result{Text: fmt.Sprint("noted ", in.N)}, nil
	})
	note.Effect = tool.Read
	return managerWith(t, st, agentWith(t, model, note), func(c *Config) {
		c.Limits, c.Logger = limits, slog.New(slog.DiscardHandler)
	})
}

// codeOf returns the error that ended a run, or "".
func codeOf(t *testing.T, r *Run) (code, message string) {
	t.Helper()
	all := events(t, r, false)
	if e, failed := all[len(all)-1].(*agui.RunError); failed {
		return e.Code, e.Message
	}
	return "", ""
}

// A run that reaches its budget ends with words that say so. What it wrote stays, and the thread
// goes on.
func TestRunReachesItsBudget(t *testing.T) {
	for name, test := range map[string]struct {
		limits Limits
		code   string
		says   string
	}{
		"tokens of a run":    {Limits{Run: store.Amount{Tokens: 3500}}, "budget_exceeded", "3500 tokens"},
		"cost of a run":      {Limits{Run: store.Amount{MicroDollars: 7000}}, "budget_exceeded", "$0.01"},
		"tokens of a day":    {Limits{Day: store.Quotas{User: store.Amount{Tokens: 3500}}}, "quota_exceeded", "3500 tokens a day"},
		"cost of a day":      {Limits{Day: store.Quotas{User: store.Amount{MicroDollars: 7000}}}, "quota_exceeded", "$0.01 a day"},
		"tokens of a tenant": {Limits{Day: store.Quotas{Tenant: store.Amount{Tokens: 3500}}}, "quota_exceeded", "organisation"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newMetered(t, temp.Store(t), metered{input: 500, output: 500, calls: 10, prices: llm.Prices{Input: 1, Output: 3}}, test.limits)
			r := value(f.startAs(adaPrincipal, "t1", "r1", "hello", 0))(t)
			code, message := codeOf(t, r)
			if code != test.code || !strings.Contains(message, test.says) {
				t.Errorf("the run ended with %q: %s", code, message)
			}
			if said := f.thread("t1"); !strings.Contains(said, "step 1") || !strings.Contains(said, "noted 1") {
				t.Errorf("the thread has only %s", said)
			}
		})
	}
}

// Parallel runs use no more than a quota and one percent, with each kind of store, and afterwards
// further ones are refused before they begin, until the next day.
func TestParallelRunsStayWithinQuota(t *testing.T) {
	st := temp.Store(t)
	awayFromMidnight()
	const quota = 100_000
	f := newMetered(t, st, metered{input: 300, output: 200, calls: 3, takes: time.Millisecond}, Limits{UserRuns: -1, Day: store.Quotas{User: store.Amount{Tokens: quota}}})
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			for j := range 20 {
				id := fmt.Sprintf("r%d-%d", i, j)
				r, err := f.startAs(adaPrincipal, id, id, "hello", 0)
				if err != nil {
					wantCode(t, err, CodeQuota)
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
		must(t, st.AddUsage(t.Context(), ada, "rest", store.Amount{Tokens: rest}))
	}
	_, err = f.startAs(adaPrincipal, "late", "late", "hello", 0)
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != CodeQuota || e.Limit != "user.tokens" || !e.Resets.Equal(store.NextDay(time.Now())) || e.Retry <= 0 {
		t.Errorf("a run beyond the quota is refused with %+v", err)
	}
	r := value(f.startAs(bob, "b", "b", "hello", 0))(t)
	if code, message := codeOf(t, r); code != "" {
		t.Errorf("another user's run ended with %s: %s", code, message)
	}
}

// awayFromMidnight waits while a day is about to end.
func awayFromMidnight() {
	if left := time.Until(store.NextDay(time.Now())); left < time.Minute {
		time.Sleep(left)
	}
}

// What was used is still known after a restart, also of a run that was going on: it is counted
// after each model call.
func TestUsageOutlivesTheProcess(t *testing.T) {
	restart := restarts(t)
	awayFromMidnight()
	limits := Limits{Day: store.Quotas{User: store.Amount{Tokens: 1_000_000}}}
	st := restart()
	dead := faulty.NewMortal(st)
	block := make(chan struct{})
	model := &steps{play: []step{metered{input: 300, output: 200, calls: 1}.step(), func(ctx context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
		close(block)
		<-ctx.Done()
		yield(llm.Part{}, ctx.Err())
	}}}
	f := newMetered(t, dead, model, limits)
	if _, err := f.startAs(adaPrincipal, "t1", "r1", "hello", 0); err != nil {
		t.Fatal(err)
	}
	<-block
	dead.Die()
	handOver(f)
	st = restart()
	user, _, err := st.UsageToday(t.Context(), ada)
	if err != nil || user.Used.Tokens != 500 || user.Held.Tokens == 0 {
		t.Fatalf("after a crash %+v was used, %v", user, err)
	}
	// the next process goes on with the run, and what it set aside is not counted twice
	g := newMetered(t, st, metered{input: 300, output: 200}, limits)
	g.awaitEnd("r1")
	user, _, err = st.UsageToday(t.Context(), ada)
	if err != nil || user.Used.Tokens != 1000 || user.Held.Tokens != 0 {
		t.Errorf("in the end %+v was used, %v", user, err)
	}
}

// step is what the model does in one step.
func (m metered) step() step {
	return func(ctx context.Context, req *llm.Request, yield func(llm.Part, error) bool) {
		m.Stream(ctx, req)(yield)
	}
}

// awaitEnd waits until a run that was taken over has ended.
func (f *fixture) awaitEnd(id string) {
	f.t.Helper()
	if r := f.cache.get(ada, id); r != nil {
		<-r.over
	}
}

// Whoever stops each run before the provider reports what it used still pays for it, by an
// estimate.
func TestStoppedRunsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newMetered(t, temp.Store(t), metered{input: 300, output: 200, takes: time.Hour}, Limits{Day: store.Quotas{User: store.Amount{Tokens: 1_000_000}}})
		r := value(f.startAs(adaPrincipal, "t1", "r1", strings.Repeat("hello ", 1000), 0))(t)
		synctest.Wait()
		must(t, f.Cancel(t.Context(), ada, r.ID))
		<-r.over
		user, _, err := f.store.UsageToday(t.Context(), ada)
		if err != nil || user.Used.Tokens < 1000 || user.Held.Tokens != 0 {
			t.Errorf("a run stopped early used %+v, %v", user, err)
		}
	})
}

// What naming the thread used counts too.
func TestTitlesCount(t *testing.T) {
	a := agentWith(t, metered{input: 300, output: 200})
	a.TitleModel = metered{input: 30, output: 20}
	f := managerWith(t, temp.Store(t), a, func(c *Config) { c.Limits.Day.Tenant.Tokens = 1_000_000 })
	r := value(f.startAs(adaPrincipal, "t1", "r1", "hello", 0))(t)
	events(t, r, false)
	if _, tenant, err := f.store.UsageToday(t.Context(), ada); err != nil || tenant.Used.Tokens != 550 {
		t.Errorf("used %+v, %v", tenant, err)
	}
}

var _ limit.Budget = (*account)(nil)

// BenchmarkAdmission is what the limits cost each run that has no quota.
func BenchmarkAdmission(b *testing.B) {
	a := newAdmission(10_000, Limits{}.withDefaults())
	for b.Loop() {
		if err := a.run(ada, 1000); err != nil {
			b.Fatal(err)
		}
		a.decided(ada, 1000)
		a.leave(ada)
	}
}
