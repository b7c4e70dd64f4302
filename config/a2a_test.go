package config_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/test/must"
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
	site := must.Get(f.build())(t)
	got, _ := site.Tools.Get("travel")
	said := fmt.Sprint(got.Effect, " ", got.Policy.Approval, " ", got.Global, " ", got.Policy.Timeout, " ", got.Description)
	must.Be(t, said, "exfil always true 1m30s Books trips.", "the tool")
}

// TestPushEgress: notifications go where pushEgress says. What tools may reach does not count, and
// a refusal does not tell it.
func TestPushEgress(t *testing.T) {
	const base = "dropIns: [a2a]\npushNotifications: true\negress: {private: [10.0.0.1], ports: [8706]}\n"
	for more, reaches := range map[string]map[string]bool{
		"":                                    {"http://10.0.0.1/": false, "https://8.8.8.8:8706/": false, "https://8.8.8.8/": true},
		"pushEgress: {private: [10.0.0.2]}\n": {"http://10.0.0.1/": false, "http://10.0.0.2/": true},
	} {
		site := must.Get(newFolder(t, map[string]string{"pageside.yaml": base + more}).build())(t)
		guard := must.Get(egress.New(site.Source.PushEgressPolicy()))(t)
		for address, want := range reaches {
			u, _ := url.Parse(address)
			err := guard.CheckURL(u)
			if (err == nil) != want {
				t.Errorf("%q: %s: %v", more, address, err)
			}
			if err != nil && (strings.Contains(err.Error(), "8706]") || strings.Contains(err.Error(), "to allow it")) {
				t.Errorf("the refusal tells %v", err)
			}
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
	site := must.Get(build("dropIns: [a2a]\npushNotifications: true\npushKeys: ['env:NEW', 'file:old']\n"))(t)
	must.Be(t, fmt.Sprintf("%s", site.PushKeys), "["+long+" "+long+"-old]", "the keys")
	for file, want := range map[string]string{
		"pushKeys: ['env:NEW']\n": "pushKeys: are for push notifications",
		"dropIns: [a2a]\npushNotifications: true\npushKeys: [" + long + "]\n":          "pushKeys[0]: looks like a secret",
		"dropIns: [a2a]\npushNotifications: true\npushKeys: ['env:NEW','env:SHORT']\n": "pushKeys[1]: must be at least 32 bytes",
		"dropIns: [a2a]\npushNotifications: true\npushKeys: ['env:NONE']\n":            "pushKeys[0]",
	} {
		if _, err := build(file); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), long) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}
