package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// fileOf writes a file into a folder of its own, and returns its path.
func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, text)
	return path
}

// write writes a file as a whole: half of one may say something, too, to a server that watches it.
func write(t *testing.T, path, text string) {
	t.Helper()
	whole := filepath.Join(t.TempDir(), "whole")
	must.Do(t, errors.Join(os.WriteFile(whole, []byte(text), 0o600), os.Rename(whole, path)))
}

// contents returns what a file holds.
func contents(t *testing.T, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path))(t))
}

// newStore is the address of a store that is not there yet.
func newStore(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "p.db") }

// printed runs the program to its end, and returns what it prints, be it an error.
func printed(t *testing.T, env map[string]string, args ...string) (out string, err error) {
	t.Helper()
	var all strings.Builder
	err = run(t.Context(), args, environment(env), &all, &all)
	return all.String(), err
}

// answered runs the program to its end, and returns what it prints on standard output.
func answered(t *testing.T, env map[string]string, args ...string) (stdout string, err error) {
	t.Helper()
	var out strings.Builder
	err = run(t.Context(), args, environment(env), &out, io.Discard)
	return out.String(), err
}

// aguiBody asks an agent something.
func aguiBody(thread, run, text string) string {
	return `{"threadId":"` + thread + `","runId":"` + run + `","messages":[{"id":"u-` + run + `","role":"user","content":"` + text +
		`"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`
}

// has checks that a text has some others in it, and not those that begin with !.
func has(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if want, not := strings.CutPrefix(want, "!"); strings.Contains(text, want) == not {
			t.Errorf("whether %q is in it is %v:\n%s", want, not, text)
		}
	}
}

// eventually waits until something holds. However slow the machine, it must.
func eventually(t *testing.T, holds func() bool, what func() string) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal(what())
		}
	}
}

// serves is the address of a server that others than Pageside have.
func serves(t *testing.T, handle http.HandlerFunc) (url string) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

// speaks has a server answer as OpenAI's does, with a choice in each chunk.
func speaks(w http.ResponseWriter, choices ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, choice := range choices {
		fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,%s}]}`+"\n\n", choice)
	}
	w.(http.Flusher).Flush()
}

// done is the end of such an answer.
const done = "data: [DONE]\n\n"
