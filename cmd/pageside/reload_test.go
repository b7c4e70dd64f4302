package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/test/must"
)

// describes waits until the server's agents are described with a text.
func (s *started) describes(text string) {
	s.t.Helper()
	var agents string
	eventually(s.t, func() bool {
		_, agents = s.do("GET", "/v1/agents", "")
		return strings.Contains(agents, text)
	}, func() string { return fmt.Sprintf("the agents are %s, want %q", agents, text) })
}

func TestAChangedConfigurationIsServedAndOneWithoutAgentsIsNot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pageside.yaml")
	agent := "agents: [{id: default, description: The first., model: script/" + rulesFile(t) + "}]\n"
	write(t, file, agent)
	s := serving(t, "serve", "--config", file, "--store", newStore(t))
	s.describes("The first.")
	write(t, file, "runs: {queue: 1s}\n")
	s.logs("the changed configuration is invalid")
	s.describes("The first.")
	for range maxRetired + 2 {
		write(t, file, strings.Replace(agent, "first", "second", 1))
		s.describes("The second.")
		write(t, file, strings.Replace(agent, "first", "third", 1))
		s.describes("The third.")
	}
	s.ask("t", "r", "hello")
	s.ends()
}

// A permission that is taken away is gone without a restart, for runs and for the rest of the API.
func TestPermissionsAreReloaded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pageside.yaml")
	const agents = "agents: [{id: default, description: An agent., model: script/"
	permit := func(rule string) { write(t, file, agents+rulesFile(t)+"}]\npermissions:\n  - "+rule) }
	permit("{agents: ['*'], admin: [definitions], then: allow}\n")
	s := serving(t, "serve", "--config", file, "--store", newStore(t))
	s.describes("An agent.")
	s.ask("t", "r", "hello")
	s.wants(person{}, "GET", "/v1/definitions", "", 200)
	permit("{agents: ['*'], then: deny, reason: closed for today}\n")
	s.describes(`"agents":[]`)
	s.wants(person{}, "GET", "/v1/definitions", "", 403)
	s.wants(person{}, "POST", "/v1/agents/default/run", aguiBody("t", "r2", "hello"), 403, "closed for today")
	s.ends()
}

func TestWhatNeedsARestartIsNamed(t *testing.T) {
	runs := func(n int) *config.Runs { return &config.Runs{Queue: config.Duration(n)} }
	before := config.File{Listen: "127.0.0.1:1", Runs: runs(1)}
	for _, c := range []struct {
		change func(*config.File)
		named  string
	}{
		{func(f *config.File) { f.Runs = runs(1) }, ""},
		{func(f *config.File) { f.Agents = []config.Agent{{ID: "a"}} }, ""},
		{func(f *config.File) { f.DropIns, f.AskInWords = []string{"chat"}, []string{"chat"} }, "dropIns askInWords"},
		{func(f *config.File) { f.PublicURL = "https://assistant.example.com" }, "publicUrl"},
		{func(f *config.File) {
			f.Runs, f.Limits, f.Sharing = runs(2), &config.Limits{Body: 1}, new(false)
			f.Instructions = &config.InstructionPolicy{Client: "data"}
		}, "instructions runs limits sharing"},
	} {
		now := before
		c.change(&now)
		must.Be(t, strings.Join(needRestart(before, now), " "), c.named, "what needs a restart")
	}
}

func TestSharingIsSwitchedOff(t *testing.T) {
	for text, off := range map[string]bool{"": false, "sharing: true": false, "sharing: false": true} {
		source := must.Get(config.Parse("pageside.yaml", []byte("auth: {apiKeys: {}}\n"+text)))(t)
		cfg := (&site{built: &config.Site{Source: source}}).serverConfig()
		must.Be(t, cfg.NoSharing, off, "whether sharing is off with %q", text)
	}
}

func TestAgentsSayWhatTheyDoWhenBusy(t *testing.T) {
	built := &config.Site{Source: &config.Source{File: config.File{
		Agents: []config.Agent{{ID: "a", WhenBusy: "queue"}, {ID: "b"}}, Runs: &config.Runs{WhenBusy: "reject"},
	}}}
	cfg := (&site{built: built}).runConfig()
	must.Be(t, fmt.Sprint(cfg.Policies, " ", cfg.Policy), "map[a:queue] reject", "policies")
}

func TestSitesThatWereReplacedAreBoundedAndClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := &retired{after: time.Hour}
		var open atomic.Int64
		add := func() {
			open.Add(1)
			old.add(closer(sync.OnceFunc(func() { open.Add(-1) })))
		}
		for range 3 * maxRetired {
			add()
		}
		synctest.Wait()
		must.Be(t, open.Load(), maxRetired, "sites that keep their sessions")
		time.Sleep(old.after)
		synctest.Wait()
		must.Be(t, open.Load(), 0, "sites whose time is over")
		add()
		old.close()
		must.Be(t, open.Load(), 0, "sites of a server that ends")
	})
}

type closer func()

func (c closer) Close() error { c(); return nil }
