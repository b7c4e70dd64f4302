package run

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// ledger is the outside world: it counts the effects of tools.
type ledger struct {
	mu      sync.Mutex
	effects map[string]int
	keys    map[string]string
}

func newLedger() *ledger { return &ledger{effects: map[string]int{}, keys: map[string]string{}} }

// tool returns a tool that has an effect. A dead process has none any more; where kill is set, it
// dies in front of the effect or behind it.
func (l *ledger) tool(name string, effect tool.Effect, st *faulty.Mortal, kill string) *tool.Tool {
	t := tool.New(name, "Has an effect.", func(_ context.Context, c *tool.Call, _ struct{}) (tool.Result, error) {
		if kill == "before the effect" {
			st.Die()
		}
		st.Alive(func() { l.note(name, c) })
		if kill == "after the effect" {
			st.Die()
		}
		return tool.Result{Text: name + " done"}, nil
	})
	t.Effect = effect
	return t
}

// note counts an effect.
func (l *ledger) note(name string, c *tool.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.effects[name]++
	if before := l.keys[c.ID]; before != "" && before != c.Key {
		l.effects["another key"]++
	}
	l.keys[c.ID] = c.Key
}

func (l *ledger) count(name string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.effects[name]
}

// crashScene is a conversation that is cut off by the end of its process and goes on in the next
// one.
type crashScene struct {
	t       *testing.T
	st      store.Store
	world   *ledger
	seen    string // what the client of the first process read
	in      *agui.RunAgentInput
	begun   bool
	crashes int
	ops     []string
	thread  string
}

func (s *crashScene) play() []step {
	return []step{call("c", "look", "{}", "pay", "{}"), say("it ", "is ", "paid")}
}

// first runs until the process dies.
func (s *crashScene) first(op int, after bool, kill string) {
	t := s.t
	st := faulty.NewDying(s.st, op, after)
	a := agentWith(t, &steps{play: s.play()}, s.world.tool("look", tool.Read, st, ""), s.world.tool("pay", tool.Write, st, kill))
	f := managerWith(t, st, a, nil)
	s.in = f.input(s.thread, "pay it")
	s.in.RunID += s.thread
	s.in.Messages[0].ID += s.thread
	r, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: s.in, Fingerprint: "f"})
	if err == nil {
		s.begun = true
		s.seen = readAll(t, r.Read(false))
	}
	s.seen = s.truly(s.seen)
	st.Die()
	handOver(f)
	s.crashes = 1
	s.ops = st.Ops()
}

// between is a process that takes the run up again and dies too, and what the client reads of it.
func (s *crashScene) between(op int, after bool) {
	t := s.t
	st := faulty.NewDying(s.st, op, after)
	f := s.next(st, &steps{play: []step{call("d", "look", "{}"), say("nearly ", "there")}})
	f.admission.Wait()
	if reader, err := f.Follow(t.Context(), FollowRequest{Owner: ada, RunID: s.in.RunID, After: lastID(s.seen)}); err == nil {
		s.seen = s.truly(s.seen + readAll(t, reader))
	}
	st.Die()
	s.crashes++
}

// next is a process that takes over what is left.
func (s *crashScene) next(st *faulty.Mortal, model *steps) *fixture {
	a := agentWith(s.t, model, s.world.tool("look", tool.Read, st, ""), s.world.tool("pay", tool.Write, st, ""))
	return managerWith(s.t, st, a, nil)
}

// truly is what a client has read of a process that died: such a one does not say that its store is
// gone.
func (s *crashScene) truly(seen string) string {
	if cut := strings.Index(seen, `"code":"`+string(refusal.Store)); cut >= 0 {
		return seen[:strings.LastIndex(seen[:cut], "id: ")]
	}
	return seen
}

// last is a process that lives. It takes the run up again; the client comes back.
func (s *crashScene) last() {
	t := s.t
	f := s.next(faulty.NewMortal(s.st), &steps{play: []step{say("the rest"), say("the rest")}})
	f.admission.Wait()
	log := ""
	if _, err := s.st.Run(t.Context(), ada, s.in.RunID); err == nil {
		log = logOf(t, s.st, s.in.RunID)
	}
	if !strings.HasPrefix(log, s.seen) {
		t.Fatalf("the client has seen what the log does not hold:\n%s\nlog:\n%s", s.seen, log)
	}
	if s.begun && log == "" {
		t.Fatal("the run began and has no log")
	}
	if log != "" {
		all := decode(t, log)
		legal(t, all)
		switch end := all[len(all)-1].(type) {
		case *agui.RunFinished:
			if got := f.end(s.thread); got != "assistant=the rest" && got != "assistant=it is paid" && got != "assistant=nearly there" {
				t.Errorf("the run ends well and the thread in the middle of an answer: %s", f.thread(s.thread))
			}
		case *agui.RunError:
			if end.Code != "interrupted" || s.crashes <= maxTakeovers {
				t.Errorf("after %d crashes the run ends with %+v", s.crashes, end)
			}
		default:
			t.Errorf("the run ends with %+v", end)
		}
		s.rest(f, log)
	}
	if n := s.world.count("pay"); n > 1 {
		t.Errorf("paid %d times", n)
	}
	if s.world.count("another key") > 0 {
		t.Error("a call ran again under another key")
	}
	if stored, err := s.st.Transcript(t.Context(), ada, s.thread, ""); err == nil {
		paid := false
		for _, m := range stored {
			paid = paid || m.Role == agui.RoleTool && m.ToolCallID == "c2" && (strings.Contains(m.Content.Text(), "pay done") || strings.Contains(m.Content.Text(), "unknown"))
		}
		if s.world.count("pay") == 1 && !paid {
			t.Errorf("what was paid is neither told nor reported as unknown: %s", f.thread(s.thread))
		}
		if open := history.OpenCalls(stored); len(open) > 0 {
			t.Errorf("calls %v have no result", open)
		}
	}
	// And the thread goes on.
	f.n += 100
	in := f.input(s.thread, "thanks")
	in.RunID += s.thread
	in.Messages[0].ID += s.thread
	must.Be(t, endOf(events(t, f.start(in), false)), agui.OutcomeSuccess, "the next run ends with")
}

// rest has the client come back where it was cut off.
func (s *crashScene) rest(f *fixture, log string) {
	s.t.Helper()
	reader, err := f.Follow(s.t.Context(), FollowRequest{Owner: ada, RunID: s.in.RunID, After: lastID(s.seen)})
	must.Do(s.t, err)
	if got := s.seen + readAll(s.t, reader); got != log {
		s.t.Errorf("before and after the crash the client read\n%s\nand the log is\n%s", got, log)
	}
}

// lastID returns the id of the last frame of a stream.
func lastID(stream string) string {
	i := strings.LastIndex(stream, "id: ")
	if i < 0 {
		return ""
	}
	return frameID([]byte(stream[i:]))
}

// TestCrashAtEveryOperation: wherever the process dies, the next one has every event the client has
// seen and ends the run in order, a tool that writes has its effect at most once, what became of it
// is told, and the thread goes on.
func TestCrashAtEveryOperation(t *testing.T) {
	st := temp.Store(t)
	full := &crashScene{t: t, st: st, world: newLedger(), thread: "all"}
	full.first(-1, false, "")
	t.Logf("operations: %v", full.ops)
	if len(full.ops) < 8 {
		t.Fatalf("only %d operations: %v", len(full.ops), full.ops)
	}
	for op := 1; op <= len(full.ops); op++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("operation %d after %v", op, after), func(t *testing.T) {
				s := &crashScene{t: t, st: st, world: newLedger(), thread: fmt.Sprintf("t%d%v", op, after)}
				s.first(op, after, "")
				s.last()
			})
		}
	}
	for _, kill := range []string{"before the effect", "after the effect"} {
		t.Run(kill, func(t *testing.T) {
			s := &crashScene{t: t, st: st, world: newLedger(), thread: kill}
			s.first(-1, false, kill)
			s.last()
		})
	}
}

// TestCrashAgainAndAgain: the same where the next process dies as well, and the one after it. A run
// that has brought down too many is ended.
func TestCrashAgainAndAgain(t *testing.T) {
	st := temp.Store(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		type crash struct {
			op    int
			after bool
		}
		at := func(least, most int) crash {
			return crash{rapid.IntRange(least, most).Draw(rt, "operation"), rapid.Bool().Draw(rt, "after")}
		}
		first, more := at(2, 12), []crash(nil)
		for range rapid.IntRange(0, 5).Draw(rt, "crashes") {
			more = append(more, at(1, 9))
		}
		if !t.Failed() { // else rapid looks for less that fails, and t cannot tell
			n++
			t.Run(fmt.Sprintf("%d: %v and then %v", n, first, more), func(t *testing.T) {
				s := &crashScene{t: t, st: st, world: newLedger(), thread: fmt.Sprint("t", n)}
				s.first(first.op, first.after, "")
				for _, c := range more {
					s.between(c.op, c.after)
				}
				s.last()
			})
		}
		if t.Failed() {
			rt.Fatal("see what failed first")
		}
	})
}
