package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/tool"
)

// starts remembers when tools were started.
type starts struct {
	mu   sync.Mutex
	at   map[string][]time.Time // by run
	free map[string]time.Time   // by run, when the last was whose context had not ended by then
}

// note remembers a start. Whoever cancels makes the contexts end first and answers then: so a tool
// whose context has not ended was started before the answer, whatever else the machine does
// meanwhile.
func (s *starts) note(ctx context.Context, run string) {
	at := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at[run] = append(s.at[run], at); ctx.Err() == nil && at.After(s.free[run]) {
		s.free[run] = at
	}
}

// freeOf returns when the last tool of a run was started that was not told to stop at once; zero if
// none was.
func (s *starts) freeOf(run string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free[run]
}

func (s *starts) tool(name string, effect tool.Effect) *tool.Tool {
	t := tool.New(name, "Takes a while.", func(ctx context.Context, c *tool.Call, in effectInput) (tool.Result, error) {
		s.note(ctx, c.RunID)
		select {
		case <-time.After(time.Duration(in.Ms) * time.Millisecond):
			return tool.Result{Text: "done"}, nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	})
	t.Effect = effect
	return t
}

// lastOf returns when the last tool of a run was started; zero if none was.
func (s *starts) lastOf(run string) (last time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.at[run] {
		if at.After(last) {
			last = at
		}
	}
	return last
}

// TestCancel: a run that is cancelled at any moment ends at once, with one terminal event; the
// model's connection is closed; no tool is started any more. A cancel that comes late touches
// neither the run nor the one after it.
func TestCancel(t *testing.T) {
	takesChances(t)
	random := chance.Rand()
	began := &starts{at: map[string][]time.Time{}, free: map[string]time.Time{}}
	s := newLocal(t, localConfig{tools: []*tool.Tool{began.tool("pay", tool.Write), began.tool("look", tool.Read), began.tool("stamp", tool.Idempotent)}})
	c := &cancels{local: s, began: began, outcomes: map[string]int{}}
	n := count(100, 2000)
	var workers sync.WaitGroup
	for worker := range 4 {
		own := rand.New(rand.NewPCG(random.Uint64(), 1))
		workers.Go(func() {
			for i := worker; i < n; i += 4 {
				c.once(t, own, i)
			}
		})
	}
	workers.Wait()
	if p99 := c.ends.at(.99); p99 > limit(250*time.Millisecond) {
		t.Errorf("the end comes %s after the cancel in the 99th of 100 cases", p99)
	}
	if late := c.late.at(1); late > limit(20*time.Millisecond) {
		t.Errorf("a tool was started %s after the cancel was answered", late)
	}
	report(t, "cancel at random moments", "%d cancels: end p50 %s p99 %s max %s; model's connection closed max %s; tools started after the answer: %d, latest by %s; ends: %v; %d late cancels touched nothing",
		n, c.ends.at(.5), c.ends.at(.99), c.ends.at(1), c.closed.at(1), len(c.late.all), c.late.at(1), c.outcomes, n)
}

type cancels struct {
	*local
	began              *starts
	ends, closed, late spread
	mu                 sync.Mutex
	outcomes           map[string]int
}

func (c *cancels) play(random *rand.Rand) (steps []step) {
	for range 1 + random.IntN(2) {
		st := step{Words: random.IntN(10), Pace: 2}
		for range 1 + random.IntN(4) {
			st.Calls = append(st.Calls, tcal{[]string{"pay", "look", "stamp"}[random.IntN(3)], fmt.Sprintf(`{"ms":%d,"n":%d}`, random.IntN(40), random.IntN(1000))})
		}
		steps = append(steps, st)
	}
	return append(steps, step{Words: 200, Pace: 5})
}

func (c *cancels) once(t *testing.T, random *rand.Rand, i int) {
	id := fmt.Sprintf("c%d", i)
	thread := fmt.Sprintf("t%d", i%50)
	if i%50 < 4 {
		thread = "t-" + id // some on threads of their own
	}
	thread += fmt.Sprintf("-%d", i%4) // one worker each
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	var ended time.Time
	begun := make(chan struct{})
	read := make(chan *stream, 1)
	go func() {
		first := sync.OnceFunc(func() { close(begun) })
		resp, err := c.request(ctx, http.MethodPost, "/v1/agents/default/run", ask(thread, id, c.play(random)...))
		got := readStream(resp, err, -1, func(frame []byte) bool {
			first()
			if strings.Contains(string(frame), `"type":"RUN_FINISHED"`) || strings.Contains(string(frame), `"type":"RUN_ERROR"`) {
				ended = time.Now()
			}
			return false
		})
		first()
		read <- got
	}()
	<-begun
	time.Sleep(time.Duration(random.IntN(120)) * time.Millisecond)
	sent := time.Now()
	status, answer, err := c.do(http.MethodPost, "/v1/runs/"+id+"/cancel", nil)
	answered := time.Now()
	got := <-read
	told := judge(id, got)
	if err != nil || status != http.StatusNoContent || told.bad != nil {
		t.Errorf("run %s: the cancel is answered %d %s %v; the run: %s", id, status, answer, err, told)
		return
	}
	c.ends.add(max(ended.Sub(sent), 0))
	c.note(told.end)
	c.modelIsLeft(t, id, sent)
	c.tooLate(t, thread, id)
	if late := c.began.freeOf(id).Sub(answered); late > 0 {
		t.Errorf("run %s: a tool was started %s after the cancel was answered, and not told to stop\n%s", id, late, got.seen)
	}
	if late := c.began.lastOf(id).Sub(answered); late > 0 {
		c.late.add(late)
	}
}

func (c *cancels) note(end agui.Event) {
	what := string(end.Type())
	if f, ok := end.(*agui.RunFinished); ok {
		what = agui.OutcomeSuccess
		if f.Outcome != nil {
			what = f.Outcome.Type
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcomes[what]++
}

// modelIsLeft waits until the model's connection is closed.
func (c *cancels) modelIsLeft(t *testing.T, id string, since time.Time) {
	for c.llm.busy(id) {
		if time.Since(since) > limit(5*time.Second) {
			t.Errorf("run %s: %s after the cancel the model is still being listened to", id, time.Since(since))
			return
		}
		time.Sleep(time.Millisecond)
	}
	if took := time.Since(since); took > time.Second && isLong() {
		t.Errorf("run %s: the model's connection was closed after %s", id, took)
	}
	c.closed.add(time.Since(since))
}

// tooLate cancels the run again while the next one of its thread is live: that must not mind.
func (c *cancels) tooLate(t *testing.T, thread, id string) {
	next := id + "-next"
	read := make(chan *told, 1)
	go func() { read <- c.run(within(t, hang), thread, next, step{Words: 4, Pace: 1}) }()
	time.Sleep(2 * time.Millisecond)
	if status, answer, err := c.do(http.MethodPost, "/v1/runs/"+id+"/cancel", nil); err != nil || status != http.StatusNoContent {
		t.Errorf("run %s: the late cancel is answered %d %s %v", id, status, answer, err)
	}
	if got := <-read; !got.answered() || got.finished().Outcome != nil {
		t.Errorf("run %s, behind one that was cancelled: %s", next, got)
	}
}
