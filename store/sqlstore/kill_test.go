package sqlstore_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
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
)

const victimEnv = "PAGESIDE_TEST_VICTIM"

var me = store.Owner{Tenant: "acme", Subject: "ada"}

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
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if round%25 == 0 || round == kills-1 {
			integrity(t, path)
		}
	}
	s := open(t, path)
	if lost := checkAll(t, s, all); len(lost) > 0 {
		t.Errorf("%d acknowledged writes were lost later: %v", len(lost), lost[0])
	}
	if live, err := s.LiveRuns(t.Context()); err != nil || len(live) > 0 {
		t.Errorf("live runs are left: %+v, %v", live, err)
	}
	if total := len(all); total < 10*kills {
		t.Errorf("only %d writes were acknowledged: the test shows nothing", len(all))
	}
	t.Logf("%d acknowledged writes survived %d kills", len(all), kills)
}

// killOnce runs a victim, kills it in the middle of its writing and returns what it had
// acknowledged.
func killOnce(t *testing.T, path string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		cmd.Wait()
		t.Fatalf("the victim wrote nothing: %v", err)
	}
	acknowledged := []string{strings.TrimSpace(first)}
	enough := 10 + chooses.IntN(300) // it is always somewhere else by then
	for {
		if len(acknowledged) == enough {
			cmd.Process.Kill()
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			cmd.Wait()
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
	for w := range 8 {
		go func() {
			for i := 0; ; i++ {
				victimRun(s, fmt.Sprintf("%d-%d-%d", os.Getpid(), w, i), fmt.Sprintf("t%d-%d", os.Getpid(), w%4))
			}
		}()
	}
	select {}
}

func victimRun(s store.Store, id, thread string) {
	ctx := context.Background()
	report("begun", id, s.BeginRun(ctx, me, store.Run{ID: id, ThreadID: thread}, []agui.Message{text(id + "q0")}))
	var open sync.WaitGroup
	seq := int64(1)
	for ; seq <= 10; seq++ {
		open.Add(1)
		what := fmt.Sprint("event/", seq)
		s.AppendEvents(me, store.Batch{RunID: id, Epoch: 1, First: seq, Count: 1, Frames: frame(id, seq)}, func(err error) {
			report(what, id, err)
			open.Done()
		})
		if seq%3 == 0 { // sometimes one is in flight, sometimes several
			open.Wait()
		}
	}
	report("planned", id, s.PlanCalls(ctx, me, id, []journal.ToolCall{{ID: "c"}}, true))
	report("saved", id, s.SaveMessages(ctx, me, thread, id, []agui.Message{text(id + "a")}))
	end := store.Run{ID: id, Status: store.RunFinished, Epoch: 1}
	report("ended", id, s.EndRun(ctx, me, end, []agui.Message{text(id + "b")}, store.Batch{First: seq, Count: 1, Frames: frame(id, seq)}))
}

func report(what, id string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, what, id, err)
		os.Exit(1)
	}
	// one write each: lines of several goroutines do not mix
	os.Stdout.WriteString(what + " " + id + "\n")
}

func text(id string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent("text of " + id)}
}

// takeUpLiveRuns does what a server does after a restart: it goes on where the log ends.
func takeUpLiveRuns(t *testing.T, s store.Store) {
	t.Helper()
	live, err := s.LiveRuns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range live {
		id := r.Run.ID
		last, err := checkEvents(t, s, id)
		if err != nil {
			t.Fatal(err)
		}
		epoch, err := s.TakeOver(t.Context(), r.Owner, id)
		if err != nil || epoch != r.Run.Epoch+1 {
			t.Fatalf("run %s was taken over in epoch %d, %v", id, epoch, err)
		}
		end := store.Run{ID: id, Status: store.RunFailed, Error: "interrupted", Epoch: epoch}
		if err := s.EndRun(t.Context(), r.Owner, end, nil, store.Batch{First: last + 1, Count: 1, Frames: frame(id, last+1)}); err != nil {
			t.Error(err)
		}
		if now, err := checkEvents(t, s, id); err != nil || now != last+1 {
			t.Errorf("run %s ends with event %d, %v, was %d", id, now, err, last)
		}
	}
}

// messageSet returns the ids of the messages of a thread. The last answer is kept: a thread is
// asked about many times.
func messageSet(t *testing.T, s store.Store, thread string) map[string]bool {
	t.Helper()
	key := setKey{s, thread}
	if set := messageSets[key]; set != nil {
		return set
	}
	messages, err := s.Transcript(t.Context(), me, thread, "")
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for _, m := range messages {
		set[m.ID] = true
	}
	messageSets[key] = set
	return set
}

type setKey struct {
	store  store.Store
	thread string
}

var messageSets = map[setKey]map[string]bool{}

const holderEnv = "PAGESIDE_TEST_HOLDER"

// holder opens a database in a process of its own, says whether it could, and appends an event to
// its one run for each line it is sent. It closes the database when there are no more.
func holder(path string) {
	s, err := sqlstore.Open(context.Background(), path, sqlstore.WithLockWait(50*time.Millisecond))
	if err != nil {
		fmt.Println("refused:", err)
		return
	}
	id := strconv.Itoa(os.Getpid())
	fmt.Println("open", s.BeginRun(context.Background(), me, store.Run{ID: id, ThreadID: "held"}, nil))
	lines := bufio.NewScanner(os.Stdin)
	for seq := int64(1); lines.Scan(); seq++ {
		fmt.Println("appended", appendNow(s, id, seq))
	}
	fmt.Println("closed", s.Close())
}

// appendNow appends one event and waits for the answer.
func appendNow(s store.Store, id string, seq int64) error {
	done := make(chan error, 1)
	s.AppendEvents(me, store.Batch{RunID: id, Epoch: 1, First: seq, Count: 1, Frames: frame(id, seq)}, func(err error) { done <- err })
	return <-done
}

// frame is the event of a run with a number: what is read back can be told from what was never
// written.
func frame(id string, seq int64) []byte {
	return fmt.Appendf(nil, "event %d of %s %s\n", seq, id, strings.Repeat("x", 100))
}
