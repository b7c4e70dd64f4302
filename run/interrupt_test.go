package run

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// guarded is a tool that a person must agree to.
func guarded(l *ledger, name string) *tool.Tool {
	t := l.tool(name, tool.Write, &mortal{left: -1}, "")
	t.Policy.Approval = tool.ApprovalAlways
	return t
}

// asks returns the interrupts a run ended with.
func asks(t *testing.T, all []agui.Event) []agui.Interrupt {
	t.Helper()
	end, ok := all[len(all)-1].(*agui.RunFinished)
	if !ok || end.Outcome == nil || end.Outcome.Type != agui.OutcomeInterrupt {
		t.Fatalf("it ends with %+v", all[len(all)-1])
	}
	return end.Outcome.Interrupts
}

func answerTo(i agui.Interrupt, payload string) agui.ResumeEntry {
	return agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeResolved, Payload: rawJSON(payload)}
}

// resume answers interrupts, with messages in short hand beside.
func (f *fixture) resume(thread, short string, entries ...agui.ResumeEntry) []agui.Event {
	f.t.Helper()
	in := f.input(thread, "")
	in.Messages, in.Resume = messages(short), entries
	return events(f.t, f.start(in), false)
}

// guardedScene is a thread whose model wants to pay and to ship, both of which need approval, and
// in the same step to paint, which the browser does.
func guardedScene(t *testing.T, st store.Store, calls ...string) (*fixture, *ledger, *steps) {
	world := newLedger()
	var named []string
	for _, name := range calls {
		named = append(named, name, "{}")
	}
	model := &steps{play: []step{call("c", named...)}}
	return managerWith(t, st, agentWith(t, model, guarded(world, "pay"), guarded(world, "ship")), nil), world, model
}

func wantEffects(t *testing.T, world *ledger, want map[string]int) {
	t.Helper()
	for _, name := range []string{"pay", "ship"} {
		if world.effects[name] != want[name] {
			t.Errorf("%s had %d effects, want %d", name, world.effects[name], want[name])
		}
	}
}

func (f *fixture) end(thread string) string {
	f.t.Helper()
	all := strings.Split(f.thread(thread), " | ")
	return all[len(all)-1]
}

func TestApproval(t *testing.T) {
	st := temp.Store(t)
	f, world, _ := guardedScene(t, st, "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	wantEffects(t, world, nil)
	g := managerWith(t, st, deskOf(f.cfg.Agents[0]), nil) // the wait survives a restart
	shown := decode(t, readAll(t, g.follow(t, FollowRequest{ThreadID: "t1"})))
	if again := asks(t, shown); again[0].ID != asked[0].ID {
		t.Errorf("a tab that is opened later is asked %+v", again)
	}
	g.n = 10
	all := g.resume("t1", "", answerTo(asked[0], `{"approved":true}`))
	legal(t, all)
	wantEffects(t, world, map[string]int{"pay": 1})
	if got := g.end("t1"); got != "assistant=done" {
		t.Errorf("thread is %q", g.thread("t1"))
	}
	// the answer again, after a lost connection
	all = g.resume("t1", "", answerTo(asked[0], `{"approved":true}`))
	if got := typesOf(all); got != "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED" {
		t.Errorf("the same answer again: %s", got)
	}
	all = g.resume("t1", "", agui.ResumeEntry{InterruptID: "never", Status: agui.ResumeResolved, Payload: rawJSON(`{"approved":true}`)})
	if got := typesOf(all); got != "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED" {
		t.Errorf("an answer nobody asked for: %s", got)
	}
	wantEffects(t, world, map[string]int{"pay": 1})
}

// TestApprovalAnsweredAgainForAnEarlierRun: a client that lost the connection answers again and
// names the run that asked. That is no branch: what was approved once runs once. The same holds for
// the results of frontend calls, which some clients send one by one.
func TestApprovalAnsweredAgainForAnEarlierRun(t *testing.T) {
	f, world, model := guardedScene(t, temp.Store(t), "pay", "paint")
	asked := asks(t, f.tell("t1", "u1", ""))
	for _, short := range []string{"", "", "t1:c2", "t1:c2"} {
		in := f.input("t1", "")
		in.ParentRunID, in.Messages, in.Resume = "run1", messages(short), []agui.ResumeEntry{answerTo(asked[0], `{"approved":true}`)}
		events(t, f.start(in), false)
	}
	wantEffects(t, world, map[string]int{"pay": 1})
	if got := f.thread("t1"); model.calls() != 2 || f.end("t1") != "assistant=done" || strings.Count(got, "tool=") != 2 {
		t.Errorf("the model was asked %d times, thread is %s", model.calls(), got)
	}
}

// TestApprovalAnsweredTwice: CopilotKit sends the answer as resume and as a tool message.
func TestApprovalAnsweredTwice(t *testing.T) {
	f, world, model := guardedScene(t, temp.Store(t), "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	f.resume("t1", "t1:c1", answerTo(asked[0], `{"approved":true}`))
	f.resume("t1", "t1:c1", answerTo(asked[0], `{"approved":true}`), answerTo(asked[0], `{"approved":false}`))
	wantEffects(t, world, map[string]int{"pay": 1})
	if model.calls() != 2 {
		t.Errorf("the model was asked %d times", model.calls())
	}
	if got := f.thread("t1"); strings.Count(got, "tool=") != 1 || !strings.Contains(got, "tool=pay done") {
		t.Errorf("thread is %q", got)
	}
}

// lockedBuffer is a log that runs write to.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// taken returns what was written since the last call.
func (b *lockedBuffer) taken() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.Reset()
	return b.String()
}

// TestSecondAnswersAreNoWarning: who reads the log can do nothing about what CopilotKit always
// sends; a result of a call that nobody has answered is a warning.
func TestSecondAnswersAreNoWarning(t *testing.T) {
	var log lockedBuffer
	f, _, _ := guardedScene(t, temp.Store(t), "pay")
	f.log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo}))
	asked := asks(t, f.tell("t1", "u1", ""))
	f.tell("t1", "t1:c1", "")
	if got := log.taken(); !strings.Contains(got, "level=WARN") || !strings.Contains(got, "[tool t1]") {
		t.Errorf("a forged result is logged as %q", got)
	}
	f.resume("t1", "t1:c1", answerTo(asked[0], `{"approved":true}`))
	f.resume("t1", "t1:c1 u2")
	if got := log.taken(); strings.Contains(got, "level=WARN") {
		t.Errorf("the log has %s", got)
	}
	if got := f.recorded(audit.Forged); len(got) != 2 {
		t.Errorf("the audit log has %d entries: %+v", len(got), got)
	}
}

// TestToolMessageIsNoApproval: a client cannot give the result of a backend call, nor approve it
// that way.
func TestToolMessageIsNoApproval(t *testing.T) {
	f, world, model := guardedScene(t, temp.Store(t), "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	all := f.tell("t1", `t1:c1`, "")
	if again := asks(t, all); again[0].ID != asked[0].ID {
		t.Errorf("afterwards it waits for %+v", again)
	}
	wantEffects(t, world, nil)
	if model.calls() != 1 || strings.Contains(f.thread("t1"), "tool=") {
		t.Errorf("thread is %q", f.thread("t1"))
	}
}

// TestUserGoesOnInstead: what was not answered is declined, and the run goes on with what the user
// said.
func TestUserGoesOnInstead(t *testing.T) {
	st := temp.Store(t)
	f, world, _ := guardedScene(t, st, "pay", "paint")
	asks(t, f.tell("t1", "u1", ""))
	all := f.tell("t1", "u2", "")
	legal(t, all)
	wantEffects(t, world, nil)
	if got := f.thread("t1"); strings.Count(got, "the user sent a new message") != 2 || f.end("t1") != "assistant=done" {
		t.Errorf("thread is %q", got)
	}
	stored := value(st.Transcript(t.Context(), ada, "t1", ""))(t)
	if open := history.OpenCalls(stored); len(open) > 0 {
		t.Errorf("calls %v wait on", open)
	}
}

// TestAllMustBeAnswered: approvals and frontend results may come in any order and in any number of
// runs; the model is asked when all are in, and until then every run says what is still open.
func TestAllMustBeAnswered(t *testing.T) {
	for name, order := range map[string][]string{
		"approvals first":    {"pay", "ship", "paint"},
		"the browser first":  {"paint", "pay", "ship"},
		"between":            {"pay", "paint", "ship"},
		"all at once":        {"pay ship paint"},
		"approvals at once":  {"pay ship", "paint"},
		"one of each, first": {"paint pay", "ship"},
	} {
		t.Run(name, func(t *testing.T) {
			st := temp.Store(t)
			f, world, model := guardedScene(t, st, "pay", "paint", "ship")
			asked := asks(t, f.tell("t1", "u1", ""))
			by := map[string]agui.Interrupt{}
			for _, i := range asked {
				by[map[string]string{"c1": "pay", "c3": "ship"}[i.ToolCallID]] = i
			}
			left := []string{"pay", "ship", "paint"}
			for _, step := range order {
				in := f.input("t1", "")
				for what := range strings.FieldsSeq(step) {
					left = slices.DeleteFunc(left, func(l string) bool { return l == what })
					if what == "paint" {
						in.Messages = messages("t1:c2")
					} else {
						in.Resume = append(in.Resume, answerTo(by[what], `{"approved":true}`))
					}
				}
				all := events(t, f.start(in), false)
				end := all[len(all)-1].(*agui.RunFinished)
				row := value(st.LastRun(t.Context(), ada, "t1"))(t)
				approvals := slices.DeleteFunc(slices.Clone(left), func(l string) bool { return l == "paint" })
				if len(approvals) > 0 && (end.Outcome == nil || len(end.Outcome.Interrupts) != len(approvals)) {
					t.Errorf("%v are open, and the run ends with %+v", left, end.Outcome)
				}
				if slices.Contains(left, "paint") != slices.Contains(row.Pending, "c2") {
					t.Errorf("%v are open, and the row says %v", left, row.Pending)
				}
				if len(left) > 0 && model.calls() != 1 {
					t.Errorf("the model was asked although %v are open", left)
				}
			}
			wantEffects(t, world, map[string]int{"pay": 1, "ship": 1})
			if model.calls() != 2 || f.end("t1") != "assistant=done" {
				t.Errorf("asked %d times, thread is %q", model.calls(), f.thread("t1"))
			}
		})
	}
}

// TestCrashWhileAnotherCallWaits: an approval is answered while a call of the browser still waits.
// Wherever the process dies, what was approved is carried out, at most once, and the browser's call
// is answered by nobody but the browser.
func TestCrashWhileAnotherCallWaits(t *testing.T) {
	const operations = 7 // of the run that carries the approval out
	for op := 1; op <= operations+1; op++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("operation %d after %v", op, after), func(t *testing.T) {
				st := temp.Store(t)
				f, world, _ := guardedScene(t, st, "pay", "paint")
				asked := asks(t, f.tell("t1", "u1", ""))
				dying := &mortal{Store: st, left: op, after: after}
				g := managerWith(t, dying, deskOf(f.cfg.Agents[0]), nil)
				g.n = 10
				in := g.input("t1", "")
				in.Tools, in.Resume = nil, []agui.ResumeEntry{answerTo(asked[0], `{"approved":true}`)}
				begun := false
				if r, err := g.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f"}); err == nil {
					begun = true
					readAll(t, r.Read(false))
				}
				dying.die()
				now, stop := context.WithCancel(t.Context())
				stop()
				g.Drain(now)
				if op > operations && len(dying.ops) != operations {
					t.Errorf("a run that survives takes the operations %v", dying.ops)
				}

				h := managerWith(t, st, deskOf(f.cfg.Agents[0]), nil)
				h.admission.work.Wait()
				h.n = 20
				if !begun {
					h.resume("t1", "", answerTo(asked[0], `{"approved":true}`))
				}
				if known := strings.Contains(h.thread("t1"), "unknown_outcome"); world.effects["pay"] != 1 && !known {
					t.Errorf("paid %d times, thread is %s", world.effects["pay"], h.thread("t1"))
				}
				stored := value(st.Transcript(t.Context(), ada, "t1", ""))(t)
				if open := history.OpenCalls(stored); !slices.Equal(open, []string{"c2"}) {
					t.Errorf("calls %v are open: %s", open, h.thread("t1"))
				}
				h.tell("t1", "t9:c2", "")
				if got := h.end("t1"); got != "assistant=done" {
					t.Errorf("thread is %q", h.thread("t1"))
				}
			})
		}
	}
}

// TestHandedOver: what the grace does not suffice for, the next process goes on with; readers are
// cut off and come back.
func TestHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := temp.Store(t)
		f := newFixture(t, st, nil)
		r := f.start(f.input("t1", "slow"))
		reader := r.Read(false)
		time.Sleep(2500 * time.Millisecond)
		now, stop := context.WithCancel(t.Context())
		stop()
		begun := time.Now()
		f.Drain(now)
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it took %s", took)
		}
		seen := readAll(t, reader)
		if strings.Contains(seen, "RUN_FINISHED") || strings.Contains(seen, "RUN_ERROR") {
			t.Errorf("readers were sent %q", seen)
		}
		g := newFixture(t, st, nil)
		seen += readAll(t, g.follow(t, FollowRequest{RunID: r.ID, After: lastID(seen)}))
		if log := logOf(t, st, r.ID); seen != log {
			t.Errorf("read %q, the log is %q", seen, log)
		}
		all := decode(t, seen)
		legal(t, all)
		if end, ok := all[len(all)-1].(*agui.RunFinished); !ok || end.Outcome != nil {
			t.Errorf("it ends with %+v", all[len(all)-1])
		}
		if got := g.thread("t1"); got != "user=slow | assistant=one two three  | assistant=one two three four five six seven eight" {
			t.Errorf("thread is %q", got)
		}
		row, err := st.Run(t.Context(), ada, r.ID)
		if err != nil || row.Status != store.RunFinished || row.Epoch != 2 {
			t.Errorf("the run is %+v, %v", row, err)
		}
		g.Drain(t.Context())
	})
}

// TestRunThatBringsProcessesDown: it is taken up three times and then ended.
func TestRunThatBringsProcessesDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := temp.Store(t)
		f := newFixture(t, st, nil)
		r := f.start(f.input("t1", "slow"))
		for i := range maxTakeovers + 1 {
			time.Sleep(1500 * time.Millisecond)
			row, err := st.Run(t.Context(), ada, r.ID)
			if err != nil || row.Status != store.RunLive {
				t.Fatalf("after %d processes the run is %+v, %v", i, row, err)
			}
			now, stop := context.WithCancel(t.Context())
			stop()
			f.Drain(now)
			f = newFixture(t, st, nil)
		}
		all := decode(t, readAll(t, f.follow(t, FollowRequest{RunID: r.ID})))
		legal(t, all)
		if end, ok := all[len(all)-1].(*agui.RunError); !ok || end.Code != "interrupted" {
			t.Errorf("it ends with %+v", all[len(all)-1])
		}
		f.n = 10
		events(t, f.start(f.input("t1", "hello")), false)
		f.Drain(t.Context())
	})
}

// TestAgentThatIsGone: its runs are ended.
func TestAgentThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := temp.Store(t)
		f := newFixture(t, st, nil)
		r := f.start(f.input("t1", "slow"))
		time.Sleep(2500 * time.Millisecond)
		now, stop := context.WithCancel(t.Context())
		stop()
		f.Drain(now)
		g := newFixture(t, st, func(c *Config) { deskOf(c.Agents[0]).ID = "another" })
		all := decode(t, readAll(t, g.follow(t, FollowRequest{RunID: r.ID})))
		if end, ok := all[len(all)-1].(*agui.RunError); !ok || end.Code != "interrupted" {
			t.Errorf("it ends with %+v", all[len(all)-1])
		}
		g.Drain(t.Context())
	})
}

// TestDamagedLogCostsOneRun: the server starts, the run is ended, and the thread goes on.
func TestDamagedLogCostsOneRun(t *testing.T) {
	st := temp.Store(t)
	must(t, st.BeginRun(t.Context(), ada, store.Run{ID: "r1", ThreadID: "t1", Agent: "default", Fingerprint: "f"}, messages("u1 a1(c1)")))
	done := make(chan error)
	st.AppendEvents(ada, store.Batch{RunID: "r1", Epoch: 1, First: 1, Count: 1, Frames: []byte("id: r1:1.1\ndata: nonsense\n\n")}, func(err error) { done <- err })
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, st, nil)
	row, err := st.Run(t.Context(), ada, "r1")
	if err != nil || row.Status != store.RunFailed || row.Error != "interrupted" {
		t.Errorf("run is %+v, %v", row, err)
	}
	if got := f.thread("t1"); !strings.Contains(got, "the server stopped") {
		t.Errorf("thread is %q", got)
	}
	events(t, f.start(f.input("t1", "hello")), false)
}
