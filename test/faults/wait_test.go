package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// TestWaitingSurvivesKill: a run ends waiting for the page's tool, for an approval, or for both;
// the process is killed, and the next one takes the answer, whichever client brings it, once.
func TestWaitingSurvivesKill(t *testing.T) {
	takesChances(t)
	beside(t)
	s := newSite(t)
	random := chance.Rand()
	n := count(6, 60)
	answered := map[string]int{}
	for i := range n {
		w := &waiting{t: t, site: s, id: fmt.Sprintf("w%d", i)}
		w.calls = [][]string{{"paint"}, {"transfer"}, {"paint", "transfer", "pay"}}[i%3]
		p := s.start(nil)
		w.begin(p)
		p.kill()
		p = s.start(nil)
		w.stillWaits(p)
		if random.IntN(2) == 0 { // and again
			p.kill()
			p = s.start(nil)
		}
		w.answer(p)
		p.kill()
		answered[strings.Join(w.calls, " + ")]++
		if t.Failed() {
			t.Fatalf("the last process says:\n%s", p.log)
		}
	}
	for e, n := range effectsIn(t, s.ledger()) {
		if n > 1 {
			t.Errorf("%v had its effect %d times", e, n)
		}
	}
	report(t, "kill while waiting", "%d waits survived %d kills and were answered, once each: %v", n, s.starts-1, answered)
}

// waiting is a thread that waits for an answer over the death of its process.
type waiting struct {
	*site
	t     *testing.T
	id    string
	calls []string

	pending    []string
	interrupts []agui.Interrupt
	first      []byte
}

// begin plays the run that ends waiting.
func (w *waiting) begin(p *process) {
	asks := step{Words: 2}
	for i, name := range w.calls {
		asks.Calls = append(asks.Calls, tcal{name, fmt.Sprintf(`{"n":%d}`, i)})
	}
	got := w.finished(p.run(within(w.t, soon), "t-"+w.id, w.id, asks, step{Words: 3}))
	w.first = got.seen
	w.pending, w.interrupts = waitsFor(got)
	asked := strings.Join(w.calls, " ")
	if len(w.pending) != strings.Count(asked, "paint") || len(w.interrupts) != strings.Count(asked, "transfer") {
		w.t.Fatalf("%v: the run ends waiting for %v and %v\n%s", w.calls, w.pending, w.interrupts, got.seen)
	}
}

// waitsFor returns what a run's end says it waits for. Where a person is asked, the page's calls
// are those without a result.
func waitsFor(r *told) (pending []string, interrupts []agui.Interrupt) {
	outcome := r.finished().Outcome
	if outcome == nil {
		return nil, nil
	}
	if len(outcome.Interrupts) == 0 {
		return outcome.PendingToolCallIDs, nil
	}
	for _, f := range r.all {
		switch e := f.event.(type) {
		case *agui.ToolCallStart:
			if e.ToolCallName == "paint" {
				pending = append(pending, e.ToolCallID)
			}
		case *agui.ToolCallResult:
			pending = slices.DeleteFunc(pending, func(id string) bool { return id == e.ToolCallID })
		}
	}
	return pending, outcome.Interrupts
}

// finished ends the test if a run did not end well.
func (w *waiting) finished(r *told) *told {
	w.t.Helper()
	if r.finished() == nil {
		w.t.Fatalf("%s: %s", w.id, r)
	}
	return r
}

// stillWaits checks that the next process shows the run as it was, and the thread as waiting for
// the same.
func (w *waiting) stillWaits(p *process) {
	if again := p.follow(within(w.t, soon), w.id, ""); string(again.seen) != string(w.first) {
		w.t.Errorf("%s: after the kill the run reads as\n%s\nbefore it\n%s", w.id, again.seen, w.first)
	}
	s := p.events(within(w.t, soon), "/v1/threads/t-"+w.id+"/events?protocolVersion=1.0", "", -1)
	all, err := framesOf(s.seen)
	if err != nil || len(all) != 3 {
		w.t.Fatalf("%s: the thread reads as %d %s %v\n%s", w.id, s.status, s.refuse, err, s.seen)
	}
	end, ok := all[2].event.(*agui.RunFinished)
	if !ok || end.Outcome == nil {
		w.t.Fatalf("%s: the thread does not say that it waits\n%s", w.id, s.seen)
	}
	if len(w.interrupts) != len(end.Outcome.Interrupts) || len(w.interrupts) == 0 && !slices.Equal(w.pending, end.Outcome.PendingToolCallIDs) {
		w.t.Errorf("%s: the thread waits for %+v, and the run did for %v and %v", w.id, end.Outcome, w.pending, w.interrupts)
	}
}

// answer answers everything, and the same again: the second time is as none.
func (w *waiting) answer(p *process) {
	b := empty("t-"+w.id, w.id+"-answer")
	for _, id := range w.pending {
		b.Messages = append(b.Messages, object{"id": "m-" + id, "role": "tool", "toolCallId": id, "content": "painted"})
	}
	for _, i := range w.interrupts {
		b.Resume = append(b.Resume, object{"interruptId": i.ID, "status": "resolved", "payload": object{"approved": true}})
	}
	s := w.finished(judge(b.RunID, p.post(within(w.t, soon), b)))
	if !s.answered() {
		w.t.Errorf("%s: the answer is not gone on from: %s", w.id, s)
	}
	if len(w.interrupts) > 0 && effectsIn(w.t, w.ledger())[effect{"transfer", b.RunID, w.interrupts[0].ToolCallID}] != 1 {
		w.t.Errorf("%s: what was approved was not carried out\n%s", w.id, s.seen)
	}
	before := len(w.llm.requests(w.id))
	b.RunID += "-twice"
	w.finished(judge(b.RunID, p.post(within(w.t, soon), b)))
	must.Be(w.t, len(w.llm.requests(w.id)), before, "%s: requests after the same answer a second time", w.id)
}
