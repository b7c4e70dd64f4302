package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

// A session is a txtar file about the command line. The header says which rule it pins. Then come
//
//	commands  what is called, one line each, and indented below it what comes of that
//	others    are files of the folder where the commands are called
//
// A command may have variables of its environment before it, and behind it a text: then only lines
// that have the text are told, and how it failed. What goes to standard error is marked so.
//
//	OPENAI_API_KEY=k check --config pageside.yaml | did you mean
//
// UPDATE=1 writes what comes into the files.
func TestSessions(t *testing.T) {
	talk.Each(t, func(t *testing.T, file *talk.File) {
		folder := t.TempDir()
		t.Chdir(folder)
		for _, f := range file.Files {
			must.Do(t, os.MkdirAll(filepath.Dir(f.Name), 0o700), os.WriteFile(f.Name, f.Data, 0o600))
		}
		var out strings.Builder
		talk.Play(&out, file.Lines("commands"), &talk.Names{}, func(line string) []string {
			return called(t, strings.ReplaceAll(line, "FOLDER", folder))
		})
		file.Compare(t, "commands", strings.ReplaceAll(out.String(), folder, "FOLDER"))
		must.Be(t, len(must.Get(os.ReadDir("."))(t)), len(file.Files), "files: what only tells or fails makes none")
	})
}

// called runs a line of a session, and returns what it prints and fails with.
func called(t *testing.T, line string) []string {
	t.Helper()
	command, text, _ := strings.Cut(line, " | ")
	args, env := strings.Fields(command), map[string]string{}
	for name, value, is := strings.Cut(args[0], "="); is; name, value, is = strings.Cut(args[0], "=") {
		env[name], args = value, args[1:]
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute) // should it serve
	defer stop()
	var stdout, stderr strings.Builder
	err := run(ctx, args, environment(env), &stdout, &stderr)
	told := strings.Split(stdout.String(), "\n")
	for line := range strings.Lines(stderr.String()) {
		told = append(told, "stderr: "+strings.TrimSuffix(line, "\n"))
	}
	told = slices.DeleteFunc(told, func(line string) bool { return !strings.Contains(line, text) })
	switch {
	case errors.Is(err, errUsage):
		told = append(told, "usage: "+err.Error())
	case err != nil && !errors.Is(err, flag.ErrHelp):
		told = append(told, strings.Split("failed: "+err.Error(), "\n")...)
	}
	return slices.DeleteFunc(told, func(line string) bool { return line == "" })
}
