package server_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// grants are the permissions that each role has under some rules. What a cell needs and is not here
// is refused.
type grants struct {
	name  string
	rules policy.Authorizer
	roles map[string][]string
}

const permissions = `
auth: {apiKeys: {}}
permissions:
  - {except: [guest], agents: ["*"], pages: ["*"], then: allow}
  - {roles: [user, operator], actions: ["*"], then: allow}
  - {roles: [user, suspended], sharing: true, then: allow}
  - {roles: [operator], admin: [inspector, definitions, resolve, subjects], instructions: ["*"], then: allow}
  - {roles: [auditor], admin: [audit], then: allow}
  - {roles: [support], admin: [subjects], instructions: [order], sharing: true, verbs: [read], then: allow}
  - {roles: [suspended], agents: ["*"], pages: ["*"], actions: ["*"], sharing: true, then: deny}
`

func policies(t *testing.T) []grants {
	t.Helper()
	source := must.Get(config.Parse("pageside.yaml", []byte(permissions)))(t)
	site, err := config.Build(t.Context(), source, config.Options{OpenModel: func(config.ModelSpec) (llm.Model, error) { return nil, errors.New("none is needed") }})
	must.Do(t, err)
	t.Cleanup(func() { _ = site.Close() })
	talk := []string{"agents", "sharing:use", "sharing:read"}
	return []grants{
		{"default", policy.Default(), map[string][]string{
			"": talk, "user": talk, "operator": talk, policy.RoleAuditor: append(talk, "audit"),
		}},
		{"configured", site.Authorizer, map[string][]string{
			"": {"agents"}, "guest": {}, "suspended": {}, "user": {"agents", "actions", "sharing:use", "sharing:read"}, "auditor": {"agents", "audit"},
			"operator": {"agents", "actions", "inspector", "definitions", "resolve", "subjects:read", "subjects:write", "instructions:read", "instructions:write"},
			"support":  {"agents", "subjects:read", "instructions:read", "sharing:read"},
		}},
	}
}

// TestRolesOnEveryRoute: each role may do on every route what the rules say, and nothing else.
// Refusals do not tell what there is.
func TestRolesOnEveryRoute(t *testing.T) {
	t.Parallel()
	w := serveMatrix(t, temp.Store(t), tokenIssuer(t))
	for _, g := range policies(t) {
		for role, granted := range g.roles {
			// each in a tenant of her own: nothing that one does is seen by another
			p := person{g.name + "-" + role, auth.Principal{Tenant: "of-" + g.name + "-" + role, Subject: "kim"}}
			if role != "" {
				p.Roles = []string{role}
			}
			w.policy.set(policy.Everything)
			w.fill(p, p.name)
			for _, c := range matrix {
				w.inRole(t, c, p, g, granted)
			}
		}
	}
}

// inRole has a person use a route under some rules.
func (w *world) inRole(t *testing.T, c cell, p person, g grants, granted []string) {
	t.Helper()
	may := !slices.ContainsFunc(c.needs, func(need string) bool { return !slices.Contains(granted, need) })
	before, changes := "", !may && !strings.HasPrefix(c.route, "GET ")
	if changes {
		before = w.all(p, p.name) + w.instructions(p, p.name)
	}
	w.policy.set(g.rules)
	got := w.request(c, w.by.good(p), p, p.name)
	none := got
	if !may && c.hasIDs() {
		none = w.request(c, w.by.good(p), nobody, nobody.name)
	}
	w.policy.set(policy.Everything)
	switch {
	case may && got.status != c.status:
		t.Errorf("%s as %s: %d %s, want %d", c.route, p.name, got.status, got.body, c.status)
	case may && c.then != nil:
		c.then(t, w, p, p.name, got.body)
	case may:
	case got.status != 403 || !strings.Contains(refusedWith(t, got.body), `"not_permitted"`):
		t.Errorf("%s as %s: %d %s, want a refusal", c.route, p.name, got.status, got.body)
	case none.status != 403 || w.withoutIDs(got.body, p) != w.withoutIDs(none.body, nobody):
		t.Errorf("%s as %s: own things are refused with %s, unknown ones with %d %s", c.route, p.name, got.body, none.status, none.body)
	}
	if changes {
		if after := w.all(p, p.name) + w.instructions(p, p.name); after != before {
			t.Errorf("%s as %s was refused, and changed %s\ninto %s", c.route, p.name, before, after)
		}
	}
}
