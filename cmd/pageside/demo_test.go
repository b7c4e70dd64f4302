package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo"
	"github.com/pageside/pageside/llm"
)

// TestDemoNotes: whoever starts the demo is told how to get a real model, and which lines of the log were not taken.
func TestDemoNotes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "access.log")
	lines := `127.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 23` + "\nnonsense\n"
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		file string
		info llm.Info
		want []string
	}{
		{file, llm.Info{Provider: "openai"}, []string{"1 requests", "could not be read: 1, the first is line 2"}},
		{"", llm.Info{Scripted: true}, []string{"OPENAI_API_KEY", "generated sample"}},
	} {
		d, err := demo.New(t.Context(), demo.Config{LogFile: tt.file, Model: tt.info})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(demoNotes(d, tt.info, tt.file), "\n")
		for _, want := range tt.want {
			if !strings.Contains(notes, want) {
				t.Errorf("%q is not said in %q", want, notes)
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
