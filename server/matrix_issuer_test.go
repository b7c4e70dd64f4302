package server_test

import (
	"crypto/x509"
	"net/http"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/claims"
	"github.com/pageside/pageside/auth/oidc"
	"github.com/pageside/pageside/auth/oidc/oidctest"
	"github.com/pageside/pageside/test/must"
)

// issuer is a way to prove who one is, and all ways in which a proof can be bad.
type issuer struct {
	authenticate func(*http.Request) (auth.Principal, error)
	good         func(person) http.Header
	until        func(person, time.Time) http.Header // good until then
	bad          map[string]func(person) http.Header
	none         map[string]bool // those of bad that are no credentials at all
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// signer signs tokens for people of two OpenID providers: one names tenants, the other has none.
type signer struct{ tenants, alone, stranger *oidctest.Provider }

func (s *signer) of(p person) *oidctest.Provider {
	if p.Tenant == "" {
		return s.alone
	}
	return s.tenants
}

// claims returns what a person's token says, with some of it changed.
func (s *signer) claims(p person, change map[string]any) map[string]any {
	all := s.of(p).Claims(map[string]any{"sub": p.Subject, "org": p.Tenant, "realm_access": nil, "roles": append([]string{}, p.Roles...)})
	for name, value := range change {
		all[name] = value
	}
	return all
}

func (s *signer) sign(p person, change map[string]any) http.Header {
	return bearer(oidctest.Sign(jose.EdDSA, oidctest.EdKey(), "ed", s.claims(p, change)))
}

// tokenIssuer believes tokens of OpenID providers in this process.
func tokenIssuer(t *testing.T) issuer {
	t.Helper()
	s := &signer{oidctest.New(t), oidctest.New(t), oidctest.New(t)}
	audience := []string{oidctest.Audience}
	tokens := must.Get(oidc.New(
		oidc.Issuer{URL: s.tenants.URL, Audience: audience, Claims: claims.Names{Tenant: "org", Roles: "roles"}},
		oidc.Issuer{URL: s.alone.URL, Audience: audience, Claims: claims.Names{Roles: "roles"}},
	))(t)
	return issuer{
		authenticate: tokens.Authenticate,
		good:         func(p person) http.Header { return s.sign(p, nil) },
		until:        func(p person, end time.Time) http.Header { return s.sign(p, map[string]any{"exp": end.Unix()}) },
		bad:          s.bad(t),
		none:         map[string]bool{"nothing": true, "an empty token": true, "another scheme": true},
	}
}

// bad returns credentials that are refused.
func (s *signer) bad(t *testing.T) map[string]func(person) http.Header {
	t.Helper()
	public := must.Get(x509.MarshalPKIXPublicKey(oidctest.RSAKey().Public()))(t)
	with := func(name string, value any) func(person) http.Header {
		return func(p person) http.Header { return s.sign(p, map[string]any{name: value}) }
	}
	signed := func(alg jose.SignatureAlgorithm, key any, kid string) func(person) http.Header {
		return func(p person) http.Header { return bearer(oidctest.Sign(alg, key, kid, s.claims(p, nil))) }
	}
	unsigned := func(alg string) func(person) http.Header {
		return func(p person) http.Header { return bearer(oidctest.Unsigned(alg, s.claims(p, nil))) }
	}
	return map[string]func(person) http.Header{
		"nothing": func(person) http.Header { return nil }, "an empty token": func(person) http.Header { return bearer("") },
		"another scheme":         func(p person) http.Header { return http.Header{"Authorization": {"Basic " + p.name}} },
		"wrong audience":         with("aud", "https://another.example.com"),
		"an unknown issuer":      with("iss", s.stranger.URL),
		"the other issuer":       func(p person) http.Header { return s.sign(p, map[string]any{"iss": s.alone.URL, "aud": "x"}) },
		"no signature":           unsigned("none"),
		"no signature, and None": unsigned("None"),
		"the public key as HMAC": signed(jose.HS256, public, "rsa"),
		"a withdrawn key":        signed(jose.RS256, oidctest.OtherKey(), "withdrawn"),
		"another's key":          signed(jose.RS256, oidctest.OtherKey(), "rsa"),
		"expired":                with("exp", time.Now().Add(-2*time.Minute).Unix()),
		"not yet valid":          with("nbf", time.Now().Add(time.Hour).Unix()),
		"no tenant":              func(p person) http.Header { return s.sign(p, map[string]any{"org": ""}) },
	}
}
