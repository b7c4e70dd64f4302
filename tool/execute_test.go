package tool_test

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

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// plain makes a registered tool from a function.
func plain(t *testing.T, timeout time.Duration, h tool.Handler) *tool.Tool {
	t.Helper()
	registered, _ := register(t, &tool.Tool{Name: "x", Handler: h, Policy: tool.Policy{Timeout: timeout}}).Get("x")
	return registered
}

func TestExecuteResults(t *testing.T) {
	tests := []struct {
		name    string
		handler func(context.Context) (tool.Result, error)
		want    string
	}{
		{"text", func(context.Context) (tool.Result, error) { return tool.Result{Text: "ok"}, nil }, "ok"},
		{"invalid UTF-8", func(context.Context) (tool.Result, error) { return tool.Result{Text: "a\xffb"}, nil }, "a\uFFFDb"},
		{"error", func(context.Context) (tool.Result, error) { return tool.Result{}, errors.New("no index") },
			`{"error":{"code":"failed","message":"no index","retryable":false}}`},
		{"own error", func(context.Context) (tool.Result, error) {
			return tool.Result{}, fmt.Errorf("wrapped: %w", &tool.Error{Code: "locked", Message: "wait", Retryable: true, Hint: "later"})
		}, `{"error":{"code":"locked","message":"wait","retryable":true,"hint":"later"}}`},
		{"error result", func(context.Context) (tool.Result, error) { return tool.Result{Text: "no", IsError: true}, nil },
			`{"error":{"code":"failed","message":"no","retryable":false}}`},
		{"too large", func(context.Context) (tool.Result, error) { return tool.Result{Text: strings.Repeat("x", 2<<20)}, nil }, `"code":"too_large"`},
		{"panic", func(context.Context) (tool.Result, error) { panic("the password is 1234") }, `{"error":{"code":"panic","message":"the tool failed unexpectedly","retryable":false}}`},
		{"nil pointer", func(context.Context) (tool.Result, error) { var p *tool.Result; return *p, nil }, `"code":"panic"`},
		{"exit of the goroutine", func(context.Context) (tool.Result, error) { runtime.Goexit(); return tool.Result{}, nil }, `"code":"panic"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log logged.Text
			tl := plain(t, 0, func(ctx context.Context, _ *tool.Call) (tool.Result, error) { return tt.handler(ctx) })
			got := tool.Execute(t.Context(), tl, tool.Call{ID: "c1", Log: log.Logger()}, nil)
			must.Have(t, got.Text, tt.want, "the result")
			must.Be(t, got.IsError, strings.Contains(tt.want, `"code"`), "it is an error")
			if tt.name == "panic" && (!strings.Contains(log.String(), "1234") || !strings.Contains(log.String(), "execute_test.go")) {
				t.Errorf("the log lacks the panic or its stack: %s", log.String())
			}
		})
	}
}

// What a handler returns for the card comes back with its text, and not with an error; the key of a
// call reaches the handler as it is.
func TestExecuteHandsOnPayloadAndKey(t *testing.T) {
	for _, failed := range []bool{false, true} {
		tl := plain(t, 0, func(_ context.Context, call *tool.Call) (tool.Result, error) {
			return tool.Result{Text: call.Key, Payload: map[string]int{"n": 7}, IsError: failed}, nil
		})
		got := tool.Execute(t.Context(), tl, tool.Call{ID: "c1", Key: "t1/c1"}, nil)
		must.Have(t, got.Text, "t1/c1", "the result")
		must.Be(t, got.Payload == nil, failed, "it has no payload")
	}
}

// A handler that ignores its context is left behind at its timeout, and what it says later is
// dropped.
func TestExecuteTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		tl := plain(t, 3*time.Second, func(_ context.Context, call *tool.Call) (tool.Result, error) {
			<-release
			call.Progress("late", "", 1)
			return tool.Result{Text: "late"}, nil
		})
		start, returned := time.Now(), false
		got := tool.Execute(t.Context(), tl, tool.Call{}, func(p tool.Progress) {
			if returned {
				t.Error("progress after the result")
			}
		})
		returned = true
		if took := time.Since(start); took != 3*time.Second || !strings.Contains(got.Text, `"code":"timeout"`) || !strings.Contains(got.Text, "within 3s") {
			t.Errorf("after %v: %s", took, got.Text)
		}
		close(release)
	})
}

// A tool whose handlers keep hanging answers no more calls until some of them have returned.
func TestExecuteLeaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var started atomic.Int32
		tl := plain(t, time.Second, func(context.Context, *tool.Call) (tool.Result, error) {
			started.Add(1)
			<-release
			return tool.Result{Text: "ok"}, nil
		})
		for range 20 {
			tool.Execute(t.Context(), tl, tool.Call{}, nil)
		}
		must.Be(t, started.Load(), 8, "handlers that hang; then calls are refused")
		must.Have(t, tool.Execute(t.Context(), tl, tool.Call{}, nil).Text, `"code":"unavailable"`, "one more call")
		close(release)
		synctest.Wait()
		must.Be(t, tool.Execute(t.Context(), tl, tool.Call{}, nil).Text, "ok", "after the release")
	})
}

// When the run is cancelled the tool is told, and nobody waits for it. A run that has ended starts
// nothing.
func TestExecuteCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var told atomic.Bool
		tl := plain(t, 0, func(ctx context.Context, _ *tool.Call) (tool.Result, error) {
			<-ctx.Done()
			told.Store(true)
			return tool.Result{}, ctx.Err()
		})
		time.AfterFunc(time.Second, cancel)
		got := tool.Execute(ctx, tl, tool.Call{}, nil)
		synctest.Wait()
		must.Have(t, got.Text, `"code":"interrupted"`, "the result")
		must.Be(t, told.Load(), true, "the handler is told")
		never := plain(t, 0, func(context.Context, *tool.Call) (tool.Result, error) { t.Error("started"); return tool.Result{}, nil })
		must.Have(t, tool.Execute(ctx, never, tool.Call{}, nil).Text, `"code":"interrupted"`, "the result of another")
	})
}

// Progress is coalesced to ten reports a second: the first at once, then the newest, never more,
// and none after the result.
func TestProgressPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tl := plain(t, 0, func(_ context.Context, call *tool.Call) (tool.Result, error) {
			for i := range 1000 {
				call.Progress("count", fmt.Sprint(i), float64(i)/1000)
				time.Sleep(time.Millisecond)
			}
			time.Sleep(time.Second)
			return tool.Result{Text: "ok"}, nil
		})
		var times []time.Time
		var last tool.Progress
		start := time.Now()
		tool.Execute(t.Context(), tl, tool.Call{ID: "c1"}, func(p tool.Progress) {
			times = append(times, time.Now())
			last = p
		})
		if len(times) < 9 || len(times) > 11 || times[0] != start {
			t.Errorf("%d reports, the first after %v", len(times), times[0].Sub(start))
		}
		for i := 1; i < len(times); i++ {
			if gap := times[i].Sub(times[i-1]); gap < 100*time.Millisecond {
				t.Errorf("only %v between reports %d and %d", gap, i-1, i)
			}
		}
		if last.Message != "999" || last.CallID != "c1" || last.Tool != "x" || last.Stage != "count" {
			t.Errorf("the newest report was lost: %+v", last)
		}
	})
}

// The last report before a result arrives before it, also where it is too early for one.
func TestProgressBeforeTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tl := plain(t, 0, func(_ context.Context, call *tool.Call) (tool.Result, error) {
			call.Progress("count", "1 of 2", 0.5)
			synctest.Wait() // until it is taken
			call.Progress("count", "2 of 2", 1)
			return tool.Result{Text: "ok"}, nil
		})
		var got []string
		tool.Execute(t.Context(), tl, tool.Call{}, func(p tool.Progress) { got = append(got, p.Message) })
		must.Be(t, strings.Join(got, ", "), "1 of 2, 2 of 2", "reported was %q", got)
	})
}

// Reporting from many goroutines is safe, and free where nobody listens.
func TestProgressFromManyGoroutines(t *testing.T) {
	new(tool.Call).Progress("nobody", "listens", 0)
	tl := plain(t, 0, func(_ context.Context, call *tool.Call) (tool.Result, error) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 100 {
					call.Progress("s", "m", -1)
				}
			})
		}
		all.Wait()
		return tool.Result{Text: "ok"}, nil
	})
	must.Be(t, tool.Execute(t.Context(), tl, tool.Call{}, func(tool.Progress) {}).Text, "ok", "the result")
}

// A tool with a rate is called no more often for one user; the model is told when it may be again.
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		slow := tool.New("mail", "Sends mail.", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
			calls++
			return tool.Result{Text: "sent"}, nil
		})
		slow.Policy.Rate = limit.PerMinute(2)
		registry := must.Get(tool.NewRegistry(slow))(t)
		mail, _ := registry.Get("mail")
		send := func(subject string) string {
			return tool.Execute(t.Context(), mail, tool.Call{ID: "c", Principal: auth.Principal{Subject: subject}}, nil).Text
		}
		for range 2 {
			must.Be(t, send("ada"), "sent", "within the rate")
		}
		if got := send("ada"); !tool.HasErrorCode(got, tool.CodeRateLimited) || !strings.Contains(got, "in 30 s") || calls != 2 {
			t.Errorf("beyond its rate, after %d calls: %s", calls, got)
		}
		must.Be(t, send("bob"), "sent", "for another user")
		time.Sleep(30 * time.Second)
		must.Be(t, send("ada"), "sent", "after the wait")
		slow.Policy.Rate.Burst = -1
		must.Fail(t, must.Err(tool.NewRegistry(slow)), "", "a negative rate")
	})
}
