package main

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/test/must"
)

// TestEveryDropInThatCanBeNamedIsThere, and the other way round.
func TestEveryDropInThatCanBeNamedIsThere(t *testing.T) {
	raw := must.Get(config.Schema())(t)
	schema := must.JSON[struct {
		Properties struct {
			DropIns struct{ Items struct{ Enum []string } }
		}
	}](t, raw)
	named := slices.Sorted(slices.Values(schema.Properties.DropIns.Items.Enum))
	if have := slices.Sorted(maps.Keys(dropIns)); len(have) == 0 || !slices.Equal(named, have) {
		t.Errorf("pageside.yaml may name the drop-ins %q, the program has %q", named, have)
	}
	source := must.Get(config.Parse("pageside.yaml", []byte("dropIns: [chat, openai]\naskInWords: [openai]")))(t)
	cfg := (&site{built: &config.Site{Source: source}}).serverConfig()
	if len(cfg.Protocols) != 3 || cfg.Protocols[1].Routes()[0].Words || !cfg.Protocols[2].Routes()[0].Words {
		t.Errorf("the server gets the drop-ins %+v", cfg.Protocols)
	}
	if got := needRestart(config.File{}, source.File); !slices.Equal(got, []string{"dropIns", "askInWords"}) {
		t.Errorf("changed drop-ins need a restart of %q", got)
	}
}

// TestPublicURL: the card names the address of the file, whatever a request says.
func TestPublicURL(t *testing.T) {
	text := "dropIns: [a2a]\npublicUrl: https://assistant.example.com\nagents: [{id: default, model: script/" + rulesFile(t) + "}]\n"
	file := fileOf(t, "pageside.yaml", text)
	s := serving(t, "serve", "--config", file, "--store", newStore(t))
	s.wants(person{}, "GET", "/.well-known/agent-card.json", "", 200,
		`"url":"https://assistant.example.com/v1/a2a/default"`)
	s.ends()
	if got := needRestart(config.File{}, config.File{PublicURL: "https://assistant.example.com"}); !slices.Equal(got, []string{"publicUrl"}) {
		t.Errorf("a changed address needs a restart of %q", got)
	}
}

// TestTellReload: a change that needs a restart is said in one line, and not called reloaded.
func TestTellReload(t *testing.T) {
	source := func(yaml string) *config.Source {
		file := fileOf(t, "pageside.yaml", yaml+"agents: [{id: far, url: 'https://agents.example.com/far'}]\n")
		return must.Get(config.Load(file))(t)
	}
	for yaml, want := range map[string]string{"": "configuration reloaded", "auth: {localProxy: true}\n": "need a restart; what else has changed holds now"} {
		var said strings.Builder
		tellReload(slog.New(slog.NewTextHandler(&said, nil)), source(""), source(yaml))
		if got := said.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, want) {
			t.Errorf("%q: %s", yaml, got)
		}
	}
}
