package faults

import (
	"flag"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// op is one thing that happens. What a number means depends on what: all are taken modulo what
// there is.
type op struct {
	What   string
	Thread int
	N      int    // which run, call, message or event is meant
	Wait   int    // milliseconds until the next one
	Plan   script // of a new message
}

// The things that happen.
const (
	opSay       = "say"        // a new user message
	opEdit      = "edit"       // one in place of an earlier one
	opAgain     = "again"      // a request is sent a second time
	opOther     = "other body" // with the same run id
	opResult    = "result"     // the page's answer to its calls
	opApprove   = "approve"
	opDeny      = "deny"
	opAnswerAll = "answer all" // results and approvals together
	opCancel    = "cancel"     // the newest run, or an older one
	opFollow    = "follow"     // a run from any position
	opTab       = "tab"        // the thread
	opShow      = "show"       // the thread, as a request without messages
	opKill      = "kill"
	opKillSoon  = "kill soon" // at one of the next operations of the store, before it or after it
	opDrain     = "drain"
	opSleep     = "sleep"
)

var opKinds = []string{
	opSay, opSay, opSay, opSay, opEdit, opAgain, opOther, opResult, opResult, opApprove, opApprove, opDeny, opAnswerAll,
	opCancel, opCancel, opFollow, opTab, opShow, opKill, opKillSoon, opKillSoon, opDrain, opSleep,
}

var modelFaults = []string{
	"", "", "", "", "", "", "", "", "", "error", "cut", "cut in a call", "hang", "panic", "nothing", "too long", "invalid arguments", "no tool", "same ids",
}

var machineTools = []string{"pay", "pay", "look", "stamp", "transfer", "paint", "ask_user", "slow", "stubborn", "broken"}

func genStep(t *rapid.T) step {
	s := step{
		Words: rapid.IntRange(0, 6).Draw(t, "words"), Pace: rapid.SampledFrom([]int{0, 1, 20, 400}).Draw(t, "pace"),
		Fault: rapid.SampledFrom(modelFaults).Draw(t, "fault"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "calls") {
		s.Calls = append(s.Calls, tcal{Tool: rapid.SampledFrom(machineTools).Draw(t, "tool")})
	}
	return s
}

func genOp(t *rapid.T) op {
	o := op{
		What: rapid.SampledFrom(opKinds).Draw(t, "what"), Thread: rapid.IntRange(0, 1).Draw(t, "thread"),
		N: rapid.IntRange(0, 40).Draw(t, "n"), Wait: rapid.SampledFrom([]int{0, 0, 1, 5, 50, 1000, 60_000}).Draw(t, "wait"),
	}
	if o.What == opSay || o.What == opEdit {
		o.Plan.Steps = rapid.SliceOfN(rapid.Custom(genStep), 1, 3).Draw(t, "steps")
	}
	return o
}

// TestAnySequenceOfFaults: whatever users, models and crashes do in whatever order, no thread is
// stuck afterwards, no model was sent a history it would refuse, every run's stream is legal and is
// what its readers got, and what writes did so at most once.
func TestAnySequenceOfFaults(t *testing.T) {
	beside(t)
	n := count(2000, 100_000)
	rapidChecks(t, n)
	var did tally
	rapid.Check(t, func(rt *rapid.T) {
		ops := rapid.SliceOfN(rapid.Custom(genOp), 4, 24).Draw(rt, "ops")
		var problems []string
		synctest.Test(t, func(t *testing.T) { problems = play(t, ops, &did) })
		if len(problems) > 0 {
			rt.Fatalf("%.4000s\n(%d problems)", problems[0], len(problems))
		}
	})
	report(t, "any sequence of faults", "%d sequences of %d operations: %d runs, %d crashes, %d drains, %d model calls, %d effects; 0 threads stuck, 0 unbalanced histories, 0 illegal streams, 0 writes twice",
		n, did.ops.Load(), did.runs.Load(), did.crashes.Load(), did.drains.Load(), did.asked.Load(), did.effects.Load())
}

// tally counts what the sequences have come to.
type tally struct{ ops, runs, crashes, drains, asked, effects atomic.Int64 }

// rapidChecks sets how many sequences are tried.
func rapidChecks(t *testing.T, n int) {
	t.Helper()
	setFlag(t, "rapid.checks", strconv.Itoa(n))
	setFlag(t, "rapid.nofailfile", "true")
}

func setFlag(t *testing.T, name, value string) {
	t.Helper()
	old := flag.Lookup(name).Value.String()
	must.Do(t, flag.Set(name, value))
	t.Cleanup(func() { _ = flag.Set(name, old) })
}

// play lets one sequence happen and says what is wrong afterwards.
func play(t *testing.T, ops []op, did *tally) []string {
	w := newWorld(t)
	for _, o := range ops {
		w.happen(o)
		time.Sleep(time.Duration(o.Wait) * time.Millisecond)
	}
	w.settle()
	w.judge()
	w.close()
	did.ops.Add(int64(len(ops)))
	did.runs.Add(int64(len(w.runs)))
	did.crashes.Add(int64(w.crashes))
	did.drains.Add(int64(w.drains))
	did.asked.Add(w.model.asked.Load())
	for _, n := range w.effects {
		did.effects.Add(int64(n))
	}
	return w.problems
}

func (w *world) happen(o op) {
	w.mu.Lock()
	dead := w.now.store.Dead()
	w.mu.Unlock()
	if dead {
		w.nextProcess()
	}
	switch o.What {
	case opSay:
		w.say(o, "")
	case opEdit:
		if said := w.saidOn(o.Thread); len(said) > 0 {
			w.say(o, said[o.N%len(said)])
		}
	case opAgain, opOther:
		if r := w.pick(o); r != nil {
			w.request(r.again(o.What == opOther))
		}
	case opResult, opApprove, opDeny, opAnswerAll:
		w.answerWaiting(o)
	case opCancel:
		w.cancel(o)
	case opFollow, opTab:
		w.follow(o)
	case opShow:
		w.request(&asked{thread: threadName(o.Thread), id: w.nextID("show"), shows: true})
	case opKill:
		w.now.store.Die()
		w.nextProcess()
	case opKillSoon:
		w.now.store.DieAt(1+o.N/2, o.N%2 == 0)
	case opDrain:
		w.drain(time.Duration(o.N) * time.Second / 4)
	case opSleep:
		time.Sleep(time.Duration(o.N) * time.Second)
	}
}

func threadName(n int) string { return fmt.Sprintf("t%d", n) }
