package config_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/tool"
)

// TestAgentsElsewhereAsTools: what the file says of one is what its tool is.
func TestAgentsElsewhereAsTools(t *testing.T) {
	f := newFolder(t, map[string]string{"pageside.yaml": `
a2a:
  travel:
    description: Books trips.
    url: https://${env:HOST}/a2a
    headers: {Authorization: 'Bearer ${env:KEY}'}
    effect: exfil
    approval: always
    global: true
    timeout: 90s
`})
	f.env["HOST"], f.env["KEY"] = "agents.example.com", "a-long-secret"
	site, err := f.build()
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	got, ok := site.Tools.Get("travel")
	if !ok || got.Effect != tool.Exfil || got.Policy.Approval != tool.ApprovalAlways || !got.Global || got.Policy.Timeout.String() != "1m30s" || got.Description != "Books trips." {
		t.Errorf("the tool is %+v", got)
	}
}

// TestAgentsElsewhereThatCannotBe: each mistake has its field.
func TestAgentsElsewhereThatCannotBe(t *testing.T) {
	for entry, want := range map[string]string{
		`{url: 'https://a.example/a2a'}`:                                                   "a2a.travel.description",
		`{description: d}`:                                                                 "a2a.travel.url",
		`{description: d, url: 'http://127.0.0.1/a2a'}`:                                    "a2a.travel.url: egress to",
		`{description: d, url: 'https://a.example/.well-known/agent-card.json'}`:           "a2a.travel.url: it is that of a card",
		`{description: d, url: 'https://a.example/a2a', headers: {Authorization: secret}}`: "a2a.travel.headers.Authorization: looks like a secret",
		`{description: d, url: 'https://a.example/a2a', effect: harmless}`:                 "a2a.travel.effect",
		`{description: d, url: 'https://a.example/a2a', endpoint: x}`:                      "a2a.travel.endpoint",
	} {
		_, err := newFolder(t, map[string]string{"pageside.yaml": "a2a: {travel: " + entry + "}\n"}).build()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", entry, err, want)
		}
	}
}

// TestPushKeys: they are secrets, long enough, and of use.
func TestPushKeys(t *testing.T) {
	long := strings.Repeat("k", 32)
	build := func(file string) (*config.Site, error) {
		f := newFolder(t, map[string]string{"pageside.yaml": file, "old": long + "-old"})
		f.env["NEW"], f.env["SHORT"] = long, "short"
		return f.build()
	}
	site, err := build("dropIns: [a2a]\npushNotifications: true\npushKeys: ['env:NEW', 'file:old']\n")
	if err != nil || len(site.PushKeys) != 2 || string(site.PushKeys[0]) != long || string(site.PushKeys[1]) != long+"-old" {
		t.Errorf("the keys are %q, %v", site.PushKeys, err)
	}
	for file, want := range map[string]string{
		"pushKeys: ['env:NEW']\n": "pushKeys: are for push notifications",
		"dropIns: [a2a]\npushNotifications: true\npushKeys: [" + long + "]\n":          "pushKeys[0]: must be env:NAME",
		"dropIns: [a2a]\npushNotifications: true\npushKeys: ['env:NEW','env:SHORT']\n": "pushKeys[1]: must be at least 32 bytes",
		"dropIns: [a2a]\npushNotifications: true\npushKeys: ['env:NONE']\n":            "pushKeys[0]",
	} {
		if _, err := build(file); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), long) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}
