package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/test/chance"
)

// TestNothingIsLeftInTheServer: after runs of all kinds, cut off, cancelled, failed and followed, a
// server holds as many goroutines and files as before.
func TestNothingIsLeftInTheServer(t *testing.T) {
	takesChances(t)
	beside(t)
	s := newSite(t)
	random := chance.Rand()
	s.llm.faults["hang"] = func(_ http.ResponseWriter, r *http.Request, _ step) { <-r.Context().Done() }
	s.llm.faults["reset"] = func(w http.ResponseWriter, r *http.Request, _ step) { (&wire{w, r, 0}).reset() }
	s.llm.faults["500"] = func(w http.ResponseWriter, r *http.Request, _ step) { http.Error(w, "broken", 400) }
	p := s.start(func(c *childConfig) { c.Idle = 200 * time.Millisecond })
	n := count(200, 10_000)
	load := func(from, to int) {
		var workers sync.WaitGroup
		for worker := range 8 {
			own := rand.New(rand.NewPCG(random.Uint64(), 1))
			workers.Go(func() {
				for i := from + worker; i < to; i += 8 {
					mixed(t, p, own, i)
				}
			})
		}
		workers.Wait()
	}
	load(0, 40) // what is opened once stays open
	before := settled(t, p, counts{})
	load(40, 40+n)
	after := settled(t, p, before)
	if !fewMore(before, after) {
		t.Errorf("goroutines %d → %d, files %d → %d", before.Goroutines, after.Goroutines, before.Files, after.Files)
	}
	report(t, "nothing is left in the server", "%d runs of all kinds: goroutines %d → %d, files %d → %d, memory %d → %d MB", n, before.Goroutines, after.Goroutines, before.Files, after.Files, before.RSS>>20, after.RSS>>20)
}

// settled waits until a server has come to rest, at what it held before if possible.
func settled(t *testing.T, p *process, before counts) (now counts) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < hang; {
		p.http.CloseIdleConnections()
		time.Sleep(100 * time.Millisecond)
		last := now
		now = p.counts(t, "?reset=1")
		if before.Goroutines > 0 && fewMore(before, now) {
			return now
		}
		if before.Goroutines == 0 && now.Goroutines == last.Goroutines && now.Files == last.Files {
			return now
		}
	}
	return now
}

// fewMore reports whether a process holds as much as before, but for what comes and goes. The store
// opens files for each reader it has had at once, which are never more than these.
func fewMore(before, now counts) bool {
	return now.Goroutines <= before.Goroutines+5 && now.Files <= before.Files+5+3*max(4, runtime.NumCPU())
}

// mixed is one run of some kind.
func mixed(t *testing.T, p *process, random *rand.Rand, i int) {
	id := fmt.Sprintf("mix%d", i)
	b := ask(fmt.Sprintf("t%d", i%64), id, step{Words: 2, Calls: []tcal{{"pay", `{"ms":1}`}, {"look", `{}`}}}, step{Words: 10, Pace: 1})
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	switch random.IntN(7) {
	case 0: // it is cut off
		ctx, stop = context.WithTimeout(ctx, time.Duration(random.IntN(20))*time.Millisecond)
		defer stop()
	case 1:
		time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, func() { _, _, _ = p.do(http.MethodPost, "/v1/runs/"+id+"/cancel", nil) })
	case 2, 3:
		b = ask(b.ThreadID, id, step{Fault: []string{"hang", "reset", "500"}[random.IntN(3)]})
		time.AfterFunc(100*time.Millisecond, func() { _, _, _ = p.do(http.MethodPost, "/v1/runs/"+id+"/cancel", nil) })
	case 4: // somebody looks at the thread for a moment
		short, leave := context.WithTimeout(ctx, time.Duration(random.IntN(50))*time.Millisecond)
		defer leave()
		p.events(short, "/v1/threads/"+b.ThreadID+"/events?stay=1", "", -1)
	case 5: // a request that is wrong
		_, _, _ = p.do(http.MethodPost, "/v1/agents/default/run", object{"threadId": 5})
	}
	p.post(ctx, b)
}
