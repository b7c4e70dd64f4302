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
	have := slices.Sorted(maps.Keys(dropIns))
	must.Be(t, len(have) > 0, true, "whether the program has drop-ins")
	must.Be(t, strings.Join(named, " "), strings.Join(have, " "), "drop-ins that a pageside.yaml may name")
	source := must.Get(config.Parse("pageside.yaml", []byte("dropIns: [chat, openai]\naskInWords: [openai]")))(t)
	cfg := (&site{built: &config.Site{Source: source}}).serverConfig()
	if len(cfg.Protocols) != 3 || cfg.Protocols[1].Routes()[0].Words || !cfg.Protocols[2].Routes()[0].Words {
		t.Errorf("the server gets the drop-ins %+v", cfg.Protocols)
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
}

// TestTellReload: a change that needs a restart is said in one line, and not called reloaded.
func TestTellReload(t *testing.T) {
	source := func(yaml string) *config.Source {
		file := fileOf(t, "pageside.yaml", yaml+"agents: [{id: far, url: 'https://agents.example.com/far'}]\n")
		return must.Get(config.Load(file))(t)
	}
	for yaml, want := range map[string]string{
		"":                           "configuration reloaded",
		"auth: {localProxy: true}\n": "need a restart; what else has changed holds now",
	} {
		var said strings.Builder
		tellReload(slog.New(slog.NewTextHandler(&said, nil)), source(""), source(yaml))
		must.Be(t, strings.Count(said.String(), "\n"), 1, "lines after %q", yaml)
		has(t, said.String(), want)
	}
}
