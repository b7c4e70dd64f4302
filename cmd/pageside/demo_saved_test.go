package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// TestDemoKeepsWhatUsersMade beside the threads, says where, and begins again where it is asked to.
func TestDemoKeepsWhatUsersMade(t *testing.T) {
	folder := t.TempDir()
	args := []string{"demo", "--store", "sqlite:" + filepath.Join(folder, "threads.db")}
	s := serving(t, args...)
	kept := filepath.Join(folder, "threads-demo.db")
	s.wants(person{}, "POST", "/demo/research/reports", `{"streamId":"1","name":"My very own"}`, http.StatusCreated)
	s.ends()
	must.Be(t, must.Get(os.Stat(kept))(t).Mode().Perm(), 0o600, "who may read it")
	s = serving(t, args...)
	s.wants(person{}, "GET", "/demo/research/reports", "", http.StatusOK, "My very own")
	s.ends()
	s = serving(t, append(args, "--reset")...)
	s.wants(person{}, "GET", "/demo/research/reports", "", http.StatusOK, "!My very own", `"streamId"`)
	s.ends()
}

// TestKeptNote: whoever starts the demo is told what becomes of what they make.
func TestKeptNote(t *testing.T) {
	for store, want := range map[string]string{
		"":                      "Nothing is kept: threads, alerts, streams and reports are gone when the demo ends; --store sqlite:demo.db keeps them.",
		"sqlite:/x/threads.db":  "Threads are kept in /x/threads.db; alerts, streams and reports in /x/threads-demo.db.",
		"threads":               "Threads are kept in threads; alerts, streams and reports in threads-demo.db.",
		"sqlite:../a.b/threads": "Threads are kept in ../a.b/threads; alerts, streams and reports in ../a.b/threads-demo.db.",
	} {
		must.Be(t, keptNote(store), want, "%s", store)
	}
}

// TestBaseNote: another address for the model is told at the start, without what may be secret in
// it.
func TestBaseNote(t *testing.T) {
	env := environment(map[string]string{"OPENAI_BASE_URL": "http://me:secret@127.0.0.1:1/v1?key=x"})
	openai, anthropic := llm.Info{Provider: "openai"}, llm.Info{Provider: "anthropic"}
	must.Be(t, baseNote(openai, env), "OPENAI_BASE_URL has it asked at http://127.0.0.1:1.", "the note")
	must.Be(t, baseNote(anthropic, env)+baseNote(openai, environment(nil)), "", "the note of another address")
}
