package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const notChecked = "NOT CHECKED: no database; GOVULNDB=file:///… names a copy, GOVULNDB=https://vuln.go.dev the original"

// vulnerabilities runs govulncheck on packages of a module. It fails for those vulnerabilities that
// the code reaches.
func vulnerabilities(database, folder string, packages ...string) (string, error) {
	if database == "" {
		return notChecked, nil
	}
	// govulncheck finds nothing in an empty folder, and says that nothing is wrong.
	if copied, local := strings.CutPrefix(database, "file://"); local {
		if _, err := os.Stat(filepath.Join(copied, "index", "modules.json")); err != nil {
			return "", fmt.Errorf("no vulnerability database: %w", err)
		}
	}
	// By its path: the module it looks at may be another one.
	tool, err := exec.Command("go", "tool", "-n", "govulncheck").Output()
	if err != nil {
		return "", fmt.Errorf("find govulncheck: %w", explained(err))
	}
	command := exec.Command(strings.TrimSpace(string(tool)), append([]string{"-db", database}, packages...)...)
	command.Dir = folder
	command.Env = os.Environ()
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	switch err := command.Run(); {
	case err == nil:
		return "none that the code reaches, by " + database, nil
	case command.ProcessState != nil && command.ProcessState.ExitCode() == 3:
		return "", errors.New("the code reaches some:\n" + strings.TrimSpace(out.String()))
	default:
		return "", fmt.Errorf("govulncheck with %s: %w\n%s", database, err, strings.TrimSpace(out.String()))
	}
}
