package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// apply returns the mutant's file with the change in it.
func (m mutant) apply(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	if n := bytes.Count(text, []byte(m.old)); n != 1 {
		return nil, fmt.Errorf("%s: %s holds %q %d times, not once: adapt the mutant to the code", m.name, m.file, m.old, n)
	}
	return bytes.Replace(text, []byte(m.old), []byte(m.new), 1), nil
}

// errSurvived is the verdict on a mutant that no test noticed.
var errSurvived = errors.New("SURVIVED")

// try runs the mutant's tests with the change. It returns nil if one of them fails.
func (m mutant) try(ctx context.Context, root string) error {
	text, err := m.apply(root)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return fmt.Errorf("make room for a mutant: %w", err)
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(dir, filepath.Join(root, m.file), text)
	if err != nil {
		return err
	}
	output, err := goTest(ctx, root, overlay, m.pkg, m.tests)
	switch {
	case err == nil:
		return errSurvived
	case failedByTest(output):
		return nil
	}
	return fmt.Errorf("no test failed, but the run did: %w\n%s", err, tail(output))
}

// failedByTest reports whether go test failed because of a test, and not because of the build.
func failedByTest(output []byte) bool {
	return bytes.Contains(output, []byte("--- FAIL: ")) || bytes.Contains(output, []byte("panic: "))
}

// writeOverlay writes an overlay for the go command in which a file has another text.
func writeOverlay(dir, file string, text []byte) (string, error) {
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err == nil {
		err = errors.Join(os.WriteFile(changed, text, 0o600), os.WriteFile(overlay, list, 0o600))
	}
	if err != nil {
		return "", fmt.Errorf("write an overlay: %w", err)
	}
	return overlay, nil
}

// goTest runs tests of a package, with an overlay unless it is "". All must exist.
func goTest(ctx context.Context, root, overlay, pkg, tests string) ([]byte, error) {
	args := []string{"test", "-count=1", "-short", "-vet=off", "-timeout=5m", "-run", "^(" + tests + ")$"}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...)
	cmd.Dir = root
	output, err := cmd.CombinedOutput()
	if err == nil && bytes.Contains(output, []byte("no tests to run")) {
		err = fmt.Errorf("%s has no test %s", pkg, tests)
	}
	return output, err
}

// tail returns the end of a program's output.
func tail(output []byte) string {
	const most = 2000
	text := strings.TrimSpace(string(output))
	return text[max(0, len(text)-most):]
}

// moduleRoot returns the folder of the module.
func moduleRoot(ctx context.Context) (string, error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(mod))), nil
}
