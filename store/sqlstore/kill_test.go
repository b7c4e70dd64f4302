package sqlstore_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

const victimEnv = "PAGESIDE_TEST_VICTIM"

// killsEnv says how often the writing process is killed.
const killsEnv = "PAGESIDE_TEST_KILLS"

// chooses when victims are killed.
var chooses = chance.Rand()

// TestKilled kills a process that writes, again and again, and checks that nothing it has
// acknowledged is lost, that no event is there twice and none that was never written.
func TestKilled(t *testing.T) {
	inLong(t)
	kills := 10
	if n, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil {
		kills = n
	}
	path := newPath(t)
	var all []string
	for round := range kills {
		acknowledged := killOnce(t, path)
		all = append(all, acknowledged...)
		s, err := sqlstore.Open(t.Context(), path)
		if err != nil {
			t.Fatalf("after kill %d: %v", round+1, err)
		}
		if lost := checkAll(t, s, acknowledged); len(lost) > 0 {
			t.Fatalf("kill %d lost %d acknowledged writes: %v", round+1, len(lost), lost[0])
		}
		takeUpLiveRuns(t, s)
		must.Do(t, s.Close())
		if round%25 == 0 || round == kills-1 {
			integrity(t, path)
		}
	}
	s := open(t, path)
	if lost := checkAll(t, s, all); len(lost) > 0 {
		t.Errorf("%d acknowledged writes were lost later: %v", len(lost), lost[0])
	}
	must.Be(t, len(get(s.LiveRuns(t.Context()))), 0, "live runs that are left")
	if total := len(all); total < 10*kills {
		t.Errorf("only %d writes were acknowledged: the test shows nothing", total)
	}
	t.Logf("%d acknowledged writes survived %d kills", len(all), kills)
}

// killOnce runs a victim, kills it in the middle of its writing and returns what it had
// acknowledged.
func killOnce(t *testing.T, path string) []string {
	t.Helper()
	p := start(t, victimEnv+"="+path)
	late := time.AfterFunc(2*time.Minute, func() { p.cmd.Process.Kill() })
	defer late.Stop()
	acknowledged := []string{p.line()}
	enough := 10 + chooses.IntN(300) // it is always somewhere else by then
	for {
		if len(acknowledged) == enough {
			p.cmd.Process.Kill()
		}
		line, err := p.lines.ReadString('\n')
		if err != nil {
			p.cmd.Wait()
			return acknowledged // what has no end of line was not acknowledged
		}
		acknowledged = append(acknowledged, strings.TrimSpace(line))
	}
}

// victim carries out runs in several goroutines for ever, and prints what the store has said is
// durable.
func victim(path string) {
	s, err := sqlstore.Open(context.Background(), path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	report := func(what string, err error) error {
		if err != nil {
			fmt.Fprintln(os.Stderr, what, err)
			os.Exit(1)
		}
		// one write each: lines of several goroutines do not mix
		os.Stdout.WriteString(what + "\n")
		return nil
	}
	for w := range 8 {
		go func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d-%d", os.Getpid(), w, i)
				_ = carryOut(s, id, fmt.Sprintf("t%d-%d", os.Getpid(), w%4), 1, report)
			}
		}()
	}
	select {}
}

// carryOut carries out a run whose question is several messages. It reports every write as soon as
// the store says that it is durable, as what was written and the run's id; report may be called by
// several goroutines.
func carryOut(s store.Store, id, thread string, questions int, report func(what string, err error) error) error {
	ctx := context.Background()
	told := func(what string, err error) error { return report(what+" "+id, err) }
	messages := make([]agui.Message, questions)
	for i := range messages {
		messages[i] = text(fmt.Sprint(id, "q", i))
	}
	if err := told("begun", begun(s, id, thread, messages...)); err != nil {
		return err
	}
	var open sync.WaitGroup
	for seq := int64(1); seq <= 12; seq++ {
		open.Add(1)
		s.AppendEvents(me, event(id, seq), func(err error) {
			_ = told(fmt.Sprint("event/", seq), err)
			open.Done()
		})
		if seq%3 == 0 { // sometimes one is in flight, sometimes several
			open.Wait()
		}
	}
	err := told("planned", s.PlanCalls(ctx, me, id, []journal.ToolCall{{ID: "c"}}, true))
	if err == nil {
		err = told("saved", s.SaveMessages(ctx, me, thread, id, []agui.Message{text(id + "a")}))
	}
	if err == nil {
		err = told("ended", ended(s, id, event(id, 13), text(id+"b")))
	}
	return err
}

// takeUpLiveRuns does what a server does after a restart: it goes on where the log ends.
func takeUpLiveRuns(t *testing.T, s store.Store) {
	t.Helper()
	for _, r := range get(s.LiveRuns(t.Context())) {
		id := r.Run.ID
		last := get(checkEvents(t, s, id))
		epoch, err := s.TakeOver(t.Context(), r.Owner, id)
		if err != nil || epoch != r.Run.Epoch+1 {
			t.Fatalf("run %s was taken over in epoch %d, %v", id, epoch, err)
		}
		end := store.Run{ID: id, Status: store.RunFailed, Error: "interrupted", Epoch: epoch}
		must.Do(t, s.EndRun(t.Context(), r.Owner, end, nil, event(id, last+1)))
		must.Be(t, get(checkEvents(t, s, id)), last+1, "the last event of run %s", id)
	}
}

// claim is what was acknowledged of one run.
type claim struct {
	done   map[string]bool // begun, planned, saved, ended
	events int64           // the number of the last
}

// claims reads acknowledgements, each written as what and the run's id.
func claims(acknowledged []string) map[string]*claim {
	all := map[string]*claim{}
	for _, line := range acknowledged {
		what, id, _ := strings.Cut(line, " ")
		if all[id] == nil {
			all[id] = &claim{done: map[string]bool{}}
		}
		kind, number, _ := strings.Cut(what, "/")
		n, _ := strconv.ParseInt(number, 10, 64)
		all[id].done[kind], all[id].events = true, max(all[id].events, n)
	}
	return all
}

// checkAll returns what is missing of what was acknowledged. That the events of a run are without
// gaps and those that were written fails the test: it must hold whatever was acknowledged.
func checkAll(t *testing.T, s store.Store, acknowledged []string) (lost []error) {
	t.Helper()
	threads := map[string]map[string]bool{} // their messages: a thread is asked about many times
	for id, c := range claims(acknowledged) {
		if err := c.check(t, s, id, threads); err != nil {
			lost = append(lost, fmt.Errorf("run %s: %w", id, err))
		}
	}
	return lost
}

func (c *claim) check(t *testing.T, s store.Store, id string, threads map[string]map[string]bool) error {
	t.Helper()
	r, err := s.Run(t.Context(), me, id)
	if err != nil {
		return err
	}
	last, err := checkEvents(t, s, id)
	switch {
	case err != nil:
		return err
	case last < c.events:
		return fmt.Errorf("its log ends with event %d, event %d was acknowledged", last, c.events)
	case c.done["ended"] && (r.Status != store.RunFinished || last != r.LastSeq):
		return fmt.Errorf("it is %s after event %d of %d, its end was acknowledged", r.Status, last, r.LastSeq)
	}
	if c.done["planned"] {
		if calls, err := s.ToolCalls(t.Context(), me, id); err != nil || len(calls) != 1 {
			return fmt.Errorf("its journal has %d calls, %v", len(calls), err)
		}
	}
	if threads[r.ThreadID] == nil {
		threads[r.ThreadID] = map[string]bool{}
		for _, m := range get(s.Transcript(t.Context(), me, r.ThreadID, "")) {
			threads[r.ThreadID][m.ID] = true
		}
	}
	for what, message := range map[string]string{"begun": "q0", "saved": "a", "ended": "b"} {
		if c.done[what] && !threads[r.ThreadID][id+message] {
			return fmt.Errorf("message %s is lost", id+message)
		}
	}
	return nil
}
