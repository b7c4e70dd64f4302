// Command skipped counts the tests that were skipped, and says why: a run that skipped something
// does not claim that all tests passed.
//
//	go test -json ./... | skipped go bin/skipped/go    prints the results, notes what was skipped
//	skipped sum bin/skipped/go bin/skipped/web         what the suites noted
//
// A suite notes what it skipped in a folder of its own, as files of JSON lines; vitest does so with
// web/scripts/skipped.mjs. Where CI is set, sum fails for what should have run: see allowed.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// skip is a test that did not run.
type skip struct {
	Where  string `json:"where"` // the package, or the file
	Test   string `json:"test"`
	Reason string `json:"reason"`
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Getenv("CI") != ""); err != nil {
		fmt.Fprintln(os.Stderr, "skipped:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer, ci bool) error {
	switch {
	case len(args) == 2 && args[0] == "go":
		return filter(in, out, args[1])
	case len(args) > 1 && args[0] == "sum":
		return sum(out, args[1:], ci, hasData())
	}
	return errors.New("want go FOLDER, or sum FOLDER…")
}

// filter prints what go test -json says as go test does, and notes in the folder what was skipped.
// It fails where a test did.
func filter(in io.Reader, out io.Writer, folder string) error {
	f := reader{out: out, packages: map[string]*results{}}
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		f.take(line)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read what go test says: %w", err)
		}
	}
	if err := note(folder, f.skips); err != nil {
		return err
	}
	tell(out, "", f.skips)
	if f.failed {
		return errors.New("some Go tests failed")
	}
	return nil
}

func note(folder string, skips []skip) error {
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("remove older notes: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make a folder for what was skipped: %w", err)
	}
	var text []byte
	for _, s := range skips {
		line, err := json.Marshal(s)
		if err != nil {
			return fmt.Errorf("note %s: %w", s.Test, err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := os.WriteFile(filepath.Join(folder, "go.jsonl"), text, 0o644); err != nil {
		return fmt.Errorf("note what was skipped: %w", err)
	}
	return nil
}

// sum tells what the suites skipped. It fails for a suite without notes, and in CI for tests that
// should have run.
func sum(out io.Writer, folders []string, ci, hasData bool) error {
	var all []skip
	for _, folder := range folders {
		skips, err := notes(folder)
		if err != nil {
			return err
		}
		all = append(all, skips...)
	}
	if len(all) == 0 {
		fmt.Fprintln(out, "all tests passed")
		return nil
	}
	tell(out, "passed, ", all)
	all = slices.DeleteFunc(all, func(s skip) bool { return allowed(s.Reason, hasData) })
	if ci && len(all) > 0 {
		return fmt.Errorf("in CI these should have run, %s of %s: %s", all[0].Test, all[0].Where, all[0].Reason)
	}
	return nil
}

func notes(folder string) (all []skip, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("nothing in %s says what was skipped: did its tests run? (%w)", folder, cmp.Or(err, os.ErrNotExist))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read what was skipped: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			var s skip
			if err := json.Unmarshal([]byte(line), &s); err != nil {
				return nil, fmt.Errorf("read %s: %w", file, err)
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// tell says how many tests were skipped, for which reasons and where; nothing where there are none.
func tell(out io.Writer, result string, skips []skip) {
	if len(skips) == 0 {
		return
	}
	fmt.Fprintf(out, "%s%s skipped:\n", result, tests(len(skips)))
	reasons := group(skips, func(s skip) string { return s.Reason })
	for _, r := range reasons {
		var places []string
		for _, p := range group(r.skips, func(s skip) string { return s.Where }) {
			places = append(places, fmt.Sprintf("%s (%d)", p.key, len(p.skips)))
		}
		fmt.Fprintf(out, "%5d  %s: %s\n", len(r.skips), r.key, strings.Join(places, ", "))
	}
}

func tests(n int) string {
	if n == 1 {
		return "1 test"
	}
	return fmt.Sprint(n, " tests")
}

type skipGroup struct {
	key   string
	skips []skip
}

// group puts those with the same key together, most first.
func group(skips []skip, key func(skip) string) (groups []skipGroup) {
	for _, s := range skips {
		i := slices.IndexFunc(groups, func(g skipGroup) bool { return g.key == key(s) })
		if i < 0 {
			i, groups = len(groups), append(groups, skipGroup{key: key(s)})
		}
		groups[i].skips = append(groups[i].skips, s)
	}
	slices.SortStableFunc(groups, func(a, b skipGroup) int { return len(b.skips) - len(a.skips) })
	return groups
}

// dataBeside is said of tests on data that is not part of the repository.
const dataBeside = "beside the repository"

// allowed says whether a test may be skipped in CI: for want of data that is not there, or of what
// not every machine has.
func allowed(reason string, hasData bool) bool {
	switch {
	case strings.Contains(reason, dataBeside):
		return !hasData
	case strings.Contains(reason, "needs a file system of its own"), strings.Contains(reason, "only in the long version"),
		strings.Contains(reason, "needs React 19.2"):
		return true
	}
	return false
}

// hasData says whether the data that tests can use lies beside the repository, which make is
// started in.
func hasData() bool {
	_, err := os.Stat(filepath.Join("..", "shared", "data"))
	return err == nil
}
