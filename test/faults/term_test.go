package faults

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

// ending is one reader's stream over a shutdown.
type ending struct {
	run string // "" for a tab that looks at a thread
	got *stream
}

// TestShutdown: SIGTERM with live runs and streams. The server says at once that it is not ready,
// takes no run, lets those end that can in time, hands over the others, tells every stream to come
// back, and is gone within its grace. The next process ends what was handed over.
func TestShutdown(t *testing.T) {
	takesChances(t)
	beside(t)
	s := newSite(t)
	grace := 2 * time.Second
	if !isLong() {
		grace = 8 * time.Second // on a machine that is busy, too, it must be there to be asked
	}
	s.llm.faults["hold"] = holdOnce()
	rounds := count(1, 20)
	streams, live := count(40, 1000), count(10, 100)
	if isLong() {
		streams, live = 1000, 100
	}
	var exits, unready spread
	handed, finished := 0, 0
	for round := range rounds {
		p := s.serve(grace.String())
		b := &shutdown{t: t, site: s, p: p, round: round}
		ends := b.open(streams, live)
		begun := time.Now()
		must.Do(t, p.cmd.Process.Signal(syscall.SIGTERM))
		unready.add(b.refuses(begun))
		if !p.endsWithin(grace + limit(8*time.Second)) {
			t.Fatalf("the server is not gone\n%s", p.log)
		}
		exits.add(time.Since(begun))
		must.Be(t, p.cmd.ProcessState.ExitCode(), 0, "it ends with\n%s", p.log)
		b.clients.Wait()
		next := s.serve("1s")
		for _, e := range ends {
			if b.check(next, e) {
				handed++
			} else if e.run != "" {
				finished++
			}
		}
		next.kill()
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	db := must.Get(sqlstore.Open(t.Context(), "sqlite:"+s.db()))(t)
	defer db.Close()
	must.Be(t, len(must.Get(db.LiveRuns(t.Context()))(t)), 0, "runs are live for ever")
	if late := exits.at(1); late > grace+limit(3*time.Second) {
		t.Errorf("it was gone after %s, with a grace of %s", late, grace)
	}
	report(t, "shutdown", "%d times with %d streams and %d runs, grace %s: not ready after at most %s, gone after at most %s; %d runs ended, %d were handed over and ended by the next process; 0 lost",
		rounds, streams, live, grace, unready.at(1), exits.at(1), finished, handed)
}

// shutdown is one round.
type shutdown struct {
	*site
	t       *testing.T
	p       *process
	round   int
	clients sync.WaitGroup
}

// holdOnce is a model that falls silent in the middle of an answer until its client is gone, and
// answers to the end when it is asked again. What it is asked for is told by the step's size.
func holdOnce() func(http.ResponseWriter, *http.Request, step) {
	var asked sync.Map
	return func(w http.ResponseWriter, r *http.Request, st step) {
		out := &wire{w, r, 0}
		out.stream()
		out.delta(words)
		if _, again := asked.LoadOrStore(st.Size, true); !again {
			out.hang()
			return
		}
		out.delta(`"content":"end."`)
		out.finish("stop")
	}
}

// open starts the runs, half of which end within the grace, and the streams: half follow runs, half
// look at threads that stay silent. When it returns, each has been sent something.
func (b *shutdown) open(streams, live int) []*ending {
	var ends []*ending
	var begun sync.WaitGroup
	read := func(run, method, path string, body any) {
		e := &ending{run: run}
		ends = append(ends, e)
		begun.Add(1)
		b.clients.Go(func() {
			once := sync.OnceFunc(begun.Done)
			defer once()
			resp, err := b.p.request(within(b.t, hang), method, path, body)
			e.got = readStream(resp, err, -1, func([]byte) bool { once(); return false })
		})
	}
	quiet := fmt.Sprintf("quiet%d", b.round)
	b.p.run(within(b.t, soon), quiet, quiet, step{Words: 1})
	runOf := func(i int) string { return fmt.Sprintf("s%d-%d", b.round, i%live) }
	for i := range live {
		id := runOf(i)
		st := step{Words: 10, Pace: 100}
		if i%2 == 0 {
			st = step{Fault: "hold", Size: b.round*live + i}
		}
		read(id, http.MethodPost, "/v1/agents/default/run", ask("t-"+id, id, st))
	}
	begun.Wait()
	for i := range streams {
		if i%2 == 0 {
			read(runOf(i), http.MethodGet, "/v1/runs/"+runOf(i)+"/events?protocolVersion=1.0", nil)
		} else {
			read("", http.MethodGet, "/v1/threads/"+quiet+"/events?protocolVersion=1.0&stay=1", nil)
		}
	}
	begun.Wait()
	return ends
}

// refuses checks that the server is not ready any more and takes no run, and returns how long it
// took.
func (b *shutdown) refuses(begun time.Time) time.Duration {
	for {
		status, _, err := b.p.do(http.MethodGet, "/readyz", nil)
		if err == nil && status == http.StatusServiceUnavailable {
			break
		}
		select {
		case <-b.p.ended:
			b.t.Fatalf("the server was gone %s after the signal, at the latest: it did not wait for its runs\n%s", time.Since(begun), b.p.log)
		default:
		}
		if time.Since(begun) > limit(time.Second) {
			b.t.Errorf("%s after the signal /readyz is %d, %v\n%s", time.Since(begun), status, err, b.p.log)
			break
		}
	}
	took := time.Since(begun)
	got := b.p.run(within(b.t, soon), "late", fmt.Sprintf("late%d", b.round), step{Words: 1})
	must.Be(b.t, got.status, http.StatusServiceUnavailable, "a run that comes late is answered")
	must.Have(b.t, got.refuse, "draining", "a run that comes late is answered")
	return took
}

// check checks one stream: it ended properly, with the run's end or with the word to come back; and
// then the next process has the rest. It reports whether the run was handed over.
func (b *shutdown) check(next *process, e *ending) bool {
	t := b.t
	if e.got.err != nil || e.got.status != http.StatusOK || !e.got.retry && e.run == "" {
		t.Errorf("the stream of %q ends with %d %s %v, told to come back: %v", e.run, e.got.status, e.got.refuse, e.got.err, e.got.retry)
		return false
	}
	if e.run == "" {
		return false
	}
	if judge(e.run, e.got).finished() != nil {
		return false
	}
	if !e.got.retry {
		t.Errorf("the stream of %s has no end, and nobody was told to come back", e.run)
	}
	rest := next.follow(within(t, limit(20*time.Second)), e.run, lastID(e.got.seen))
	whole := next.follow(within(t, limit(20*time.Second)), e.run, "")
	joined := judge(e.run, &stream{seen: slices.Concat(e.got.seen, rest.seen)})
	if !joined.answered() || !bytes.Equal(joined.seen, whole.seen) {
		t.Errorf("run %s, handed over: %v, %v\nbefore\n%s\nafter\n%s\nwhole\n%s", e.run, joined.bad, rest.err, e.got.seen, rest.seen, whole.seen)
	}
	return true
}
