package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// TestSystemdUnitServes: the command of the unit starts, and keeps its threads where the unit lets
// it write.
func TestSystemdUnitServes(t *testing.T) {
	unit := source(t, "packaging/pageside.service")
	command := strings.Fields(captured(t, unit, `(?m)^ExecStart=/usr/local/bin/pageside (.*)$`))
	state := "/var/lib/" + captured(t, unit, `(?m)^StateDirectory=(\w+)$`)
	if folder := captured(t, unit, `(?m)^WorkingDirectory=(.*)$`); folder != state {
		t.Errorf("it works in %s, and may write to %s", folder, state)
	}
	grace, err := time.ParseDuration(captured(t, unit, `--grace (\S+)`))
	stop, err2 := time.ParseDuration(captured(t, unit, `(?m)^TimeoutStopSec=(\d+)$`) + "s")
	if err != nil || err2 != nil || stop <= grace {
		t.Errorf("it is killed after %v, and runs may take %v to end (%v, %v)", stop, grace, err, err2)
	}
	servesInstalled(t, command, state)
}

// TestContainerServes does the same for what the image starts, whose volume is the only place that
// outlives it.
func TestContainerServes(t *testing.T) {
	dockerfile := source(t, "Dockerfile")
	var entry, command []string
	if err := json.Unmarshal([]byte(captured(t, dockerfile, `(?m)^ENTRYPOINT (.*)$`)), &entry); err != nil || len(entry) != 1 {
		t.Fatalf("ENTRYPOINT is %v (%v): want the binary alone", entry, err)
	}
	if err := json.Unmarshal([]byte(captured(t, dockerfile, `(?m)^CMD (.*)$`)), &command); err != nil {
		t.Fatalf("read CMD: %v", err)
	}
	must.Have(t, dockerfile, "/src/bin/pageside "+entry[0]+"\n", "what is copied to %s", entry[0])
	servesInstalled(t, command, captured(t, dockerfile, `(?m)^VOLUME (\S+)$`))
}

// servesInstalled runs a command with folders of its own in place of /etc/pageside and the folder
// that keeps data.
func servesInstalled(t *testing.T, command []string, data string) {
	t.Helper()
	etc, kept := filepath.Join(t.TempDir(), "etc"), t.TempDir()
	must.Get(initialise(t, "--dir", etc))(t)
	for i, argument := range command {
		argument = strings.Replace(argument, "/etc/pageside/", etc+"/", 1)
		command[i] = strings.Replace(argument, "sqlite:"+data+"/", "sqlite:"+kept+"/", 1)
	}
	s := serving(t, command...)
	s.wants(person{}, "GET", "/readyz", "", 200)
	if _, err := os.Stat(filepath.Join(kept, "pageside.db")); err != nil {
		t.Errorf("%v: the store is not below %s", err, data)
	}
	s.ends()
}

// source returns a file of the repository.
func source(t *testing.T, path string) string {
	t.Helper()
	raw := must.Get(os.ReadFile(filepath.Join(repository, path)))(t)
	return string(raw)
}

// captured returns what the group of a pattern matches, which must be there.
func captured(t *testing.T, text, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("nothing matches %s", pattern)
	}
	return found[1]
}
