package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// program makes a module of one program in a folder that git knows nothing of, and returns it.
func program(t *testing.T, source string) string {
	t.Helper()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "go.mod"), "module example.com/program\n\ngo 1.26.0\n")
	write(t, filepath.Join(folder, "cmd", "main.go"), source)
	if out, err := exec.Command("git", "init", "--quiet", folder).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return folder
}

func TestStatic(t *testing.T) {
	_, err := static(filepath.Join(t.TempDir(), "gone"))
	wantError(t, err, "no such file")
	large := filepath.Join(t.TempDir(), "large")
	write(t, large, "\x7fELF")
	must.Do(t, os.Truncate(large, maxBinary+1))
	_, err = static(large)
	wantError(t, err, "too large: 41.0 MB of 41")
}

func TestDynamic(t *testing.T) {
	shell := "/bin/sh"
	if _, err := os.Stat(shell); err != nil {
		t.Skip("there is no /bin/sh")
	}
	if _, err := dynamic(shell); err != nil {
		t.Skip("/bin/sh is no ELF file on this system")
	}
	_, err := static(shell)
	wantError(t, err, "linked dynamically")
}

// TestReproducible builds a program that is the same anywhere, and one that has its folder in it.
func TestReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the standard library twice: only in the long version")
	}
	folder := program(t, "package main\n\nfunc main() { println(\"hello\"); panic(0) }\n")
	_, err := reproducible(folder, "./cmd", []string{"-trimpath", "-ldflags=-s"})
	wantError(t, err, "")
	_, err = reproducible(folder, "./cmd", nil)
	wantError(t, err, "two builds differ: SHA-256")
	_, err = reproducible(folder, "./gone", nil)
	wantError(t, err, "go build -buildvcs=false")
}

// database is a copy of a vulnerability database with one entry: a function of the standard
// library.
func database(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	const id, modified = "GO-2026-0001", `"modified": "2026-01-01T00:00:00Z"`
	for file, text := range map[string]string{
		"index/db.json":      `{` + modified + `}`,
		"index/modules.json": `[{"path": "stdlib", "vulns": [{"id": "` + id + `", ` + modified + `, "fixed": "99.0.0"}]}]`,
		"index/vulns.json":   `[{"id": "` + id + `", ` + modified + `}]`,
		"ID/" + id + ".json": `{"schema_version": "1.3.1", "id": "` + id + `", ` + modified + `, "published": "2026-01-01T00:00:00Z",
			"summary": "Made up", "details": "Made up.", "affected": [{"package": {"name": "stdlib", "ecosystem": "Go"},
			"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "99.0.0"}]}],
			"ecosystem_specific": {"imports": [{"path": "strings", "symbols": ["ToTitle"]}]}}],
			"database_specific": {"url": "https://pkg.go.dev/vuln/` + id + `"}}`,
	} {
		write(t, filepath.Join(folder, file), text)
	}
	return "file://" + folder
}

func TestVulnerabilitiesWithoutADatabase(t *testing.T) {
	said, err := vulnerabilities("", ".")
	wantError(t, err, "")
	must.Be(t, said, notChecked, "without a database it said")
	_, err = vulnerabilities("file://"+t.TempDir(), ".")
	wantError(t, err, "no vulnerability database")
}

func TestVulnerabilities(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds govulncheck and runs it: only in the long version")
	}
	reaches := program(t, "package main\n\nimport \"strings\"\n\nfunc main() { println(strings.ToTitle(\"a\")) }\n")
	_, err := vulnerabilities(database(t), reaches, "./cmd")
	wantError(t, err, "GO-2026-0001")
	only := program(t, "package main\n\nimport \"strings\"\n\nfunc main() { println(strings.ToUpper(\"a\")) }\n")
	_, err = vulnerabilities(database(t), only, "./cmd")
	wantError(t, err, "")
	_, err = vulnerabilities(database(t), only, "./gone")
	wantError(t, err, "govulncheck with file://")
}
