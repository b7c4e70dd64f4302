package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// said writes events as go test -json does: action, package, test and output, separated by bars.
func events(lines ...string) string {
	var text strings.Builder
	for _, l := range lines {
		f := append(strings.Split(l, "|"), "", "", "")
		line, _ := json.Marshal(event{Action: f[0], Package: f[1], Test: f[2], Output: strings.ReplaceAll(f[3], `\n`, "\n")})
		text.Write(append(line, '\n'))
	}
	return text.String()
}

// filtered is what is printed of events, and whether that is a success.
func filtered(t *testing.T, folder, in string) (string, bool) {
	t.Helper()
	var out strings.Builder
	err := run([]string{"go", folder}, strings.NewReader(in), &out, false)
	return out.String(), err == nil
}

func TestPassesAreOneLine(t *testing.T) {
	out, ok := filtered(t, filepath.Join(t.TempDir(), "go"), events(
		`start|a`, `run|a|TestX`, `output|a|TestX|=== RUN   TestX\n`, `output|a|TestX|chatter\n`, `output|a|TestX|--- PASS: TestX (0.00s)\n`, `pass|a|TestX`,
		`output|a||PASS\n`, `output|a||ok  a 0.1s\n`, `pass|a`,
		`start|b`, `output|b||?   b [no test files]\n`, `skip|b`))
	if want := "ok  a 0.1s\n?   b [no test files]\n"; out != want || !ok {
		t.Errorf("%t\n%s", ok, out)
	}
}

func TestFailuresAreToldInFull(t *testing.T) {
	for name, in := range map[string]string{
		"a test": events(`run|a|TestGood`, `output|a|TestGood|good\n`, `pass|a|TestGood`, `run|a|TestX`, `output|a|TestX|=== RUN   TestX\n`, `output|a|TestX|    x_test.go:1: the cause\n`,
			`output|a|TestX|--- FAIL: TestX (0.00s)\n`, `fail|a|TestX`, `output|a||FAIL\n`, `fail|a`),
		"a panic":      events(`run|a|TestX`, `output|a|TestX|panic: the cause\n`, `output|a||FAIL a 0.1s\n`, `fail|a`),
		"a build":      `{"ImportPath":"a","Action":"build-output","Output":"the cause\n"}` + "\n" + `{"ImportPath":"a","Action":"build-fail"}` + "\n" + events(`fail|a`),
		"what is cut":  events(`run|a|TestX`, `fail|a|TestX`) + "the cause",
		"a sub-test":   events(`run|a|TestX`, `run|a|TestX/s`, `output|a|TestX/s|        x_test.go:1: the cause\n`, `fail|a|TestX/s`, `fail|a|TestX`, `fail|a`),
		"the test run": events(`output|a||the cause\n`, `fail|a`),
	} {
		out, ok := filtered(t, filepath.Join(t.TempDir(), "go"), in)
		if ok || !strings.Contains(out, "the cause") || strings.Contains(out, "good") || strings.Contains(out, "===") {
			t.Errorf("%s: %t\n%s", name, ok, out)
		}
	}
}

func TestSkipsAreCountedAndSummed(t *testing.T) {
	folder := t.TempDir()
	goes, web := filepath.Join(folder, "go"), filepath.Join(folder, "web")
	in := events(`run|a|TestX`, `output|a|TestX|    x_test.go:7: no data beside the repository\n`, `output|a|TestX|--- SKIP: TestX (0.00s)\n`, `skip|a|TestX`,
		`run|a|TestY/s`, `output|a|TestY/s|        y_test.go:7: no data beside the repository\n`, `skip|a|TestY/s`, `pass|a|TestY`,
		`run|a|TestZ`, `skip|a|TestZ`, `output|a||ok  a 0.1s\n`, `pass|a`)
	want := "3 tests skipped:\n    2  no data beside the repository: a (2)\n    1  no reason given: a (1)\n"
	if out, ok := filtered(t, goes, in); out != "ok  a 0.1s\n"+want || !ok {
		t.Errorf("%t\n%s", ok, out)
	}
	sums := func(ci, hasData bool) (string, error) {
		var out strings.Builder
		err := sum(&out, []string{goes, web}, ci, hasData)
		return out.String(), err
	}
	if out, err := sums(false, true); err == nil {
		t.Errorf("a suite that noted nothing did not run: %s", out)
	}
	must.Do(t, note(web, nil))
	if out, err := sums(false, true); err != nil || out != "passed, "+want {
		t.Errorf("%v\n%s", err, out)
	}
	must.Fail(t, must.Err(sums(true, true)), "TestX of a: no data", "in CI, with the data there")
	must.Fail(t, must.Err(sums(true, false)), "TestZ of a: no reason given", "in CI, without the data")
	if out, ok := filtered(t, goes, events(`pass|a|TestX`, `pass|a`)); out != "" || !ok {
		t.Errorf("%t %s", ok, out)
	}
	if out, err := sums(true, true); err != nil || out != "all tests passed\n" {
		t.Errorf("%v %s", err, out)
	}
}

func TestNotesThatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "x.jsonl"), []byte("{\n"), 0o600))
	if err := sum(t.Output(), []string{folder}, false, false); err == nil || !strings.Contains(err.Error(), "x.jsonl") {
		t.Error(err)
	}
}
