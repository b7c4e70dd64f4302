package run

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
)

// left is a run that somebody has read for a while and reads no more. It would take eight seconds.
func (f *fixture) left(text string) *Run {
	f.t.Helper()
	r := f.start(f.input("t1", text))
	reader := r.Read(false)
	time.Sleep(2500 * time.Millisecond)
	reader.Close()
	return r
}

// outcome is how a run ended: the outcome's type, success where it names none, or the code of an
// error.
func outcome(t *testing.T, r *Run) string {
	t.Helper()
	all := events(t, r, false)
	legal(t, all)
	switch end := all[len(all)-1].(type) {
	case *agui.RunFinished:
		if end.Outcome == nil {
			return agui.OutcomeSuccess
		}
		return end.Outcome.Type
	case *agui.RunError:
		return end.Code
	}
	return ""
}

// TestNewMessageTakesThePlaceOfAnUnreadRun, at once. What the run has said is kept, and is not
// taken for a whole answer.
func TestNewMessageTakesThePlaceOfAnUnreadRun(t *testing.T) {
	for name, send := range map[string]func(f *fixture) *agui.RunAgentInput{
		"a message": func(f *fixture) *agui.RunAgentInput { return f.input("t1", "hello") },
		"the whole history": func(f *fixture) *agui.RunAgentInput {
			in := f.input("t1", "hello")
			in.Messages = append(messages("u1 a1"), in.Messages...)
			return in
		},
		"the same message, edited": func(f *fixture) *agui.RunAgentInput {
			in := f.input("t1", "hello")
			in.Messages[0].ID = "u1"
			return in
		},
		"an edit": func(f *fixture) *agui.RunAgentInput {
			in := f.input("t1", "hello")
			in.ForwardedProps = rawJSON(`{"pageside":{"replaces":"u1"}}`)
			return in
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, temp.Store(t), nil)
				unread := f.left("slow")
				begun := time.Now()
				r := f.start(send(f))
				if waited := time.Since(begun); waited > patience {
					t.Errorf("it waited %s", waited)
				}
				if got := outcome(t, r) + " after " + outcome(t, unread); got != "success after cancelled" {
					t.Error(got)
				}
				if got := f.thread("t1"); !strings.HasSuffix(got, "user=hello | assistant=Hello to you too.") {
					t.Errorf("thread is %q", got)
				}
				stored, err := f.store.Transcript(t.Context(), ada, "t1", unread.ID)
				if last := stored[len(stored)-1]; err != nil || !strings.Contains(last.Content.Text(), "one two") || !strings.Contains(string(last.Metadata), `"stopped"`) {
					t.Errorf("its answer is kept as %+v, %v", last, err)
				}
			})
		})
	}
}

// TestSupersededIsCancelled: the thread is left as a cancel leaves it, with the calls that were
// under way.
func TestSupersededIsCancelled(t *testing.T) {
	left := map[string]string{}
	for _, how := range []string{"cancelled", "superseded"} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, temp.Store(t), nil)
			r := f.left("hang")
			if how == "cancelled" {
				must(t, f.Cancel(t.Context(), ada, r.ID))
				synctest.Wait()
			}
			events(t, f.start(f.input("t1", "hello")), false)
			calls, err := f.store.ToolCalls(t.Context(), ada, r.ID)
			if err != nil || len(calls) != 1 {
				t.Fatalf("the journal has %+v, %v", calls, err)
			}
			left[how] = outcome(t, r) + ": " + f.thread("t1") + ": " + string(calls[0].State) + " " + calls[0].Result
		})
	}
	if left["superseded"] != left["cancelled"] || !strings.HasPrefix(left["cancelled"], "cancelled: user=hang") {
		t.Errorf("it leaves\n%s\na cancel leaves\n%s", left["superseded"], left["cancelled"])
	}
}

// TestNewMessageWaitsWhileTheRunIsRead by whoever: then the answer is not taken away.
func TestNewMessageWaitsWhileTheRunIsRead(t *testing.T) {
	for name, read := range map[string]func(f *fixture, r *Run) (leave func()){
		"by who asked for it": func(_ *fixture, r *Run) func() { return r.Read(false).Close },
		"by one of two": func(_ *fixture, r *Run) func() {
			r.Read(false).Close()
			return r.Read(true).Close
		},
		"by who follows it": func(f *fixture, r *Run) func() {
			r.Read(false).Close()
			return f.follow(f.t, FollowRequest{RunID: r.ID}).Close
		},
		"by a tab that stays on the thread": func(f *fixture, r *Run) func() {
			r.Read(false).Close()
			return f.follow(f.t, FollowRequest{ThreadID: "t1", Stay: true}).Close
		},
		"by nobody yet": func(*fixture, *Run) func() { return func() {} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, temp.Store(t), nil)
				r := f.start(f.input("t1", "slow"))
				leave := read(f, r)
				begun := time.Now()
				next := f.start(f.input("t1", "hello"))
				if waited := time.Since(begun); waited < 7*time.Second {
					t.Errorf("it waited only %s", waited)
				}
				leave()
				if got := outcome(t, r) + " " + outcome(t, next); got != "success success" {
					t.Error(got)
				}
			})
		})
	}
}

// TestReaderLeavesWhileAMessageWaits: a client closes the connection and sends its message, and the
// server sees that in the other order. A connection that broke has a moment to come back.
func TestReaderLeavesWhileAMessageWaits(t *testing.T) {
	for name, tt := range map[string]struct {
		away time.Duration // how long nobody reads; 0: for good
		want string
	}{
		"for good":     {0, "cancelled success"},
		"for too long": {comeBack + time.Millisecond, "cancelled success"},
		"for a moment": {comeBack / 2, "success success"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, temp.Store(t), nil)
				r := f.start(f.input("t1", "slow"))
				reader := r.Read(false)
				next, err := f.begin(t.Context(), f.input("t1", "hello"))
				reader.Close()
				if tt.away > 0 {
					time.Sleep(tt.away)
					defer f.follow(t, FollowRequest{RunID: r.ID, After: ""}).Close()
				} else {
					time.Sleep(comeBack + patience + time.Millisecond)
					if synctest.Wait(); *next == nil {
						t.Error("it still waits")
					}
				}
				time.Sleep(time.Minute)
				if synctest.Wait(); *err != nil {
					t.Fatal(*err)
				}
				if got := outcome(t, r) + " " + outcome(t, *next); got != tt.want {
					t.Error(got)
				}
			})
		})
	}
}

// TestATabLeavesWhileAMessageWaits: the last one that followed the thread.
func TestATabLeavesWhileAMessageWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		r := f.start(f.input("t1", "slow"))
		r.Read(false).Close()
		tab := f.follow(t, FollowRequest{ThreadID: "t1", Stay: true})
		next, _ := f.begin(t.Context(), f.input("t1", "hello"))
		tab.Close()
		time.Sleep(comeBack + patience + time.Millisecond)
		if synctest.Wait(); *next == nil {
			t.Fatal("it still waits")
		}
		if got := outcome(t, r) + " " + outcome(t, *next); got != "cancelled success" {
			t.Error(got)
		}
	})
}

// TestOnlyANewMessageTakesARunsPlace: everything else waits for it, though nobody reads it.
func TestOnlyANewMessageTakesARunsPlace(t *testing.T) {
	for name, adjust := range map[string]func(*agui.RunAgentInput){
		"the message it answers, sent again": func(in *agui.RunAgentInput) {
			in.Messages[0].ID, in.Messages[0].Content = "u1", agui.TextContent("slow")
		},
		"a tool result": func(in *agui.RunAgentInput) { in.Messages = messages("u1 t1:c1") },
		"an answer to an interrupt": func(in *agui.RunAgentInput) {
			in.Resume = []agui.ResumeEntry{{InterruptID: "i", Status: agui.ResumeCancelled}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, temp.Store(t), nil)
				r := f.left("slow")
				in := f.input("t1", "hello")
				adjust(in)
				f.start(in)
				if got := outcome(t, r); got != "success" {
					t.Errorf("the run ends %s", got)
				}
			})
		})
	}
}

// TestQueueWaitsForARunNobodyReads, where the configuration or the request says so.
func TestQueueWaitsForARunNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, policies := range [][2]Policy{{PolicyQueue, ""}, {PolicyAuto, PolicyQueue}} {
			f := newFixture(t, temp.Store(t), func(c *Config) { c.Policy = policies[0] })
			r := f.left("slow")
			in := f.input("t1", "hello")
			next := value(f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "x", Policy: policies[1]}))(t)
			if got := outcome(t, r) + " " + outcome(t, next); got != "success success" {
				t.Errorf("%v: %s", policies, got)
			}
		}
	})
}

// TestAgentsHaveTheirOwnPolicies, which win over the manager's and give way to the request's. They
// can be replaced while runs go on.
func TestAgentsHaveTheirOwnPolicies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) {
			own := Loop(&agent.Agent{Authorizer: policy.Everything, ID: "own", Model: c.Agents[0].(*loop).Model})
			c.Agents, c.Policies = append(c.Agents, own), map[string]Policy{"own": PolicyReject}
		})
		ask := func(agent, thread string, p Policy) (*Run, error) {
			return f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: agent, Input: f.input(thread, "hello"), Fingerprint: "x", Policy: p})
		}
		leave := func(thread string) *Run {
			r := f.start(f.input(thread, "slow"))
			reader := r.Read(false)
			time.Sleep(1500 * time.Millisecond)
			reader.Close()
			return r
		}
		want := func(what string, r *Run, status string) {
			t.Helper()
			if got := outcome(t, r); got != status {
				t.Errorf("%s: the run before ends %s, want %s", what, got, status)
			}
		}
		before := leave("t1")
		_, err := ask("own", "t1", "")
		wantCode(t, err, CodeThreadBusy)
		if _, err := ask("own", "t1", PolicySupersede); err != nil {
			t.Error(err)
		}
		want("as the request says", before, agui.OutcomeCancelled)

		before = leave("t2")
		if _, err := ask("default", "t2", ""); err != nil {
			t.Error(err)
		}
		want("as the manager says", before, agui.OutcomeCancelled)

		before = leave("t3")
		must(t, f.SetPolicies(map[string]Policy{"own": PolicyQueue}))
		if _, err := ask("own", "t3", ""); err != nil {
			t.Error(err)
		}
		want("as the agent's new policy says", before, agui.OutcomeSuccess)

		for _, bad := range []map[string]Policy{{"nobody": PolicyQueue}, {"own": "wait"}} {
			if err := f.SetPolicies(bad); err == nil {
				t.Errorf("%v is taken", bad)
			}
		}
		f.Drain(t.Context())
	})
}

// TestMessagesThatWaitAreAnsweredInOrder: one that nobody reads gives way to each that was sent
// later.
func TestMessagesThatWaitAreAnsweredInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		first := f.start(f.input("t1", "slow one"))
		reader := first.Read(false)
		second, _ := f.begin(t.Context(), f.input("t1", "slow two"))
		third, _ := f.begin(t.Context(), f.input("t1", "hello three"))
		reader.Close()
		time.Sleep(comeBack + patience + time.Millisecond)
		if synctest.Wait(); *second == nil || *third != nil {
			t.Fatalf("second %v, third %v", *second, *third)
		}
		(*second).Read(false).Close()
		time.Sleep(comeBack + patience + time.Millisecond)
		if synctest.Wait(); *third == nil {
			t.Fatal("the third still waits")
		}
		if got := outcome(t, first) + " " + outcome(t, *second) + " " + outcome(t, *third); got != "cancelled cancelled success" {
			t.Error(got)
		}
	})
}

// TestATakenOverRunIsUnread: whoever read it when its process died has to come back first.
func TestATakenOverRunIsUnread(t *testing.T) {
	st := temp.Store(t)
	a := agentWith(t, &steps{play: []step{hanging("one"), hanging("two")}})
	f := managerWith(t, st, a, nil)
	r := f.start(f.input("t1", "go on"))
	reader := r.Read(false)
	readUntil(t, reader, "one")
	reader.Close()
	handOver(t, f)
	g := managerWith(t, st, a, nil)
	g.n = 10
	next := g.start(g.input("t1", "hello"))
	if got := outcome(t, next); got != "success" {
		t.Error(got)
	}
	if row, err := st.Run(t.Context(), ada, r.ID); err != nil || row.Status != store.RunCancelled {
		t.Errorf("the run is %+v, %v", row, err)
	}
}
