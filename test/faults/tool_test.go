package faults

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// atPoint is a run whose process dies at one point around its tool calls.
type atPoint struct {
	*site
	random  *rand.Rand
	at      point
	calls   int // of write tools
	unknown int // calls that are reported as unknown
	told    int // calls whose result is known
	cut     int // calls that were never complete
	again   int // effects of read and idempotent tools that were repeated
}

// TestWriteToolsRunAtMostOnce: a process dies at each point around tool calls, with several under
// way. Whatever the point, a call of a tool that writes has its effect at most once; where nobody
// can know whether it had, the reader and the model are told so; where the effect is known, so is
// the result; tools that read or are idempotent come to their results, under the same key.
func TestWriteToolsRunAtMostOnce(t *testing.T) {
	takesChances(t)
	beside(t)
	s := newSite(t)
	random := chance.Rand()
	each := count(10, 200)
	total := atPoint{}
	for _, at := range []point{beforePlan, afterPlan, afterStart, inTool, afterEffect, afterFinish, beforeEnd, afterEnd} {
		n := each
		if at == beforeEnd || at == afterEnd {
			n = max(each/5, 1)
		}
		a := &atPoint{site: s, random: random, at: at}
		for i := range n {
			a.once(t, i)
		}
		report(t, "kill "+string(at), "%d kills, %d calls that write: %d told, %d unknown, %d never begun, 0 twice; %d reads and stamps repeated", n, a.calls, a.told, a.unknown, a.cut, a.again)
		if at == afterStart && a.unknown == 0 {
			t.Error("no outcome was unknown: the program shows nothing")
		}
		total.calls += a.calls
	}
	effects := effectsIn(t, s.ledger())
	for e, n := range effects {
		if e.tool == "pay" && n > 1 {
			t.Errorf("%v had its effect %d times", e, n)
		}
	}
	report(t, "kill around a write tool", "%d calls that write, %d effects of any kind in the ledger; slowest start %s", total.calls, len(effects), s.slow)
}

// once plays one run up to the point, and the rest of it in the next process.
func (a *atPoint) once(t *testing.T, i int) {
	t.Helper()
	id := fmt.Sprintf("%s-%d", strings.ReplaceAll(string(a.at), " ", ""), i)
	id = strings.ReplaceAll(id, "'", "")
	l := &life{body: ask("t-"+id, id, a.play()...)}
	p := a.start(func(c *childConfig) {
		c.KillAt = a.at
		switch a.at {
		case beforePlan, afterPlan:
			c.KillNth = 1 + a.random.Int32N(2) // there are two turns with calls
		case beforeEnd, afterEnd:
		default:
			c.KillNth = 1 + a.random.Int32N(10)
		}
	})
	s := p.post(within(t, soon), l.body)
	l.seen = s.seen
	if !p.endsWithin(soon) || s.err == nil {
		t.Fatalf("%s: the process did not die at its point: %d %s\n%s\n%s", id, s.status, s.refuse, s.seen, p.log)
	}
	p = a.start(nil)
	defer p.kill()
	again := judge(id, p.post(within(t, soon), l.body))
	l.whole = again.seen
	if again.err != nil || !bytes.HasPrefix(l.whole, l.seen) {
		t.Fatalf("%s: the run has no end, or not what was seen before: %s\nbefore:\n%s\n%s", id, again, l.seen, p.log)
	}
	if !again.answered() || again.finished().Outcome != nil && again.finished().Outcome.Type != agui.OutcomeSuccess {
		t.Fatalf("%s: the run does not end well: %s\n%s", id, again, p.log)
	}
	a.judge(t, l, again.all)
}

// play is two turns of ten calls in all, eight of which write, and an answer.
func (a *atPoint) play() []step {
	var turns [2]step
	for i, name := range []string{"pay", "pay", "look", "pay", "pay", "pay", "pay", "stamp", "pay", "pay"} {
		turns[i%2].Words = 1
		turns[i%2].Calls = append(turns[i%2].Calls, tcal{name, fmt.Sprintf(`{"ms":%d,"n":%d}`, a.random.IntN(4), i)})
	}
	return []step{turns[0], turns[1], {Words: 3}}
}

// judge compares what every call of a run did with what was told of it.
func (a *atPoint) judge(t *testing.T, l *life, all []frame) {
	t.Helper()
	effects := effectsIn(t, a.ledger())
	tools, results := map[string]string{}, map[string]string{}
	for _, f := range all {
		switch e := f.event.(type) {
		case *agui.ToolCallStart:
			tools[e.ToolCallID] = e.ToolCallName
		case *agui.ToolCallResult:
			must.Be(t, results[e.ToolCallID], "", "the result of call %s before this one", e.ToolCallID)
			results[e.ToolCallID] = e.Content.Text()
		}
	}
	modelWasTold := a.modelWasTold(l.RunID)
	for id, name := range tools {
		n := effects[effect{name, l.RunID, id}]
		result := results[id]
		must.Be(t, modelWasTold[id], result, "call %s: what the model was told, and the reader", id)
		unknown, cut := strings.Contains(result, "unknown"), strings.Contains(result, `"error"`)
		switch {
		case name != "pay":
			// The start of a call that only reads is not waited for: it may be under way before the
			// journal has it. Then it is as one that never began, and the model may make it again.
			a.again += max(n-1, 0)
			if !cut && (result != "done "+name || n == 0) {
				t.Errorf("call %s of %s had %d effects and is told as %q", id, name, n, result)
			}
			if early := a.at == beforePlan || name == "look" && (a.at == inTool || a.at == afterEffect); cut && !early {
				t.Errorf("call %s of %s, killed %s, is told as %q", id, name, a.at, result)
			}
			continue
		case n > 1:
			t.Errorf("call %s had its effect %d times", id, n)
		case result == "done pay" && n == 1:
			a.told++
		case unknown:
			a.unknown++
		case cut && n == 0:
			a.cut++
		default:
			t.Errorf("call %s had its effect %d times, and is told as %q", id, n, result)
		}
		a.calls++
	}
}

// modelWasTold returns the results of calls as the model was last told them.
func (a *atPoint) modelWasTold(play string) map[string]string {
	told := map[string]string{}
	for _, req := range a.llm.requests(play) {
		for _, m := range req.Messages {
			if m.Role == "tool" {
				told[m.ToolCallID] = m.text()
			}
		}
	}
	return told
}
