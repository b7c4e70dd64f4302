package sqlstore_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

const victimEnv = "PAGESIDE_TEST_VICTIM"

var me = store.Owner{Tenant: "acme", Subject: "ada"}

// TestKilled kills a process that writes, again and again, and checks that nothing it has acknowledged is lost.
func TestKilled(t *testing.T) {
	path := newPath(t)
	var acknowledged []string
	for round := range 10 {
		acknowledged = append(acknowledged, killOnce(t, path)...)
		s, err := sqlstore.Open(t.Context(), path)
		if err != nil {
			t.Fatalf("after kill %d: %v", round+1, err)
		}
		for _, what := range acknowledged {
			checkAcknowledged(t, s, what)
		}
		failLiveRuns(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		integrity(t, path)
	}
	if len(acknowledged) < 100 {
		t.Errorf("only %d writes were acknowledged: the test shows nothing", len(acknowledged))
	}
	t.Logf("%d acknowledged writes survived 10 kills", len(acknowledged))
}

// killOnce runs a victim, kills it at a random moment and returns what it had acknowledged.
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
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("the victim wrote nothing: %v", err)
	}
	acknowledged := []string{strings.TrimSpace(first)}
	time.AfterFunc(time.Duration(rand.IntN(80))*time.Millisecond, func() { cmd.Process.Kill() })
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			cmd.Wait()
			return acknowledged // what has no end of line was not acknowledged
		}
		acknowledged = append(acknowledged, strings.TrimSpace(line))
	}
}

// victim writes from several goroutines for ever, and prints what has returned without an error.
func victim(path string) {
	s, err := sqlstore.Open(context.Background(), path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for w := range 8 {
		go func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d-%d", os.Getpid(), w, i)
				thread := fmt.Sprint("t", w%4)
				report("begun", id, s.BeginRun(context.Background(), me, store.Run{ID: id, ThreadID: thread}, []agui.Message{text(id + "q")}))
				report("saved", id, s.SaveMessages(context.Background(), me, thread, id, []agui.Message{text(id + "a")}))
				report("ended", id, s.EndRun(context.Background(), me, store.Run{ID: id, Status: store.RunFinished}, []agui.Message{text(id + "b")}, store.Batch{}))
			}
		}()
	}
	select {}
}

func report(what, id string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, what, id, err)
		os.Exit(1)
	}
	os.Stdout.WriteString(what + " " + id + "\n") // one write each: lines of several goroutines do not mix
}

func text(id string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent("text of " + id)}
}

// failLiveRuns does what a server does after a restart.
func failLiveRuns(t *testing.T, s store.Store) {
	t.Helper()
	live, err := s.LiveRuns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range live {
		if err := s.EndRun(t.Context(), r.Owner, store.Run{ID: r.Run.ID, Status: store.RunFailed, Error: "interrupted"}, nil, store.Batch{}); err != nil {
			t.Error(err)
		}
	}
}

func checkAcknowledged(t *testing.T, s store.Store, line string) {
	t.Helper()
	what, id, _ := strings.Cut(line, " ")
	r, err := s.Run(t.Context(), me, id)
	if err != nil {
		t.Fatalf("%s is lost: %v", line, err)
	}
	if what == "ended" && r.Status != store.RunFinished {
		t.Fatalf("%s is lost: the run is %s", line, r.Status)
	}
	messages := messageSet(t, s, r.ThreadID)
	for suffix := range strings.SplitSeq(map[string]string{"begun": "q", "saved": "q a", "ended": "q a b"}[what], " ") {
		if !messages[id+suffix] {
			t.Fatalf("%s: message %s is lost", line, id+suffix)
		}
	}
}

// messageSet returns the ids of the messages of a thread. The last answer is kept: a thread is asked about many times.
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
