package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/policy/condition"
)

// Permission is a rule about what users may do. It applies to what it names, for users with one of
// its roles, while its condition holds.
type Permission struct {
	Name         string   `json:"name,omitempty" jsonschema:"for the audit log and the inspector; default rule N"`
	Roles        []string `json:"roles,omitempty" jsonschema:"roles it is for, * for any characters; default everybody"`
	Except       []string `json:"except,omitempty" jsonschema:"roles it is not for"`
	Tools        []string `json:"tools,omitempty" jsonschema:"names of tools, * for any characters: of the server, of MCP servers (name__tool) and of the page"`
	Actions      []string `json:"actions,omitempty" jsonschema:"names of suggested actions; one that the server carries out needs the permission for its tool too"`
	Pages        []string `json:"pages,omitempty" jsonschema:"pages as page, page/tab or page/tab/subtab, with everything below"`
	Agents       []string `json:"agents,omitempty" jsonschema:"ids of agents"`
	Instructions []string `json:"instructions,omitempty" jsonschema:"kinds of scopes whose stored instructions may be read or written"`
	Admin        []string `json:"admin,omitempty" jsonschema:"inspector, definitions, resolve, audit or subjects (counting and deleting a person's data)"`
	Push         *bool    `json:"push,omitempty" jsonschema:"true: about having a server told of tasks (pushNotifications)"`
	Sharing      *bool    `json:"sharing,omitempty" jsonschema:"true: about links to conversations; verb use makes one, read opens one of somebody else"`
	Effects      []string `json:"effects,omitempty" jsonschema:"only for tools and actions with these effects: read, idempotent, write, exfil, destructive; of a page's tool the one it declares, else page"`
	Verbs        []string `json:"verbs,omitempty" jsonschema:"only for these: offer, use, read, write; default all"`
	When         string   `json:"when,omitempty" jsonschema:"a condition in CEL over args, scope, page, name, verb, effect, frontend, tainted and principal.subject, .tenant, .roles, .method; one that fails denies"`
	Then         string   `json:"then" jsonschema:"allow, ask (a person approves each call; for tools and actions) or deny; of several rules the strictest wins"`
	Allowances   bool     `json:"allowances,omitempty" jsonschema:"with ask: the user may approve the same call for good; default: each call is asked about"`
	Reason       string   `json:"reason,omitempty" jsonschema:"why it asks or denies, for the user and the model"`
}

// adminKinds are the kinds under Permission.Admin.
var adminKinds = map[string]policy.Kind{
	"inspector": policy.Inspector, "definitions": policy.Definitions, "resolve": policy.Resolve,
	"audit": policy.Audit, "subjects": policy.Subject,
}

// rule returns the rule for package policy.
func (p *Permission) rule(i int) policy.Rule {
	on := map[policy.Kind][]string{}
	for kind, names := range map[policy.Kind][]string{
		policy.Tool: p.Tools, policy.Action: p.Actions, policy.Page: p.Pages, policy.Agent: p.Agents,
		policy.Instructions: p.Instructions,
	} {
		if len(names) > 0 {
			on[kind] = names
		}
	}
	for _, name := range p.Admin {
		on[adminKinds[name]] = []string{"*"}
	}
	if p.Sharing != nil {
		on[policy.Sharing] = []string{"*"}
	}
	if p.Push != nil {
		on[policy.Push] = []string{"*"}
	}
	r := policy.Rule{
		Name: p.Name, Roles: p.Roles, Except: p.Except, On: on, Effects: p.Effects, When: p.When,
		Then: policy.Decision(p.Then), Allowances: p.Allowances, Reason: p.Reason,
	}
	if r.Name == "" {
		r.Name = fmt.Sprintf("rule %d", i+1)
	}
	for _, v := range p.Verbs {
		r.Verbs = append(r.Verbs, policy.Verb(v))
	}
	return r
}

// permissions checks each rule alone, so that all mistakes are reported.
func (c *checker) permissions() {
	for i, p := range c.Permissions {
		at := fmt.Sprintf("permissions[%d]", i)
		if p.Sharing != nil && !*p.Sharing {
			c.fail(at+".sharing", "must be true: to forbid sharing, write sharing: true and then: deny")
		}
		if p.Push != nil && !*p.Push {
			c.fail(at+".push", "must be true: to forbid push notifications, write push: true and then: deny")
		}
		if _, err := policy.NewRules(condition.Compile, p.rule(i)); err != nil {
			c.failRule(at, err)
		}
	}
}

// failRule reports a mistake in a rule at its field.
func (c *checker) failRule(at string, err error) {
	e, ok := errors.AsType[*policy.RuleError](err)
	switch {
	case !ok:
		c.fail(at, "%v", err)
	case e.Column > 0:
		c.fail(at+".when", "column %d: %s", e.Column, e.Reason)
	case e.Field == "On":
		c.fail(at, "%s", e.Reason)
	default:
		c.fail(at+"."+strings.ToLower(e.Field), "%s", e.Reason)
	}
}

// authorizer returns what decides: the file's rules, or the default of a server whose users sign
// in. It is nil for a server with one local user and no rules.
func (b *builder) authorizer() policy.Authorizer {
	switch {
	case b.Permissions == nil && b.Authenticates():
		return policy.Default()
	case b.Permissions == nil:
		return nil
	}
	b.permittedNames()
	var rules []policy.Rule
	for i := range b.Permissions {
		rules = append(rules, b.Permissions[i].rule(i))
	}
	compiled, err := policy.NewRules(condition.Compile, rules...)
	if err != nil {
		b.fail("permissions", "%v", err) // each was checked before
		return nil
	}
	return compiled
}

// permittedNames reports names that look like a slip. A name that resembles no other may be right:
// pages declare tools and actions that this file does not know.
func (b *builder) permittedNames() {
	known := map[string][]string{"agents": nil}
	for t := range b.site.Tools.All() {
		known["tools"] = append(known["tools"], t.Name)
	}
	for p := range b.site.Pages.All() {
		known["pages"] = append(known["pages"], p.Name)
		for _, area := range areasOf(p) {
			for _, a := range area.Actions {
				known["actions"] = append(known["actions"], a.Name)
			}
		}
	}
	for _, a := range b.File.Agents {
		known["agents"] = append(known["agents"], a.ID)
	}
	for i, p := range b.Permissions {
		at := fmt.Sprintf("permissions[%d].", i)
		for field, names := range map[string][]string{
			"tools": p.Tools, "actions": p.Actions, "pages": p.Pages, "agents": p.Agents,
		} {
			b.slips(at+field, names, known[field], field == "agents")
		}
	}
}

func (b *builder) slips(field string, names, known []string, closed bool) {
	for i, name := range names {
		first, _, _ := strings.Cut(name, "/") // of a place
		if strings.Contains(name, "*") || slices.Contains(known, name) || slices.Contains(known, first) {
			continue
		}
		switch hint := didYouMean(first, known); {
		case closed:
			b.fail(fmt.Sprintf("%s[%d]", field, i), "%q is not defined%s", name, hint)
		case hint != "":
			b.fail(fmt.Sprintf("%s[%d]", field, i),
				"%q is not defined%s If it is right, write a pattern with *", name, hint)
		}
	}
}

// PermissionNote says in one line what applies, for pageside check. It is "" where nothing does.
func (s *Site) PermissionNote() string {
	f := s.Source.File
	count := fmt.Sprintf("%d rules", len(f.Permissions))
	if len(f.Permissions) == 1 {
		count = "one rule"
	}
	switch rules, ok := s.Authorizer.(*policy.Rules); {
	case s.Authorizer == nil:
		return ""
	case f.Permissions == nil:
		note := "there is authentication, but there are no permissions: whoever signs in may ask every agent on every page, with tools whose effect is read, and those of the page"
		if f.shares() {
			note += ", and share conversations"
		}
		return note + "; everything else is denied"
	case ok && !rules.Covers(policy.Agent):
		return count + ", and none allows an agent: nobody can use the assistant"
	case ok && f.shares() && !rules.Covers(policy.Sharing):
		count += ", and none allows sharing: nobody can share a conversation"
	}
	return count +
		"; what is not allowed by any is denied, except tools whose effect is read, and those of the page that declare no more"
}

// shares reports whether conversations can be shared by those who may.
func (f *File) shares() bool { return f.Authenticates() && (f.Sharing == nil || *f.Sharing) }
