package faults

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// life is one run as its client knows it, over all the processes that have executed it.
type life struct {
	*body
	seen  []byte // every event of every connection, joined
	whole []byte // the run's stream at its end
}

// killed is what the program counts.
type killed struct {
	*site
	random *rand.Rand
	runs   []*life
	kills  int
	seen   int
	took   spread // from a restart to the end of the runs it took over
	errors map[string]int
}

// TestNothingSeenIsLostByKill: a process is killed at a random moment, again and again. Every event
// that a client has seen is in the log afterwards, byte for byte, once; every run comes to an end
// soon; every thread answers the next message; nothing is written twice.
func TestNothingSeenIsLostByKill(t *testing.T) {
	takesChances(t)
	beside(t)
	k := &killed{site: newSite(t), random: chance.Rand(), errors: map[string]int{}}
	rounds := count(60, 1000)
	p := k.start(nil)
	for k.kills < rounds {
		runs := k.someRuns(p, 1+k.random.IntN(3))
		p = k.restart()
		for k.random.IntN(6) == 0 { // the next process dies as well
			time.Sleep(time.Duration(k.random.IntN(40)) * time.Millisecond)
			p.kill()
			p = k.restart()
		}
		restarted := time.Now()
		for _, l := range runs {
			k.check(p, l, restarted)
		}
		if t.Failed() {
			t.Fatalf("after %d kills; the last process says:\n%s", k.kills, p.log)
		}
	}
	p.kill()
	k.compare()
	report(t, "kill at random moments", "%d kills over %d runs, %d events seen before a kill: 0 lost, 0 twice; end after restart p50 %s p99 %s max %s; ends other than success: %v",
		k.kills, len(k.runs), k.seen, k.took.at(.5), k.took.at(.99), k.took.at(1), k.errors)
}

// restart starts the next process. The one before is dead.
func (k *killed) restart() *process {
	k.kills++
	return k.start(nil)
}

// someRuns starts runs, each on its own thread, and kills the process while they are live. It
// returns what their clients have seen.
func (k *killed) someRuns(p *process, n int) []*life {
	var clients sync.WaitGroup
	var runs []*life
	for i := range n {
		id := fmt.Sprintf("k%d-%d", len(k.runs), i)
		l := &life{body: ask("t-"+id, id, k.play()...)}
		runs = append(runs, l)
		clients.Go(func() { l.seen = p.post(within(k.t, hang), l.body).seen })
	}
	k.runs = append(k.runs, runs...)
	time.Sleep(time.Duration(k.random.IntN(120)) * time.Millisecond)
	p.kill()
	clients.Wait()
	for _, l := range runs {
		k.seen += bytes.Count(l.seen, []byte("\n\n"))
	}
	return runs
}

// play is some script: text, with tools of each kind or none, with a frontend tool at its end or
// none.
func (k *killed) play() (steps []step) {
	for range k.random.IntN(3) {
		st := step{Words: k.random.IntN(8), Pace: 1 + k.random.IntN(3)}
		for range 1 + k.random.IntN(3) {
			name := []string{"look", "stamp", "pay"}[k.random.IntN(3)]
			st.Calls = append(st.Calls, tcal{name, fmt.Sprintf(`{"ms":%d,"n":%d}`, k.random.IntN(10), k.random.IntN(1000))})
		}
		steps = append(steps, st)
	}
	last := step{Words: 5 + k.random.IntN(25), Pace: 1 + k.random.IntN(4)}
	if k.random.IntN(5) == 0 {
		last.Calls = []tcal{{"paint", `{"colour":"red"}`}}
	}
	return append(steps, last)
}

// soon is how long a run may take to its end after a restart.
var soon = limit(7 * time.Second)

// check has the client of a run come back: with the id it has, and with the whole request.
func (k *killed) check(p *process, l *life, restarted time.Time) {
	t := k.t
	var rest []byte
	if len(l.seen) > 0 {
		s := p.follow(within(t, soon), l.RunID, lastID(l.seen))
		if s.err != nil || s.status != 200 {
			t.Errorf("run %s cannot be followed: %d %s %v", l.RunID, s.status, s.refuse, s.err)
			return
		}
		rest = s.seen
	}
	again := p.post(within(t, soon), l.body)
	if again.err != nil || again.status != 200 {
		t.Errorf("run %s is not there any more, or has no end: %d %s %v", l.RunID, again.status, again.refuse, again.err)
		return
	}
	k.took.add(time.Since(restarted))
	l.whole = again.seen
	if len(l.seen) > 0 && !bytes.Equal(slices.Concat(l.seen, rest), l.whole) {
		t.Errorf("run %s: before the kill a client saw\n%s\nand after it\n%s\nbut the log holds\n%s", l.RunID, l.seen, rest, l.whole)
	}
	k.checkEnd(l)
	k.next(p, l)
}

// checkEnd checks that the run's stream is legal and its end is one that the script or a crash
// explains.
func (k *killed) checkEnd(l *life) {
	told := judge(l.RunID, &stream{seen: l.whole})
	switch end := told.end.(type) {
	case nil:
		k.t.Error(told)
	case *agui.RunError:
		k.errors[end.Code]++
		if end.Code != "interrupted" {
			k.t.Errorf("run %s ends with %s: %s", l.RunID, end.Code, end.Message)
		}
	case *agui.RunFinished:
		if end.Outcome != nil && len(end.Outcome.PendingToolCallIDs) > 0 {
			k.errors["waits for the page"]++
			return
		}
		if !told.answered() {
			k.t.Errorf("run %s ends well, and says only %q\n%s", l.RunID, lastText(told.all), l.whole)
		}
	}
}

// lastText is the last text of a run.
func lastText(all []frame) (text string) {
	for _, f := range all {
		switch e := f.event.(type) {
		case *agui.TextMessageStart:
			text = ""
		case *agui.TextMessageContent:
			text += e.Delta
		}
	}
	return text
}

// next asks the thread for more.
func (k *killed) next(p *process, l *life) {
	id := l.RunID + "-next"
	if s := p.run(within(k.t, soon), l.ThreadID, id, step{Words: 2}); !s.answered() {
		k.t.Errorf("thread %s does not answer any more: %s", l.ThreadID, s)
	}
}

// compare looks into the store itself when all processes are gone.
func (k *killed) compare() {
	t := k.t
	db := must.Get(sqlstore.Open(t.Context(), "sqlite:"+k.db()))(t)
	defer db.Close()
	for _, l := range k.runs {
		if log := logOf(t, db, ada, l.RunID); !bytes.Equal(log, l.whole) {
			t.Errorf("the log of run %s is\n%s\nand its readers got\n%s", l.RunID, log, l.whole)
		}
		checkMessages(t, db, l)
	}
	must.Be(t, len(must.Get(db.LiveRuns(t.Context()))(t)), 0, "runs are live for ever")
	for call, n := range effectsIn(t, k.ledger()) {
		if call.tool == "pay" && n > 1 {
			t.Errorf("%v had its effect %d times", call, n)
		}
	}
}

// logOf is what a store's event log holds of a run.
func logOf(t testing.TB, st store.Store, o store.Owner, runID string) (log []byte) {
	t.Helper()
	next := int64(1)
	for b, err := range st.Events(t.Context(), o, runID, 0) {
		if err != nil {
			t.Fatalf("the log of run %s: %v", runID, err)
		}
		if b.First != next || bytes.Count(b.Frames, []byte("\n\n")) != b.Count {
			t.Fatalf("the log of run %s has a batch of %d from %d, in place of %d", runID, b.Count, b.First, next)
		}
		next += int64(b.Count)
		log = append(log, b.Frames...)
	}
	return log
}

// checkMessages checks that the thread's messages are what the run's stream adds up to.
func checkMessages(t testing.TB, st store.Store, l *life) {
	t.Helper()
	all := must.Get(framesOf(l.whole))(t)
	folded := agui.NewTranscript(nil)
	for _, f := range all {
		must.Be(t, folded.Apply(f.event), nil, "run %s", l.RunID)
	}
	stored := must.Get(st.Transcript(t.Context(), ada, l.ThreadID, l.RunID))(t)
	has := make(map[string]string, len(stored))
	for _, m := range stored {
		has[m.ID] = gist(m)
	}
	for _, m := range folded.Messages() {
		must.Be(t, has[m.ID], gist(m), "run %s: the message that the thread has, and readers were told", l.RunID)
	}
}

// gist is what of a message must be the same everywhere.
func gist(m agui.Message) string {
	s := m.Role + " " + m.ToolCallID + " " + m.Content.Text()
	for _, c := range m.ToolCalls {
		s += " " + c.ID + c.Name + c.Arguments
	}
	return s
}

// effect names a tool call in the ledger.
type effect struct{ tool, run, call string }

// effectsIn counts the effects of each call. A call that came under two keys is counted under both.
func effectsIn(t testing.TB, ledger string) map[effect]int {
	t.Helper()
	text, err := os.ReadFile(ledger)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	n, keys := map[effect]int{}, map[effect]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		e := effect{f[0], f[1], f[2]}
		n[e]++
		if key := keys[e]; key != "" && key != f[3] {
			t.Errorf("%v had its effects under the keys %s and %s", e, key, f[3])
		}
		keys[e] = f[3]
	}
	return n
}

// at returns the duration below which the share q of them lie.
func (s *spread) at(q float64) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == 0 {
		return 0
	}
	slices.Sort(s.all)
	return s.all[min(int(q*float64(len(s.all))), len(s.all)-1)].Round(10 * time.Microsecond)
}
