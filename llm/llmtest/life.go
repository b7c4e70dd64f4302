package llmtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// Timeout is a server that lets a call wait too long, and the expected error.
type Timeout = struct {
	Handler http.HandlerFunc
	Message string
	After   time.Duration
	Text    string
}

// Waits are the limits of a package. Until Silence, signs of life extend First.
type Waits struct{ Headers, First, Silence, Idle time.Duration }

// Timeouts checks that every wait ends: common ones and the package's own.
func (v *Vendor) Timeouts(t *testing.T, own map[string]Timeout) {
	limits := v.Waits
	noHeaders := fmt.Sprintf("no answer from the provider within %v", limits.Headers)
	nothing := fmt.Sprintf("nothing said by the provider within %v", limits.First)
	noMore := fmt.Sprintf("no further word from the provider within %v", limits.Idle)
	silence := fmt.Sprintf("nothing said by the provider within %v", limits.Silence)
	comments := slices.Concat([]string{v.Said}, slices.Repeat([]string{": a\n\n"}, 9), []string{v.More})
	all := map[string]Timeout{
		"no headers":       {Stall(false, 0), noHeaders, limits.Headers, ""},
		"nothing after":    {Stall(true, 0), nothing, limits.First, ""},
		"drips comments":   {Stall(true, time.Second, slices.Repeat([]string{": processing\n\n"}, 500)...), silence, limits.Silence, ""},
		"drips bytes":      {Stall(true, time.Second, strings.Split(strings.Repeat("x", 500), "")...), silence, limits.Silence, ""},
		"stops mid-stream": {Stall(true, 20*time.Second, v.Said, v.More, v.More), noMore, 40*time.Second + limits.Idle, "aaa"},
		"comments mid-way": {Stall(true, 10*time.Second, comments...), noMore, limits.Idle, "a"},
	}
	if v.Binary {
		maps.DeleteFunc(all, func(name string, _ Timeout) bool {
			return strings.HasPrefix(name, "drips") || name == "comments mid-way"
		})
	}
	maps.Copy(all, own)
	for name, tc := range all {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				a := Ask(t, t.Context(), v.served(t, tc.Handler), Hello)
				if a.Kind() != llm.KindStalled || a.Err.Message != tc.Message || a.Text != tc.Text || !a.Err.Retryable() {
					t.Errorf("%q %+v", a.Text, a.Err)
				}
				must.Be(t, time.Since(start), tc.After, "took")
			})
		})
	}
}

// Life checks the life of a call, alike for every provider.
func (v *Vendor) Life(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"a provider says when to try again": v.retryAfter, "no end after the finish": v.noEnd, "slow consumer": v.slowConsumer,
		"ids of calls are new in a thread": v.newIDs, "cancel": v.cancel, "leaving the loop closes the connection": v.leave, "a connection is used again": v.reuse,
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
	}
	t.Run("unreachable", v.unreachable)
	t.Run("redirects are not followed", v.redirects)
}

func (v *Vendor) retryAfter(t *testing.T) {
	for _, tc := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "2", 2 * time.Second}, {"Retry-After", "0.5", 500 * time.Millisecond}, {"Retry-After", "600", 10 * time.Minute},
		{"Retry-After", time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat), 90 * time.Second},
		{"Retry-After", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), 0},
		{"Retry-After", "soon", 0}, {"Retry-After", "-3", 0}, {"Retry-After", "1e99", 0}, {"Retry-After", "NaN", 0}, {"Retry-After-Ms", "1500", 1500 * time.Millisecond},
	} {
		a := Ask(t, t.Context(), v.Model(RespondWith(429, http.Header{tc.name: {tc.value}}, strings.NewReader(""))), Hello)
		if a.Kind() != llm.KindRateLimited || a.Err.RetryAfter != tc.want || !a.Err.Retryable() {
			t.Errorf("%s: %s: got %+v, want %v", tc.name, tc.value, a.Err, tc.want)
		}
	}
}

// newIDs checks that a call keeps its id, unless the thread has a call of that id already.
func (v *Vendor) newIDs(t *testing.T) {
	again := &llm.Request{Messages: []llm.Message{
		Say(llm.RoleAssistant, llm.ToolCall{ID: "call_1", Name: "f"}), Say(llm.RoleTool, llm.ToolResult{ID: "call_1"}), User("q"),
	}}
	for req, keeps := range map[*llm.Request]bool{Hello: true, again: false} {
		a := Ask(t, t.Context(), v.Model(Streaming(strings.NewReader(v.Called))), req)
		if len(a.Calls) != 1 || (a.Calls[0].ID == "call_1") != keeps {
			t.Errorf("%+v, %v", a.Calls, a.Err)
		}
	}
}

// A provider that has finished but neither ends nor closes the stream does not hold the step up for
// long.
func (v *Vendor) noEnd(t *testing.T) {
	start := time.Now()
	a := Ask(t, t.Context(), v.served(t, Stall(true, 0, v.Said+v.Finished)), Hello)
	if a.Err != nil || a.Text != "a" || time.Since(start) != 5*time.Second {
		t.Errorf("%v %+v", time.Since(start), a)
	}
}

// The consumer's time does not count against the provider.
func (v *Vendor) slowConsumer(t *testing.T) {
	m := v.served(t, Stall(true, 20*time.Second, v.Said, v.More, v.More, v.Over))
	got := ""
	for part, err := range m.Stream(t.Context(), Hello) {
		must.Do(t, err)
		got += part.Delta
		time.Sleep(10 * time.Minute)
	}
	if got != "aaa" {
		t.Errorf("got %q", got)
	}
}

func (v *Vendor) cancel(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{"before headers": Stall(false, 0), "in the stream": Stall(true, 0, v.Said)} {
		gone := make(chan struct{})
		m := v.served(t, func(w http.ResponseWriter, r *http.Request) { handler(w, r); close(gone) })
		why := errors.New("the user pressed stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(7*time.Second, func() { cancel(why) })
		start := time.Now()
		a := Ask(t, ctx, m, Hello)
		if a.Kind() != llm.KindCancelled || !errors.Is(a.Err, why) || time.Since(start) != 7*time.Second {
			t.Errorf("%s: after %v: %+v", name, time.Since(start), a.Err)
		}
		<-gone // the upstream connection is closed
	}
}

func (v *Vendor) leave(t *testing.T) {
	gone := make(chan struct{})
	handler := Stall(true, 0, v.Said)
	m := v.served(t, func(w http.ResponseWriter, r *http.Request) { handler(w, r); close(gone) })
	for range m.Stream(t.Context(), Hello) {
		break
	}
	<-gone
}

// LeaveAnywhere checks that a reader may leave an answer at any of its parts, pauses among them: it
// is given no more, the response is closed, and no goroutine stays. create makes a model whose
// calls all go to a transport.
func LeaveAnywhere(t *testing.T, body string, create func(Transport) llm.Model) {
	// Where pauses stand is a matter of time: they are not counted, but left at, too.
	read := func(leave int, atPause bool) (parts int) {
		synctest.Test(t, func(t *testing.T) {
			response := &closing{Reader: &CutReader{Data: []byte(body), N: 40}}
			m := create(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: http.StatusOK, Header: EventStream, Body: response, Request: r}, nil
			})
			for p := range m.Stream(t.Context(), Hello) {
				pauses := p.Kind == llm.Pause
				if !pauses {
					parts++
				}
				if parts == leave && pauses == atPause {
					break
				}
			}
			if !response.closed.Load() {
				t.Errorf("left at part %d: the response is open", leave)
			}
		})
		return parts
	}
	whole := read(-1, false)
	for at := 1; at < whole; at++ {
		if got := read(at, false); got != at {
			t.Errorf("left at part %d, given %d", at, got)
		}
		read(at, true)
	}
}

// closing is a body that knows whether it was closed.
type closing struct {
	io.Reader
	closed atomic.Bool
}

func (c *closing) Close() error {
	c.closed.Store(true)
	return nil
}

// The steps of a run share one connection, even if the end of the response comes late.
func (v *Vendor) reuse(t *testing.T) {
	network, client := Serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, v.Said+v.Over)
		w.(http.Flusher).Flush()
		time.Sleep(5 * time.Millisecond)
	})
	m := v.New(Setup{URL: "http://model", Client: client})
	for range 5 {
		if a := Ask(t, t.Context(), m, Hello); a.Err != nil {
			t.Fatal(a.Err)
		}
	}
	if n := network.Dials.Load(); n != 1 {
		t.Errorf("%d connections for 5 calls", n)
	}
}

func (v *Vendor) unreachable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	a := Ask(t, t.Context(), v.New(Setup{URL: server.URL}), Hello)
	if a.Kind() != llm.KindNetwork || !a.Err.Retryable() {
		t.Errorf("got %+v", a.Err)
	}
	a = Ask(t, t.Context(), v.New(Setup{URL: "http://user:hunter2@127.0.0.1:1"}), Hello)
	if a.Kind() != llm.KindNetwork || strings.Contains(fmt.Sprintf("%+v %v", a.Err, a.Err.Err), "hunter2") {
		t.Errorf("got %+v", a.Err)
	}
	a = Ask(t, t.Context(), v.New(Setup{URL: "http://[broken"}), Hello)
	must.Be(t, a.Kind(), llm.KindBadRequest, "the kind of %+v", a.Err)
}

func (v *Vendor) redirects(t *testing.T) {
	var other int
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { other++ }))
	defer target.Close()
	server := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	a := Ask(t, t.Context(), v.New(Setup{URL: server.URL}), Hello)
	if a.Kind() != llm.KindBadRequest || other > 0 {
		t.Errorf("%d requests elsewhere, %+v", other, a.Err)
	}
}
