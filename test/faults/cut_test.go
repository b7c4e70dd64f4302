package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// TestCutAndComeBack: clients are cut off after any number of bytes, during runs and after them,
// and come back with the last id they have. What they got, joined, is the log, byte for byte. Half
// of them follow the run, half the thread.
func TestCutAndComeBack(t *testing.T) {
	takesChances(t)
	beside(t)
	random := chance.Rand()
	// so that some of it is read from the store
	s := newLocal(t, localConfig{run: func(c *run.Config) { c.Ring, c.Keep = 8<<10, 24<<10 }})
	wanted := int64(count(500, 10_000))
	var cuts, bytesRead atomic.Int64
	shown := 0
	for n := 0; cuts.Load() < wanted && !t.Failed(); n++ {
		thread, id := fmt.Sprintf("t%d", n%3), fmt.Sprintf("run%d", n)
		b := ask(thread, id, step{Words: 150, Pace: 1})
		if begun := s.run(within(t, hang), thread, id+"-before", step{Words: 1}); begun.err != nil {
			t.Fatal(begun)
		}
		var clients sync.WaitGroup
		var own *stream
		clients.Go(func() { own = s.post(within(t, hang), b) })
		got := make([]*cutClient, 20)
		for i := range got {
			got[i] = &cutClient{local: s, thread: thread, run: id, random: rand.New(rand.NewPCG(random.Uint64(), 1)), cuts: &cuts}
			if i >= 16 { // follows one that ended a while ago, of which only the store knows
				got[i].run = fmt.Sprintf("run%d", max(n-4, 0))
			}
			clients.Go(func() {
				ctx, stop := context.WithTimeout(t.Context(), hang)
				defer stop()
				if i%2 == 0 || i >= 16 {
					got[i].followRun(ctx)
				} else {
					got[i].followThread(ctx)
				}
			})
		}
		clients.Wait()
		log := logOf(t, s.store, ada, id)
		if !bytes.Equal(own.seen, log) {
			t.Errorf("run %s: who started it was answered %d %s %v, and %s", id, own.status, own.refuse, own.err, difference(own.seen, log))
		}
		if _, _, err := checkRun(id, log); err != nil {
			t.Error(err)
		}
		for i, c := range got {
			if c.snapshot {
				shown++
			}
			bytesRead.Add(int64(len(c.seen)))
			must.Be(t, c.check(logOf(t, s.store, ada, c.run)), nil, "client %d", i)
		}
	}
	report(t, "cut and come back", "%d cuts; %d kB read in pieces, all of it the log byte for byte; %d times a thread's snapshot told the rest", cuts.Load(), bytesRead.Load()>>10, shown)
}

// cutClient is a client with a bad connection.
type cutClient struct {
	*local
	thread, run string
	random      *rand.Rand
	cuts        *atomic.Int64

	seen     []byte // the run's events
	snapshot bool   // it was shown what the run has left, by a snapshot of its thread
	err      error
}

// cut is after how many bytes of the next connection it breaks: some at once, some late.
func (c *cutClient) cut() int { return 1 + c.random.IntN(1<<c.random.IntN(15)) }

// followRun reads the run until its end.
func (c *cutClient) followRun(ctx context.Context) {
	for {
		s := c.events(ctx, "/v1/runs/"+c.run+"/events?protocolVersion=1.0", lastID(c.seen), c.cut())
		c.seen = append(c.seen, s.seen...)
		switch {
		case s.status == 404 && len(c.seen) == 0: // it has not begun yet
			time.Sleep(time.Millisecond)
		case errors.Is(s.err, errCut):
			c.cuts.Add(1)
		case s.err != nil || s.status != 200:
			c.err = fmt.Errorf("%d %s %w", s.status, s.refuse, s.err)
			return
		default:
			return
		}
	}
}

// followThread reads the thread until it has seen the run's end, or has been shown what the run has
// left.
func (c *cutClient) followThread(ctx context.Context) {
	var all []byte
	path := "/v1/threads/" + c.thread + "/events?protocolVersion=1.0&stay=1"
	for {
		s := c.events(ctx, path, lastID(all), c.cut(), c.tells)
		all = append(all, s.seen...)
		switch {
		case s.enough:
			c.sort(all)
			return
		case !errors.Is(s.err, errCut):
			c.err = fmt.Errorf("%d %s %w", s.status, s.refuse, s.err)
			return
		}
		c.cuts.Add(1)
	}
}

// tells reports whether a frame is the run's end, or a snapshot of the thread behind it.
func (c *cutClient) tells(b []byte) bool {
	frames, err := framesOf(b)
	if err != nil {
		c.err = err
		return true
	}
	switch e := frames[0].event.(type) {
	case *agui.MessagesSnapshot:
		c.snapshot = holdsAnswer(e, c.run)
		return c.snapshot
	case *agui.RunFinished:
		return e.RunID == c.run
	}
	return false
}

// sort takes the run's own events out of a thread's stream.
func (c *cutClient) sort(all []byte) {
	frames, err := framesOf(all)
	if err != nil {
		c.err = err
		return
	}
	rest := all
	for _, f := range frames {
		end := bytes.Index(rest, []byte("\n\n")) + 2
		if strings.HasPrefix(f.id, c.run+":") && !strings.HasSuffix(f.id, ".0") && !c.atRest(f) {
			c.seen = append(c.seen, rest[:end]...)
		}
		rest = rest[end:]
	}
}

// atRest reports whether an event is the end of a snapshot, whose id is the one of the run's last
// event.
func (c *cutClient) atRest(f frame) bool {
	end, ok := f.event.(*agui.RunFinished)
	return ok && end.RunID != c.run
}

// holdsAnswer reports whether a snapshot holds the answer to the run's question.
func holdsAnswer(s *agui.MessagesSnapshot, runID string) bool {
	for i, m := range s.Messages {
		if m.ID == "u-"+runID {
			return i+1 < len(s.Messages)
		}
	}
	return false
}

// check compares what was read with the log. A thread's stream may show a run that has ended by
// what it left: then nothing of its events is there.
func (c *cutClient) check(log []byte) error {
	switch {
	case c.err != nil:
		return c.err
	case c.snapshot:
		if len(c.seen) > 0 {
			return fmt.Errorf("was shown some of the run's events, and then a snapshot: %s", c.seen)
		}
		return nil
	case !bytes.Equal(c.seen, log):
		return errors.New(difference(c.seen, log))
	}
	return nil
}
