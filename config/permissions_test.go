package config_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

const permissionSite = `
models: {m: {use: script/x}}
agents: [{id: default, model: m}]
tools: [{name: search_orders, description: Finds., url: 'https://example.com', global: true}]
pages: [{name: orders, actions: [{name: refund, handler: client}]}]
permissions:
`

// permitted is a folder with a file, for a program that has a tool of its own.
func permitted(t *testing.T, text string) *folder {
	t.Helper()
	f := newFolder(t, map[string]string{"pageside.yaml": text})
	pays := func(context.Context, *tool.Call) (tool.Result, error) { return tool.Result{}, nil }
	f.tools = []*tool.Tool{{Name: "pay", Description: "Pays.", Global: true, Handler: pays}}
	return f
}

// TestWhoDecides: without permissions and authentication everything is allowed; each of the two
// brings the default that denies.
func TestWhoDecides(t *testing.T) {
	head, _, _ := strings.Cut(permissionSite, "permissions:")
	write := policy.Question{Kind: policy.Tool, Name: "pay", Verb: policy.Use, Effect: "write"}
	agent := policy.Question{Kind: policy.Agent, Name: "default", Verb: policy.Use}
	for name, c := range map[string]struct {
		text, note   string
		write, agent policy.Decision
	}{
		"neither":           {head, "", policy.Allow, policy.Allow},
		"nobody signs in":   {head + "auth: {mode: none}\n", "", policy.Allow, policy.Allow},
		"empty permissions": {head + "permissions: []\n", "none allows an agent", policy.Deny, policy.Deny},
		"permissions":       {head + "permissions: [{agents: ['*'], tools: [pay], then: allow}]\n", "one rule; what is not allowed by any is denied", policy.Allow, policy.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			site := must.Get(permitted(t, c.text).build())(t)
			if got := site.PermissionNote(); !strings.Contains(got, c.note) || c.note == "" && got != "" {
				t.Errorf("check says %q", got)
			}
			for q, want := range map[*policy.Question]policy.Decision{&write: c.write, &agent: c.agent} {
				if got := policy.Decide(t.Context(), site.Authorizer, *q); got.Decision != want {
					t.Errorf("%s: %+v", q.Kind, got)
				}
				if got := policy.Decide(t.Context(), site.Agents[0].Authorizer, *q); got.Decision != want {
					t.Errorf("%s, by the agent: %+v", q.Kind, got)
				}
			}
		})
	}
}

// TestAuthenticationWithoutPermissions: the default holds, and check says so in one line.
func TestAuthenticationWithoutPermissions(t *testing.T) {
	source := must.Get(config.FromFile(config.File{}))(t)
	site := &config.Site{Source: source, Authorizer: policy.Default()}
	if note := site.PermissionNote(); !strings.Contains(note, "everything else is denied") || strings.Contains(note, "\n") {
		t.Errorf("check says %q", note)
	}
}

// TestNotesOnSharing: check says whether conversations can be shared, where they could be.
func TestNotesOnSharing(t *testing.T) {
	head, _, _ := strings.Cut(permissionSite, "permissions:")
	const talk = "permissions: [{agents: ['*'], then: allow}]\n"
	for name, c := range map[string]struct{ text, note string }{
		"default":                        {"auth: {apiKeys: {}}\n", "those of the page, and share conversations;"},
		"default, switched off":          {"auth: {apiKeys: {}}\nsharing: false\n", "tools whose effect is read, and those of the page;"},
		"rules without it":               {"auth: {apiKeys: {}}\n" + talk, "one rule, and none allows sharing: nobody can share a conversation;"},
		"rules that only deny it":        {"auth: {apiKeys: {}}\npermissions: [{agents: ['*'], then: allow}, {sharing: true, then: deny}]\n", "none allows sharing"},
		"rules with it":                  {"auth: {apiKeys: {}}\npermissions: [{agents: ['*'], sharing: true, then: allow}]\n", "one rule; what"},
		"rules without it, switched off": {"auth: {apiKeys: {}}\nsharing: false\n" + talk, "one rule; what"},
		"nobody signs in":                {talk, "one rule; what"},
	} {
		site := must.Get(permitted(t, head+c.text).build())(t)
		must.Have(t, site.PermissionNote(), c.note, "%s: check says", name)
	}
}

// TestPermissionGuide builds each example of the guide and holds it to the table that follows it: a
// comment in HTML with one question and its decision per line, as JSON.
func TestPermissionGuide(t *testing.T) {
	guide := must.Get(os.ReadFile(filepath.Join("..", "docs", "guide", "permissions.md")))(t)
	head, _, _ := strings.Cut(permissionSite, "permissions:")
	for _, e := range regexp.MustCompile("(?s)```yaml\n(permissions:.*?)```").FindAllSubmatch(guide, -1) {
		must.Get(permitted(t, head+string(e[1])).build())(t)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(permissions:[^`]*)```\n\n<!-- tried:\n(.*?)-->").FindAllSubmatch(guide, -1)
	if len(examples) != 4 {
		t.Fatalf("the guide has %d examples that are tried", len(examples))
	}
	for _, e := range examples {
		site := must.Get(permitted(t, head+string(e[1])).build())(t)
		for line := range strings.Lines(strings.TrimSpace(string(e[2]))) {
			tried := must.JSON[struct {
				Roles      []string
				Kind, Name string
				Verb       policy.Verb
				Effect     string
				Frontend   bool
				Args       json.RawMessage
				Page       string
				Scope      map[string]string
				Tainted    bool
				Is         policy.Decision
			}](t, line)
			got := policy.Decide(t.Context(), site.Authorizer, policy.Question{
				Principal: auth.Principal{Tenant: "acme", Subject: "ann", Roles: tried.Roles}, Kind: policy.Kind(tried.Kind), Name: tried.Name, Verb: tried.Verb,
				Effect: tried.Effect, Frontend: tried.Frontend, Args: tried.Args, Page: tried.Page, Scope: tried.Scope, Tainted: tried.Tainted,
			})
			if got.Decision != tried.Is {
				t.Errorf("%sis %s by %s (%v)", line, got.Decision, got.Rule, got.Err)
			}
		}
	}
}
