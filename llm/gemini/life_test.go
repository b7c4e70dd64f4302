package gemini_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/gemini"
)

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tc := range []struct {
			name, value string
			want        time.Duration
		}{
			{"Retry-After", "2", 2 * time.Second}, {"Retry-After", "0.5", 500 * time.Millisecond}, {"Retry-After", "600", 10 * time.Minute},
			{"Retry-After", time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat), 90 * time.Second},
			{"Retry-After", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), 0},
			{"Retry-After", "soon", 0}, {"Retry-After", "-3", 0}, {"Retry-After", "1e99", 0}, {"Retry-After", "NaN", 0}, {"Retry-After-Ms", "1500", 1500 * time.Millisecond},
		} {
			a := ask(t, t.Context(), model(respondWith(429, http.Header{tc.name: {tc.value}}, strings.NewReader(""))), hello)
			if a.kind() != llm.KindRateLimited || a.err.RetryAfter != tc.want || !a.err.Retryable() {
				t.Errorf("%s: %s: got %+v, want %v", tc.name, tc.value, a.err, tc.want)
			}
		}
	})
}

// stall is a handler step: it writes what it is told and then does nothing until the client has
// gone.
func stall(headers bool, every time.Duration, texts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		if headers {
			w.(http.Flusher).Flush()
		}
		for _, text := range texts {
			_, _ = io.WriteString(w, text)
			w.(http.Flusher).Flush()
			select {
			case <-time.After(every):
			case <-r.Context().Done():
				return
			}
		}
		<-r.Context().Done()
	}
}

func TestTimeouts(t *testing.T) {
	said := sse(chunk(text("a")))
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		message string
		after   time.Duration
		text    string
	}{
		"no headers":       {stall(false, 0), "no answer from the provider within 2m0s", 2 * time.Minute, ""},
		"nothing after":    {stall(true, 0), "nothing said by the provider within 2m0s", 2 * time.Minute, ""},
		"drips comments":   {stall(true, time.Second, slices.Repeat([]string{": processing\n\n"}, 500)...), "nothing said by the provider within 2m0s", 2 * time.Minute, ""},
		"drips bytes":      {stall(true, time.Second, strings.Split(strings.Repeat("x", 500), "")...), "nothing said by the provider within 2m0s", 2 * time.Minute, ""},
		"drips empty ones": {stall(true, time.Second, slices.Repeat([]string{sse(chunk(text("")))}, 500)...), "nothing said by the provider within 2m0s", 2 * time.Minute, ""},
		"stops mid-stream": {stall(true, 20*time.Second, said, said, said), "no further word from the provider within 1m0s", 100 * time.Second, "aaa"},
		"comments mid-way": {stall(true, 10*time.Second, slices.Concat([]string{said}, slices.Repeat([]string{": a\n\n"}, 9), []string{said})...), "no further word from the provider within 1m0s", time.Minute, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				a := ask(t, t.Context(), inMemory(t, tc.handler), hello)
				if a.kind() != llm.KindStalled || a.err.Message != tc.message || a.text != tc.text || !a.err.Retryable() {
					t.Errorf("%q %+v", a.text, a.err)
				}
				if took := time.Since(start); took != tc.after {
					t.Errorf("took %v, want %v", took, tc.after)
				}
			})
		})
	}
}

// A provider that has finished but does not close does not hold the step up for long.
func TestNoEndAfterTheFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		a := ask(t, t.Context(), inMemory(t, stall(true, 0, sse(chunk(text("a")), finish("STOP")))), hello)
		if a.err != nil || a.text != "a" || time.Since(start) != 5*time.Second {
			t.Errorf("%v %+v", time.Since(start), a)
		}
	})
}

// The time the consumer takes is not the provider's.
func TestSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := inMemory(t, stall(true, 20*time.Second, sse(chunk(text("a"))), sse(chunk(text("a"))), sse(chunk(text("a"))), sse(finish("STOP"))))
		got := ""
		for part, err := range m.Stream(t.Context(), hello) {
			if err != nil {
				t.Fatal(err)
			}
			got += part.Delta
			time.Sleep(10 * time.Minute)
		}
		if got != "aaa" {
			t.Errorf("got %q", got)
		}
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, handler := range map[string]http.HandlerFunc{"before headers": stall(false, 0), "in the stream": stall(true, 0, sse(chunk(text("a"))))} {
			gone := make(chan struct{})
			m := inMemory(t, func(w http.ResponseWriter, r *http.Request) { handler(w, r); close(gone) })
			why := errors.New("the user pressed stop")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(7*time.Second, func() { cancel(why) })
			start := time.Now()
			a := ask(t, ctx, m, hello)
			if a.kind() != llm.KindCancelled || !errors.Is(a.err, why) || time.Since(start) != 7*time.Second {
				t.Errorf("%s: after %v: %+v", name, time.Since(start), a.err)
			}
			<-gone // the upstream connection is closed
		}
	})
}

func TestLeavingTheLoopClosesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		handler := stall(true, 0, sse(chunk(text("a"))))
		m := inMemory(t, func(w http.ResponseWriter, r *http.Request) { handler(w, r); close(gone) })
		for range m.Stream(t.Context(), hello) {
			break
		}
		<-gone
	})
}

// Steps of one run use one connection, also where the end of the response comes after [DONE].
func TestConnectionIsUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := newPipeNet()
		m := served(t, network, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, sse(chunk(text("a")))+sse(finish("STOP")))
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		})
		for range 5 {
			if a := ask(t, t.Context(), m, hello); a.err != nil {
				t.Fatal(a.err)
			}
		}
		if n := network.dials.Load(); n != 1 {
			t.Errorf("%d connections for 5 calls", n)
		}
	})
}

func TestUnreachable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	a := ask(t, t.Context(), gemini.New(gemini.Config{BaseURL: server.URL, Model: "m"}), hello)
	if a.kind() != llm.KindNetwork || !a.err.Retryable() {
		t.Errorf("got %+v", a.err)
	}
	a = ask(t, t.Context(), gemini.New(gemini.Config{BaseURL: "http://user:hunter2@127.0.0.1:1", Model: "m"}), hello)
	if a.kind() != llm.KindNetwork || strings.Contains(fmt.Sprintf("%+v %v", a.err, a.err.Err), "hunter2") {
		t.Errorf("got %+v", a.err)
	}
	a = ask(t, t.Context(), gemini.New(gemini.Config{BaseURL: "http://[broken", Model: "m"}), hello)
	if a.kind() != llm.KindBadRequest {
		t.Errorf("got %+v", a.err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var other int
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { other++ }))
	defer target.Close()
	server := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	a := ask(t, t.Context(), gemini.New(gemini.Config{BaseURL: server.URL, Model: "m", APIKey: "k"}), hello)
	if a.kind() != llm.KindBadRequest || other > 0 {
		t.Errorf("%d requests elsewhere, %+v", other, a.err)
	}
}
