package main

import (
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
	unit := contents(t, repository+"/packaging/pageside.service")
	command := strings.Fields(captured(t, unit, `(?m)^ExecStart=/usr/local/bin/pageside (.*)$`))
	state := "/var/lib/" + captured(t, unit, `(?m)^StateDirectory=(\w+)$`)
	must.Be(t, captured(t, unit, `(?m)^WorkingDirectory=(.*)$`), state, "where it works")
	grace := must.Get(time.ParseDuration(captured(t, unit, `--grace (\S+)`)))(t)
	stop := must.Get(time.ParseDuration(captured(t, unit, `(?m)^TimeoutStopSec=(\d+)$`) + "s"))(t)
	must.Be(t, stop > grace, true, "whether it is killed, after %v, when runs have had %v to end", stop, grace)
	servesInstalled(t, command, state)
}

// TestContainerServes does the same for what the image starts, whose volume is the only place that
// outlives it.
func TestContainerServes(t *testing.T) {
	dockerfile := contents(t, repository+"/Dockerfile")
	entry := must.JSON[[]string](t, captured(t, dockerfile, `(?m)^ENTRYPOINT (.*)$`))
	command := must.JSON[[]string](t, captured(t, dockerfile, `(?m)^CMD (.*)$`))
	must.Be(t, len(entry), 1, "words of ENTRYPOINT, which is the binary alone")
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

// captured returns what the group of a pattern matches, which must be there.
func captured(t *testing.T, text, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("nothing matches %s", pattern)
	}
	return found[1]
}
