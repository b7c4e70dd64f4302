package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
)

// begin starts a run in the background and waits until it has been decided or waits for its thread.
func (f *fixture) begin(ctx context.Context, in *agui.RunAgentInput) (r **Run, err *error) {
	r, err = new(*Run), new(error)
	go func() {
		*r, *err = f.Start(ctx, Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f" + in.RunID})
	}()
	synctest.Wait()
	return r, err
}

func TestRunsThatWaitKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.Limits.ThreadLine = 5 })
		f.start(f.input("t1", "slow"))
		for i := range 5 {
			f.begin(t.Context(), f.input("t1", fmt.Sprintf("hello %d", i)))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		_, said, _ := strings.Cut(f.thread("t1"), "eight")
		for i := range 5 {
			before, after, found := strings.Cut(said, fmt.Sprintf("user=hello %d", i))
			if !found || strings.Contains(before, "user=") {
				t.Fatalf("message %d is out of order: %q", i, said)
			}
			said = after
		}
		if len(f.queue.lines) != 0 || f.admission.runs != 0 {
			t.Errorf("%d threads and %d runs are still live", len(f.queue.lines), f.admission.runs)
		}
	})
}

// TestWaitingRunLeaves: whatever makes a run leave the line, those behind it get the thread.
func TestWaitingRunLeaves(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, f *fixture, gone context.CancelFunc, id string){
		"its client is gone": func(_ *testing.T, _ *fixture, gone context.CancelFunc, _ string) { gone() },
		"it is cancelled": func(t *testing.T, f *fixture, _ context.CancelFunc, id string) {
			if err := f.Cancel(t.Context(), ada, id); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, temp.Store(t), nil)
				f.start(f.input("t1", "slow"))
				ctx, gone := context.WithCancel(t.Context())
				in := f.input("t1", "hello first")
				_, err := f.begin(ctx, in)
				behind, behindErr := f.begin(t.Context(), f.input("t1", "hello second"))
				leave(t, f, gone, in.RunID)
				synctest.Wait()
				if *err == nil {
					t.Error("the run is still in line")
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if *behindErr != nil || *behind == nil {
					t.Fatalf("the next run: %v", *behindErr)
				}
				if got := f.thread("t1"); strings.Contains(got, "first") || !strings.Contains(got, "user=hello second | assistant") {
					t.Errorf("thread is %q", got)
				}
				gone()
			})
		})
	}
}

// TestRetryTakesThePlaceOfARequestThatLeft: a client that lost its connection while its run waited
// asks again with the same run id.
func TestRetryTakesThePlaceOfARequestThatLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		f.start(f.input("t1", "slow"))
		in := f.input("t1", "hello")
		ctx, gone := context.WithCancel(t.Context())
		_, first := f.begin(ctx, in)
		_, second := f.begin(t.Context(), in)
		third, thirdErr := f.begin(t.Context(), in)
		gone()
		synctest.Wait()
		if !errors.Is(*first, context.Canceled) {
			t.Errorf("the first request ends with %v", *first)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if *second != nil || *thirdErr != nil {
			t.Fatalf("the other requests end with %v and %v", *second, *thirdErr)
		}
		events(t, *third, false)
		if got := f.thread("t1"); strings.Count(got, "user=hello") != 1 || !strings.HasSuffix(got, "assistant=Hello to you too.") {
			t.Errorf("thread is %q", got)
		}
	})
}

func TestBusyNamesTheLiveRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.Queue = time.Second })
		live := f.start(f.input("t1", "slow"))
		_, err := f.begin(t.Context(), f.input("t1", "hello"))
		time.Sleep(time.Minute)
		synctest.Wait()
		if e, ok := errors.AsType[*Error](*err); !ok || e.Code != CodeThreadBusy || e.Live != live.ID {
			t.Errorf("error is %+v", *err)
		}
	})
}

func TestInvalidRequestDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		f.start(f.input("t1", "slow"))
		in := f.input("t1", "hello")
		in.Tools[0].Name = "not a name"
		_, err := f.begin(t.Context(), in)
		wantCode(t, *err, CodeInvalid)
		time.Sleep(time.Minute)
		synctest.Wait()
	})
}

func TestLimitOfLiveRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.MaxLive = 2 })
		f.start(f.input("t1", "slow"))
		f.begin(t.Context(), f.input("t1", "hello")) // waits, and counts
		_, err := f.begin(t.Context(), f.input("t2", "hello"))
		wantCode(t, *err, CodeOverloaded)
		time.Sleep(time.Minute)
		synctest.Wait()
		events(t, f.start(f.input("t2", "hello")), false)
	})
}

func TestDrainRefusesRunsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		live := f.start(f.input("t1", "slow"))
		_, err := f.begin(t.Context(), f.input("t1", "hello"))
		go f.Drain(t.Context())
		synctest.Wait()
		wantCode(t, *err, CodeDraining)
		f.Drain(t.Context()) // a second one waits as well
		if got := f.thread("t1"); !strings.HasSuffix(got, "eight") {
			t.Errorf("the live run did not end: %q", got)
		}
		all := events(t, live, false)
		if _, ok := all[len(all)-1].(*agui.RunFinished); !ok {
			t.Errorf("it ends with %+v", all[len(all)-1])
		}
	})
}

// TestDrainBesideStarts: when Drain returns, no run is left and none begins any more.
func TestDrainBesideStarts(t *testing.T) {
	for range 20 {
		st := &closedStore{Store: temp.Store(t)}
		f := newFixture(t, st, nil)
		var all sync.WaitGroup
		for i := range 8 {
			in := f.input(fmt.Sprintf("t%d", i%3), "hello")
			all.Go(func() {
				_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f"})
				if err != nil {
					wantCode(t, err, CodeDraining)
				}
			})
		}
		runtime.Gosched()
		f.Drain(t.Context())
		st.mu.Lock()
		st.closed = true
		st.mu.Unlock()
		all.Wait()
		if st.late {
			t.Fatal("a run used the store after Drain had returned")
		}
	}
}

// closedStore notes whether it is written after it was closed.
type closedStore struct {
	store.Store
	mu           sync.Mutex
	closed, late bool
}

func (s *closedStore) note() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = s.late || s.closed
}

func (s *closedStore) BeginRun(ctx context.Context, o store.Owner, r store.Run, m []agui.Message) error {
	s.note()
	return s.Store.BeginRun(ctx, o, r, m)
}

func (s *closedStore) EndRun(ctx context.Context, o store.Owner, r store.Run, m []agui.Message, last store.Batch) error {
	s.note()
	return s.Store.EndRun(ctx, o, r, m, last)
}

// TestPanics: a panic costs the run at most, and the thread goes on.
func TestPanics(t *testing.T) {
	st := &panickingStore{Store: temp.Store(t)}
	f := newFixture(t, st, nil)
	st.begin = true
	if _, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: f.input("t1", "hello"), Fingerprint: "x"}); err == nil || !strings.Contains(err.Error(), "panic: begin") {
		t.Errorf("a panic before the run began is %v", err)
	}
	st.begin = false
	st.end.Store(true)
	all := events(t, f.start(f.input("t1", "hello")), false)
	if end, ok := all[len(all)-1].(*agui.RunError); !ok || end.Code != string(CodeStore) {
		t.Errorf("a panic at its end: %+v", all[len(all)-1])
	}
	f.admission.work.Wait()
	st.end.Store(false)
	all = events(t, f.start(f.input("t1", "hello")), false)
	if _, ok := all[len(all)-1].(*agui.RunFinished); !ok {
		t.Errorf("the next run ends with %+v", all[len(all)-1])
	}
}

type panickingStore struct {
	store.Store
	begin bool
	end   atomic.Bool
}

func (s *panickingStore) BeginRun(ctx context.Context, o store.Owner, r store.Run, m []agui.Message) error {
	if s.begin {
		panic("begin")
	}
	return s.Store.BeginRun(ctx, o, r, m)
}

func (s *panickingStore) EndRun(ctx context.Context, o store.Owner, r store.Run, m []agui.Message, last store.Batch) error {
	if s.end.Load() {
		panic("end")
	}
	return s.Store.EndRun(ctx, o, r, m, last)
}

// TestInterruptedRunAskedForAgain: a client that comes back after a crash is told how its run
// ended, not that all is well.
func TestInterruptedRunAskedForAgain(t *testing.T) {
	st := temp.Store(t)
	f := newFixture(t, st, nil)
	in := f.input("t1", "hello")
	must(t, st.BeginRun(t.Context(), ada, store.Run{ID: in.RunID, ThreadID: "t1", Agent: "default", Fingerprint: "f" + in.RunID}, in.Messages))
	f = newFixture(t, st, nil) // the next process
	all := events(t, f.start(in), false)
	if got := typesOf(all); got != "RUN_STARTED RUN_ERROR" {
		t.Fatalf("events are %s", got)
	}
	if end := all[len(all)-1].(*agui.RunError); end.Code != "interrupted" {
		t.Errorf("it ends with %+v", end)
	}
	retry := *in
	retry.RunID = "retry"
	events(t, f.start(&retry), false)
	if got := f.thread("t1"); got != "user=hello | assistant=Hello to you too." {
		t.Errorf("after the retry the thread is %q", got)
	}
}

// TestRunThatSaysTooMuch: a model that never ends costs a bounded amount of memory, and its run
// ends in order.
func TestRunThatSaysTooMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.MaxSize = 600 })
		all := events(t, f.start(f.input("t1", "slow")), false)
		if end, ok := all[len(all)-1].(*agui.RunError); !ok || end.Code != "output_limit" {
			t.Errorf("it ends with %+v", all[len(all)-1])
		}
		if got := f.thread("t1"); !strings.Contains(got, "assistant=one") || strings.Contains(got, "eight") {
			t.Errorf("thread is %q", got)
		}
	})
}
