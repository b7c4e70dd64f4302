package main

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// TestMutantsMatchTheCode: each mutant changes a file as it is now into Go, and its tests exist.
func TestMutantsMatchTheCode(t *testing.T) {
	root := must.Get(moduleRoot(t.Context()))(t)
	names, sample := map[string]bool{}, 0
	for _, m := range mutants() {
		if names[m.name] {
			t.Errorf("two mutants are called %q", m.name)
		}
		if names[m.name] = true; m.sample {
			sample++
		}
		text, err := m.apply(root)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.file, text, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		for name := range strings.SplitSeq(m.tests, "|") {
			if !hasTest(t, filepath.Join(root, m.pkg), name) {
				t.Errorf("%s: %s has no test %s", m.name, m.pkg, name)
			}
		}
	}
	if len(names) < 80 || sample < 8 || sample > 12 {
		t.Errorf("there are %d mutants and a sample of %d", len(names), sample)
	}
}

func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(dir, "*_test.go")))(t)
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		if strings.Contains(string(text), "func "+name+"(") {
			return true
		}
	}
	return false
}

// small is a module in which one test notices some mutants.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module small\n\ngo 1.24\n",
		"a.go":      "package small\n\nfunc Two() int { return 1 + 1 }\n\nfunc Name() string { return \"two\" }\n",
		"a_test.go": "package small\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func TestVerdicts(t *testing.T) {
	dir := small(t)
	for _, tt := range []struct {
		old, new, tests string
		want            func(error) bool
	}{
		{"1 + 1", "1 - 1", "TestTwo", func(err error) bool { return err == nil }},
		{"1 + 1", "func() int { panic(1) }()", "TestTwo", func(err error) bool { return err == nil }},
		{`"two"`, `"three"`, "TestTwo", func(err error) bool { return errors.Is(err, errSurvived) }},
		{"1 + 1", "nothing", "TestTwo", says("no test failed, but the run did")},
		{"1 + 1", "1 - 1", "TestThree", says("no test failed, but the run did")},
		{"1 + 2", "1", "TestTwo", says("adapt the mutant")},
		{"func", "func ", "TestTwo", says("2 times, not once")},
	} {
		m := mutant{name: "m", file: "a.go", old: tt.old, new: tt.new, pkg: ".", tests: tt.tests}
		if err := m.try(t.Context(), dir); !tt.want(err) {
			t.Errorf("%+v: %v", m, err)
		}
	}
	if err := control(t.Context(), dir, []mutant{{pkg: ".", tests: "TestTwo"}}); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a.go")); err != nil || !strings.Contains(string(text), "1 + 1") {
		t.Errorf("the file was changed: %s, %v", text, err)
	}
}

func says(want string) func(error) bool {
	return func(err error) bool { return err != nil && strings.Contains(err.Error(), want) }
}
