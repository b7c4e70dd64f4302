package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// TestRejectIsAnsweredAtOnce: where the policy says so, a second run is refused and told which one
// is live.
func TestRejectIsAnsweredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.Policy = PolicyReject })
		live := f.start(f.input("t1", "slow"))
		begun := time.Now()
		_, err := f.begin(t.Context(), f.input("t1", "hello"))
		if e, ok := errors.AsType[*Error](*err); !ok || e.Code != CodeThreadBusy || e.Live != live.ID {
			t.Errorf("error is %v", *err)
		}
		if waited := time.Since(begun); waited > 0 {
			t.Errorf("it waited %s", waited)
		}
		again, err := f.begin(t.Context(), &agui.RunAgentInput{ThreadID: "t1", RunID: live.ID})
		if *err != nil || *again != live {
			t.Errorf("the live run asked for again is %v, %v", *again, *err)
		}
		events(t, live, false)
		events(t, f.start(f.input("t1", "hello")), false)
	})
}

// TestSupersede: the newest run takes the place of the one that is live and of those that wait.
func TestSupersede(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		live := f.start(f.input("t1", "slow"))
		_, waiting := f.begin(t.Context(), f.input("t1", "hello one"))
		time.Sleep(2500 * time.Millisecond)
		in := f.input("t1", "hello two")
		newest := value(f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "x", Policy: PolicySupersede}))(t)
		synctest.Wait()
		wantCode(t, *waiting, CodeCancelled)
		all := events(t, live, false)
		if end, ok := all[len(all)-1].(*agui.RunFinished); !ok || end.Outcome == nil || end.Outcome.Type != agui.OutcomeCancelled {
			t.Errorf("the live run ends with %+v", all[len(all)-1])
		}
		events(t, newest, false)
		if got := f.thread("t1"); !strings.HasSuffix(got, "user=hello two | assistant=Hello to you too.") || strings.Contains(got, "one two three four") {
			t.Errorf("thread is %q", got)
		}
	})
}

func TestUnknownPolicyIsRefused(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: f.input("t1", "hello"), Policy: "whatever"})
	wantCode(t, err, CodeInvalid)
	if _, err := NewManager(t.Context(), Config{Store: temp.Store(t), Policy: "whatever"}); err == nil {
		t.Error("a manager with it is made")
	}
	if _, err := NewManager(t.Context(), Config{Store: temp.Store(t), OnDisconnect: "whatever"}); err == nil {
		t.Error("a manager with such a disconnect is made")
	}
}

// TestLookingDoesNotWait: a request without messages sees a busy thread at once, and leaves no
// trace.
func TestLookingDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		f.start(f.input("t1", "slow"))
		time.Sleep(time.Second)
		begun := time.Now()
		r := f.start(f.input("t1", ""))
		all := events(t, r, false)
		if got := typesOf(all); got != "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED" || time.Since(begun) > 0 {
			t.Errorf("events are %s after %s", got, time.Since(begun))
		}
		if _, err := f.store.Run(t.Context(), ada, r.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the store has the run: %v", err)
		}
		f.Drain(t.Context())
	})
}

// TestSameRunAgainOnABusyThread: a run that ended long ago is shown without waiting for the live
// one.
func TestSameRunAgainOnABusyThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.Keep = 1 })
		in := f.input("t1", "hello")
		want := events(t, f.start(in), false)
		synctest.Wait()
		f.start(f.input("t1", "slow"))
		begun := time.Now()
		if got := events(t, f.start(in), false); len(got) != len(want) || time.Since(begun) > 0 {
			t.Errorf("%d events after %s, want %d", len(got), time.Since(begun), len(want))
		}
		f.Drain(t.Context())
	})
}

// TestManyPostsOfOneRunAskTheModelOnce: whoever asks, whenever, in whatever process, one run is one
// run.
func TestManyPostsOfOneRunAskTheModelOnce(t *testing.T) {
	model := &steps{}
	f := managerWith(t, temp.Store(t), agentWith(t, model), func(c *Config) { c.Keep = 1 })
	for i := range 40 {
		in := f.input("t1", "hello")
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() { readAll(t, f.start(in).Read(false)) })
		}
		all.Wait()
		if n := model.calls(); n != i+1 {
			t.Fatalf("after run %d the model was asked %d times", i+1, n)
		}
		_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "other"})
		wantCode(t, err, CodeRunConflict)
	}
}

// TestDeserted: where the configuration says so, a run nobody reads is cancelled after the grace,
// and one to which somebody comes back is not.
func TestDeserted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.OnDisconnect, c.Grace = DisconnectCancel, 3*time.Second })
		left, kept := f.start(f.input("t1", "slow")), f.start(f.input("t2", "slow"))
		first, second := left.Read(false), kept.Read(false)
		time.Sleep(time.Second)
		first.Close()
		second.Close()
		time.Sleep(2 * time.Second)
		back := f.follow(t, FollowRequest{RunID: kept.ID})
		time.Sleep(time.Minute)
		back.Close()
		for r, want := range map[*Run]store.RunStatus{left: store.RunCancelled, kept: store.RunFinished} {
			if row, err := f.store.Run(t.Context(), ada, r.ID); err != nil || row.Status != want {
				t.Errorf("run %s is %+v, %v, want %s", r.ID, row, err, want)
			}
		}
		unread := f.start(f.input("t3", "slow")) // its client has gone before it could read
		time.Sleep(time.Minute)
		if row, err := f.store.Run(t.Context(), ada, unread.ID); err != nil || row.Status != store.RunCancelled {
			t.Errorf("run %s is %+v, %v", unread.ID, row, err)
		}
	})
}

// TestCancelOfTheDeaf: neither a tool nor a model that ignores its context holds up the end of a
// run that is cancelled, and what they say later is dropped.
func TestCancelOfTheDeaf(t *testing.T) {
	hour := func(context.Context) { time.Sleep(time.Hour) }
	deafTool := tool.New("deaf", "Does not listen.", func(ctx context.Context, _ *tool.Call, _ struct{}) (tool.Result, error) {
		hour(ctx)
		return tool.Result{Text: "too late"}, nil
	})
	deafModel := func(ctx context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
		yield(llm.Part{Kind: llm.TextDelta, Delta: "thinking"}, nil)
		yield(llm.Part{Kind: llm.Pause}, nil)
		hour(ctx)
		say("too late")(ctx, nil, yield)
	}
	for name, play := range map[string][]step{"tool": {call("c", "deaf", "{}")}, "model": {deafModel}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := managerWith(t, temp.Store(t), agentWith(t, &steps{play: play}, deafTool), nil)
				r := f.start(f.input("t1", "go"))
				time.Sleep(time.Second)
				begun := time.Now()
				must(t, f.Cancel(t.Context(), ada, r.ID))
				all := events(t, r, false)
				if took := time.Since(begun); took > 250*time.Millisecond {
					t.Errorf("it took %s", took)
				}
				legal(t, all)
				if end := all[len(all)-1].(*agui.RunFinished); end.Outcome == nil || end.Outcome.Type != agui.OutcomeCancelled {
					t.Errorf("outcome is %+v", end.Outcome)
				}
				next := f.start(f.input("t1", "and now?"))
				// late, and for the other run
				if err := f.Cancel(t.Context(), ada, r.ID); err != nil {
					t.Error(err)
				}
				all = events(t, next, false)
				if end := all[len(all)-1].(*agui.RunFinished); end.Outcome != nil {
					t.Errorf("the next run ends with %+v", end.Outcome)
				}
				time.Sleep(2 * time.Hour)
				if got := f.thread("t1"); strings.Contains(got, "too late") || !strings.HasSuffix(got, "user=and now? | assistant=done") {
					t.Errorf("thread is %q", got)
				}
			})
		})
	}
}

// titled is a model that names threads after a while.
func titled(after time.Duration, title string) *steps {
	return &steps{play: []step{func(ctx context.Context, req *llm.Request, yield func(llm.Part, error) bool) {
		select {
		case <-time.After(after):
			say(title)(ctx, req, yield)
		case <-ctx.Done():
			yield(llm.Part{}, context.Cause(ctx))
		}
	}}}
}

// TestTitles: the first words at once, and the model's title before the end where it is there in
// time.
func TestTitles(t *testing.T) {
	for _, tt := range []struct {
		name   string
		model  *steps
		titles []string
		took   time.Duration
	}{
		{"without a model", nil, []string{"who am I?"}, 0},
		{"a quick model", titled(0, "\"On identity\"\n"), []string{"who am I?", "On identity"}, 0},
		{"a model that takes a second", titled(time.Second, "On identity"), []string{"who am I?", "On identity"}, time.Second},
		{"a slow model", titled(time.Hour, "On identity"), []string{"who am I?"}, titlePatience},
		{"a model that fails", &steps{play: []step{func(_ context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
			yield(llm.Part{}, &llm.Error{Kind: llm.KindAuth, Message: "no"})
		}}}, []string{"who am I?"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := agentWith(t, &steps{})
				if tt.model != nil {
					a.TitleModel = tt.model
				}
				f := managerWith(t, temp.Store(t), a, nil)
				begun := time.Now()
				var titles []string
				for _, e := range events(t, f.start(f.input("t1", "who am I?")), false) {
					if c, ok := e.(*agui.Custom); ok && c.Name == "conversation_title" {
						titles = append(titles, strings.Trim(string(c.Value), `"`))
					}
				}
				if !slices.Equal(titles, tt.titles) || time.Since(begun) != tt.took {
					t.Errorf("titles %q after %s, want %q after %s", titles, time.Since(begun), tt.titles, tt.took)
				}
				thread, err := f.store.Thread(t.Context(), ada, "t1")
				if err != nil || thread.Title != tt.titles[len(tt.titles)-1] {
					t.Errorf("the thread is called %q, %v", thread.Title, err)
				}
				events(t, f.start(f.input("t1", "and you?")), false)
				if tt.model != nil && tt.model.calls() != 1 {
					t.Errorf("the model was asked %d times", tt.model.calls())
				}
			})
		})
	}
}

// TestTitleAfterThePagesTool: the first run ends with a call of the page's tool and without text,
// so the title comes with the run that answers.
func TestTitleAfterThePagesTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := agentWith(t, &steps{play: []step{call("c", "paint", "{}"), say("It is red.")}})
		titles := titled(0, "On painting")
		a.TitleModel = titles
		f := managerWith(t, temp.Store(t), a, nil)
		calls := pendingOf(events(t, f.start(f.input("t1", "paint it")), false))
		in := f.input("t1", "")
		in.Messages = []agui.Message{{ID: "r1", Role: agui.RoleTool, ToolCallID: calls[0], Content: agui.TextContent("done")}}
		events(t, f.start(in), false)
		thread, err := f.store.Thread(t.Context(), ada, "t1")
		if err != nil || thread.Title != "On painting" || titles.calls() != 1 {
			t.Errorf("the thread is called %q, %v; the model was asked %d times", thread.Title, err, titles.calls())
		}
	})
}

// TestRenamedThreadKeepsItsName: what a person wrote is not overwritten.
func TestRenamedThreadKeepsItsName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := agentWith(t, &steps{})
		a.TitleModel = titled(time.Second, "Another")
		f := managerWith(t, temp.Store(t), a, nil)
		r := f.start(f.input("t1", "who am I?"))
		synctest.Wait()
		mine := "Mine"
		if _, err := f.store.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Title: &mine}); err != nil {
			t.Fatal(err)
		}
		events(t, r, false)
		if thread, err := f.store.Thread(t.Context(), ada, "t1"); err != nil || thread.Title != mine {
			t.Errorf("the thread is called %q, %v", thread.Title, err)
		}
	})
}

// TestSweep: events of ended runs and deleted threads are forgotten when their time is over.
func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.KeepDeleted = 24 * time.Hour })
		kept, deleted := f.start(f.input("t1", "hello")), f.start(f.input("t2", "hello"))
		events(t, kept, false)
		events(t, deleted, false)
		if _, err := f.store.UpdateThread(t.Context(), ada, "t2", store.ThreadChange{Deleted: new(true)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Minute)
		logOf(t, f.store, kept.ID)
		time.Sleep(20 * time.Minute)
		for _, err := range f.store.Events(t.Context(), ada, kept.ID, 0) {
			if !errors.Is(err, store.ErrGone) {
				t.Errorf("after an hour the events are there: %v", err)
			}
		}
		time.Sleep(24 * time.Hour)
		if _, err := f.store.Thread(t.Context(), ada, "t2"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("after a day the deleted thread is there: %v", err)
		}
		f.Drain(t.Context())
	})
}
