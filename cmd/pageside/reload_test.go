package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/config"
	pagerun "github.com/pageside/pageside/run"
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
	started := config.File{Listen: "127.0.0.1:1", Runs: &config.Runs{Queue: 1}}
	now := config.File{Listen: "127.0.0.1:1", Runs: &config.Runs{Queue: 2}, Limits: &config.Limits{Body: 1}, Instructions: &config.InstructionPolicy{Client: "data"},
		Agents: []config.Agent{{ID: "a"}}, Sharing: new(false)}
	if got := needRestart(started, now); !slices.Equal(got, []string{"instructions", "runs", "limits", "sharing"}) {
		t.Errorf("needs a restart: %v", got)
	}
	if got := needRestart(now, now); got != nil {
		t.Errorf("nothing has changed, and %v needs a restart", got)
	}
}

func TestSharingIsSwitchedOff(t *testing.T) {
	for text, off := range map[string]bool{"": false, "sharing: true": false, "sharing: false": true} {
		source := must.Get(config.Parse("pageside.yaml", []byte("auth: {apiKeys: {}}\n"+text)))(t)
		if cfg := (&site{built: &config.Site{Source: source}}).serverConfig(); cfg.NoSharing != off {
			t.Errorf("with %q sharing is off: %t", text, cfg.NoSharing)
		}
	}
}

func TestAgentsSayWhatTheyDoWhenBusy(t *testing.T) {
	built := &config.Site{Source: &config.Source{File: config.File{
		Agents: []config.Agent{{ID: "a", WhenBusy: "queue"}, {ID: "b"}}, Runs: &config.Runs{WhenBusy: "reject"},
	}}}
	cfg := (&site{built: built}).runConfig()
	if want := map[string]pagerun.Policy{"a": pagerun.PolicyQueue}; !maps.Equal(cfg.Policies, want) || cfg.Policy != pagerun.PolicyReject {
		t.Errorf("policies are %v and %q", cfg.Policies, cfg.Policy)
	}
}

func TestSitesThatWereReplacedAreBoundedAndClosed(t *testing.T) {
	old := &retired{after: time.Hour}
	for range 3 * maxRetired {
		old.add(&config.Site{})
	}
	must.Be(t, len(old.sites), maxRetired, "sites that keep their sessions")
	old.end(old.sites[0])
	must.Be(t, len(old.sites), maxRetired-1, "sites, one of whose time is over")
	old.close()
	must.Be(t, len(old.sites), 0, "sites that were not closed")
}
