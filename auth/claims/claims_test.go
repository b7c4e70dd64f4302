package claims_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/auth/claims"
	"github.com/pageside/pageside/test/must"
)

func TestNames(t *testing.T) {
	const raw = `{"sub": "ann", "https://example.com/roles": ["a"], "x.y": "dotted", "x": {"y": "nested", "a/b": "slash", "a~b": "tilde"}, "n": null, "list": []}`
	for name, want := range map[string]string{"x.y": "dotted", "/x/y": "nested", "/x/a~1b": "slash", "/x/a~0b": "tilde", "sub": "ann"} {
		p, err := claims.Names{Tenant: name}.Principal(json.RawMessage(raw))
		if err != nil || p.Tenant != want || p.Subject != "ann" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if p, err := (claims.Names{Roles: "https://example.com/roles"}).Principal(json.RawMessage(raw)); err != nil || !p.Has("a") {
		t.Errorf("a claim that is a URL: %+v, %v", p, err)
	}
	must.Be(t, len(must.Get((claims.Names{Roles: "list"}).Principal(json.RawMessage(raw)))(t).Roles), 0, "no roles")
	for _, n := range []claims.Names{{Tenant: "x"}, {Tenant: "n"}, {Tenant: "x.z"}, {Tenant: "sub.x"}, {Tenant: "/"}, {Subject: "list"}, {Roles: "n"}, {Roles: "x"}, {Roles: "sub"}} {
		must.Fail(t, must.Err(n.Principal(json.RawMessage(raw))), "", "%+v", n)
	}
	for _, bad := range []string{``, `null`, `[]`, `"a"`, `{"sub": "a", "sub": "b"}`, `{"SUB": "a"}`, `{"sub": "a"} {}`, "{\"sub\": \"\xff\"}"} {
		must.Fail(t, must.Err((claims.Names{}).Principal(json.RawMessage(bad))), "", "%q", bad)
	}
}

// Whatever a document says, a principal is one that can be stored and compared, and has a subject
// that stands in the document.
func FuzzPrincipal(f *testing.F) {
	f.Add(`{"sub": "ann", "org": "acme", "roles": ["a"]}`, "sub", "org", "roles")
	f.Add(`{"a": {"b": "c"}, "r": {"s": ["x", 1]}}`, "a.b", "", "/r/s")
	f.Add(`{"email": "a@b", "email_verified": "true"}`, "email", "", "")
	f.Fuzz(func(t *testing.T, raw, subject, tenant, roles string) {
		p, err := claims.Names{Subject: subject, Tenant: tenant, Roles: roles}.Principal(json.RawMessage(raw))
		if err != nil {
			return
		}
		must.Be(t, p.Check(), nil, "%+v", p)
		if tenant != "" && p.Tenant == "" {
			t.Errorf("a principal without the tenant it must have: %+v", p)
		}
		if !strings.Contains(raw, `\`) && !strings.Contains(raw, p.Subject) {
			t.Errorf("the subject %q is not in %s", p.Subject, raw)
		}
	})
}
