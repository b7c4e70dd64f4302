package proxy_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/proxy"
	"github.com/pageside/pageside/test/must"
)

const secret = "a secret of the proxy"

func TestProxy(t *testing.T) {
	p := must.Get(proxy.New(proxy.Config{Networks: []string{"10.1.0.0/16", "::1"}, Secret: secret}))(t)
	with := func(from string, headers ...string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/v1/agents", nil)
		r.RemoteAddr = from
		for i := 0; i < len(headers); i += 2 {
			r.Header.Add(headers[i], headers[i+1])
		}
		return r
	}
	const inside = "10.1.2.3:4444"
	for name, r := range map[string]*http.Request{
		"a user":         with(inside, "X-Pageside-Proxy-Secret", secret, "X-Forwarded-User", "ann", "X-Forwarded-Email", "ann@x.example", "X-Forwarded-Groups", "editor, admin"),
		"an email alone": with("[::1]:1", "X-Pageside-Proxy-Secret", secret, "X-Forwarded-User", "", "X-Forwarded-Email", "ann", "X-Forwarded-Groups", "admin,,editor"),
		"mapped":         with("[::ffff:10.1.2.3]:1", "X-Pageside-Proxy-Secret", secret, "X-Forwarded-User", "ann", "X-Forwarded-Groups", "admin,editor"),
	} {
		if who, err := p.Authenticate(r); err != nil || who.Subject != "ann" || !who.Has("admin") || !who.Has("editor") || who.Method != "proxy" {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
	for name, r := range map[string]*http.Request{
		"nothing":           with(inside, "X-Forwarded-For", "1.2.3.4"),
		"only the secret":   with(inside, "X-Pageside-Proxy-Secret", secret),
		"nobody, signed in": with(inside, "X-Pageside-Proxy-Secret", secret, "X-Forwarded-User", ""),
	} {
		must.FailWith(t, must.Err(p.Authenticate(r)), auth.ErrNoCredentials, "%s", name)
	}
	for name, r := range map[string]*http.Request{
		"from elsewhere":       with("192.0.2.1:1", "X-Pageside-Proxy-Secret", secret, "X-Forwarded-User", "ann"),
		"without the secret":   with(inside, "X-Forwarded-User", "ann"),
		"with another secret":  with(inside, "X-Pageside-Proxy-Secret", secret+"x", "X-Forwarded-User", "ann"),
		"only groups":          with(inside, "X-Forwarded-Groups", "admin"),
		"an email, elsewhere":  with("192.0.2.1:1", "X-Forwarded-Email", "ann@x.example"),
		"two users":            with(inside, "X-Pageside-Proxy-Secret", secret, "X-Forwarded-User", "ann", "X-Forwarded-User", "bob"),
		"two secrets":          with(inside, "X-Pageside-Proxy-Secret", secret, "X-Pageside-Proxy-Secret", "x", "X-Forwarded-User", "ann"),
		"two lines of groups":  with(inside, "X-Pageside-Proxy-Secret", secret, "X-Forwarded-User", "ann", "X-Forwarded-Groups", "a", "X-Forwarded-Groups", "admin"),
		"a control character":  with(inside, "X-Pageside-Proxy-Secret", secret, "X-Forwarded-User", "a\x01"),
		"not UTF-8":            with(inside, "X-Pageside-Proxy-Secret", secret, "X-Forwarded-User", "m\xfcller"),
		"an address like that": with("10.1.2.3", "X-Pageside-Proxy-Secret", secret, "X-Forwarded-User", "ann"),
		"a socket":             with("@", "X-Pageside-Proxy-Secret", secret, "X-Forwarded-User", "ann"),
	} {
		_, err := p.Authenticate(r)
		if err == nil || errors.Is(err, auth.ErrNoCredentials) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTenantMustBeThere(t *testing.T) {
	p, err := proxy.New(proxy.Config{Networks: []string{"10.0.0.1"}, Secret: secret, TenantHeader: "X-Tenant", UserHeader: "X-User", SecretHeader: "X-Secret"})
	must.Do(t, err)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "10.0.0.1:1"
	r.Header.Set("X-Secret", secret)
	r.Header.Set("X-User", "ann")
	if _, err := p.Authenticate(r); err == nil || errors.Is(err, auth.ErrNoCredentials) {
		t.Errorf("%v", err)
	}
	r.Header.Set("X-Tenant", "acme")
	must.Be(t, must.Get(p.Authenticate(r))(t).Tenant, "acme", "the tenant")
}

func TestInvalid(t *testing.T) {
	for _, cfg := range []proxy.Config{{Secret: secret}, {Networks: []string{"10.0.0.0/8"}, Secret: "short"}, {Networks: []string{"all"}, Secret: secret}} {
		must.Fail(t, must.Err(proxy.New(cfg)), "", "%+v", cfg)
	}
}
