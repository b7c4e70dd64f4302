package oidc_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/claims"
	"github.com/pageside/pageside/auth/oidc"
	"github.com/pageside/pageside/auth/oidc/oidctest"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/test/must"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// Shorter names for what the tests share with others.
const audience = oidctest.Audience

var rsaKey, otherKey, ecKey, edKey, sign, unsigned = oidctest.RSAKey, oidctest.OtherKey, oidctest.ECKey, oidctest.EdKey, oidctest.Sign, oidctest.Unsigned

func made[T any](v T, err error) T { return oidctest.Must(v, err) }

// provider is an issuer that tests can change.
type provider struct{ *oidctest.Provider }

func newProvider(t *testing.T) provider { return provider{oidctest.New(t)} }

// issuer returns the provider as the configuration has it.
func (p provider) issuer() oidc.Issuer {
	return oidc.Issuer{URL: p.URL, Audience: []string{"other", audience}, Claims: claims.Names{Roles: "realm_access.roles"}}
}

func request(t *testing.T, token string) *http.Request {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/agents", nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

func TestAccepted(t *testing.T) {
	p := newProvider(t)
	tokens := made(oidc.New(p.issuer()))
	for alg, key := range map[jose.SignatureAlgorithm]struct {
		kid string
		key any
	}{jose.RS256: {"rsa", rsaKey()}, jose.RS512: {"rsa", rsaKey()}, jose.ES256: {"ec", ecKey()}, jose.EdDSA: {"ed", edKey()}} {
		who, err := tokens.Authenticate(request(t, sign(alg, key.key, key.kid, p.Claims(nil))))
		if err != nil || who.Subject != "ann" || !who.Has("editor") || who.Tenant != "" || who.Method != "oidc:"+p.URL {
			t.Errorf("%s: %+v, %v", alg, who, err)
		}
		if left := time.Until(who.Expires); left < 59*time.Minute || left > time.Hour {
			t.Errorf("%s: the principal expires in %s, the token in an hour", alg, left)
		}
	}
	for name, token := range map[string]string{
		"without a kid, when one key fits": sign(jose.RS256, rsaKey(), "", p.Claims(nil)),
		"several audiences":                sign(jose.RS256, rsaKey(), "rsa", p.Claims(map[string]any{"aud": []string{"x", audience}})),
		"just expired":                     sign(jose.RS256, rsaKey(), "rsa", p.Claims(map[string]any{"exp": time.Now().Add(-time.Second).Unix()})),
		"nearly valid":                     sign(jose.RS256, rsaKey(), "rsa", p.Claims(map[string]any{"nbf": time.Now().Add(59 * time.Second).Unix()})),
		"no roles":                         sign(jose.RS256, rsaKey(), "rsa", p.Claims(map[string]any{"realm_access": nil})),
	} {
		must.Be(t, must.Err(tokens.Authenticate(request(t, token))), nil, "%s", name)
	}
	must.Be(t, p.Fetched.Load(), 1, "fetches of the keys")
}

func TestRefused(t *testing.T) {
	p, stranger := newProvider(t), newProvider(t)
	stranger.SetKeys(jose.JSONWebKey{Key: otherKey().Public(), KeyID: "rsa"}) // the same id
	narrow := p.issuer()
	narrow.Algorithms = []string{"ES256"}
	tenanted := p.issuer()
	tenanted.Claims.Tenant = "org_id"
	mailed := p.issuer()
	mailed.Claims.Subject = "email"
	other := stranger.issuer()
	public := made(x509.MarshalPKIXPublicKey(rsaKey().Public()))
	good := func(change map[string]any) string { return sign(jose.RS256, rsaKey(), "rsa", p.Claims(change)) }
	embedded := (&jose.SignerOptions{EmbedJWK: true})
	type object = map[string]any
	for name, test := range map[string]struct {
		issuers []oidc.Issuer
		token   string
		want    string
	}{
		"alg none":                      {nil, unsigned("none", p.Claims(nil)), "accepted algorithm"},
		"alg None":                      {nil, unsigned("None", p.Claims(nil)), "accepted algorithm"},
		"HS256 with the public key":     {nil, sign(jose.HS256, public, "rsa", p.Claims(nil)), "accepted algorithm"},
		"an algorithm that is not set":  {[]oidc.Issuer{narrow}, good(nil), "signature"},
		"the key of another algorithm":  {nil, sign(jose.ES256, ecKey(), "rsa", p.Claims(nil)), "not one of the issuer's"},
		"another key":                   {nil, sign(jose.RS256, otherKey(), "rsa", p.Claims(nil)), "signature"},
		"a key in the token":            {nil, made(jwt.Signed(made(jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: otherKey()}, embedded))).Claims(p.Claims(nil)).Serialize()), "signature"},
		"an unknown kid":                {nil, sign(jose.RS256, rsaKey(), "new", p.Claims(nil)), "not one of the issuer's"},
		"another issuer's key, one kid": {[]oidc.Issuer{p.issuer(), other}, sign(jose.RS256, otherKey(), "rsa", p.Claims(nil)), "signature"},
		"an issuer that is not ours":    {nil, good(object{"iss": "https://evil.example"}), "issuer is not configured"},
		"an issuer with a slash":        {nil, good(object{"iss": p.URL + "/"}), "issuer is not configured"},
		"no issuer":                     {nil, good(object{"iss": nil}), "issuer is not configured"},
		"another audience":              {nil, good(object{"aud": "https://assistant.example.com/"}), "another audience"},
		"no audience":                   {nil, good(object{"aud": nil}), "another audience"},
		"expired":                       {nil, good(object{"exp": time.Now().Add(-61 * time.Second).Unix()}), "has expired"},
		"without end":                   {nil, good(object{"exp": nil}), "exp is missing"},
		"not yet":                       {nil, good(object{"nbf": time.Now().Add(time.Hour).Unix()}), "not valid yet"},
		"issued in the future":          {nil, good(object{"iat": time.Now().Add(time.Hour).Unix()}), "not valid yet"},
		"no subject":                    {nil, good(object{"sub": nil}), "sub is missing"},
		"a number as subject":           {nil, good(object{"sub": 1}), "cannot be read"},
		"an empty subject":              {nil, good(object{"sub": ""}), "sub must be a string"},
		"a subject with a line break":   {nil, good(object{"sub": "a\nb"}), "control characters"},
		"roles as a text":               {nil, good(object{"realm_access": object{"roles": "admin"}}), "must be an array"},
		"a number as a role":            {nil, good(object{"realm_access": object{"roles": []any{"a", 1}}}), "must be an array"},
		"no tenant":                     {[]oidc.Issuer{tenanted}, good(nil), "org_id is missing"},
		"a list as tenant":              {[]oidc.Issuer{tenanted}, good(object{"org_id": []string{"a"}}), "org_id must be a string"},
		"an email nobody verified":      {[]oidc.Issuer{mailed}, good(object{"email": "a@x.example"}), "email_verified must be true"},
		"an email verified in a text":   {[]oidc.Issuer{mailed}, good(object{"email": "a@x.example", "email_verified": "true"}), "email_verified must be true"},
		"a logout token":                {nil, typed(t, p.Claims(nil), "logout+jwt"), "type"},
		"not a token":                   {nil, "abc", "not a JWT"},
		"two tokens":                    {nil, good(nil) + " " + good(nil), "one token"},
		"a claim twice":                 {nil, twice(t, p), "cannot be read"},
	} {
		issuers := test.issuers
		if issuers == nil {
			issuers = []oidc.Issuer{p.issuer()}
		}
		_, err := made(oidc.New(issuers...)).Authenticate(request(t, test.token))
		if err == nil || !strings.Contains(err.Error(), test.want) || errors.Is(err, auth.ErrNoCredentials) || errors.Is(err, auth.ErrUnavailable) {
			t.Errorf("%s: %v; want an error with %q", name, err, test.want)
		}
		for part := range strings.SplitSeq(test.token, ".") {
			if len(part) > 8 && err != nil && strings.Contains(err.Error(), part) {
				t.Errorf("%s: the error has a part of the token: %v", name, err)
			}
		}
	}
}

func typed(t *testing.T, c any, typ jose.ContentType) string {
	t.Helper()
	options := (&jose.SignerOptions{}).WithType(typ).WithHeader("kid", "rsa")
	return made(jwt.Signed(made(jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: rsaKey()}, options))).Claims(c).Serialize())
}

// twice returns a signed token in which another reader would see another subject.
func twice(t *testing.T, p provider) string {
	t.Helper()
	raw := strings.Replace(string(made(json.Marshal(p.Claims(map[string]any{"x": 1})))), `"x":1`, `"role":"a","role":"b"`, 1)
	signer := made(jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: rsaKey()}, (&jose.SignerOptions{}).WithHeader("kid", "rsa")))
	return made(made(signer.Sign([]byte(raw))).CompactSerialize())
}

func TestNoToken(t *testing.T) {
	tokens := made(oidc.New(newProvider(t).issuer()))
	basic := request(t, "")
	basic.Header.Set("Authorization", "Basic YTpi")
	for _, r := range []*http.Request{request(t, ""), basic} {
		if _, err := tokens.Authenticate(r); !errors.Is(err, auth.ErrNoCredentials) {
			t.Errorf("%v", err)
		}
	}
	double := request(t, "a")
	double.Header.Add("Authorization", "Bearer b")
	if _, err := tokens.Authenticate(double); err == nil || errors.Is(err, auth.ErrNoCredentials) {
		t.Errorf("two headers: %v", err)
	}
}

// Two issuers may have users of the same name: their tenants keep them apart.
func TestTenants(t *testing.T) {
	a, b := newProvider(t), newProvider(t)
	ia, ib := a.issuer(), b.issuer()
	ia.Tenant, ib.Tenant, ib.Claims.Tenant = "a", "b", "org_id"
	tokens := made(oidc.New(ia, ib))
	one, err := tokens.Authenticate(request(t, sign(jose.RS256, rsaKey(), "rsa", a.Claims(nil))))
	must.Do(t, err)
	must.Be(t, one.Tenant, "a", "the tenant of the issuer")
	two, err := tokens.Authenticate(request(t, sign(jose.RS256, rsaKey(), "rsa", b.Claims(map[string]any{"org_id": "a"}))))
	must.Do(t, err)
	must.Be(t, two.Tenant, "b/a", "the tenant of the issuer's tenant")
	ib.Tenant = ""
	tokens = made(oidc.New(ib))
	for _, tenant := range []string{"acme", "/acme", "acme/"} {
		who, err := tokens.Authenticate(request(t, sign(jose.RS256, rsaKey(), "rsa", b.Claims(map[string]any{"org_id": tenant}))))
		must.Do(t, err)
		must.Be(t, who.Tenant, tenant, "the tenant")
	}
}

func TestKeysThatCannotBeHad(t *testing.T) {
	big := `{"keys":[{"kty":"oct","k":"` + strings.Repeat("A", 2<<20) + `"}]}`
	elsewhere := newProvider(t)
	answers := func(h http.HandlerFunc) func(provider) { return func(p provider) { p.SetAnswer(h) } }
	says := func(body string) func(provider) {
		return answers(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	}
	leads := func(to string) func(provider) {
		return answers(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to+"/keys", http.StatusFound) })
	}
	for name, test := range map[string]struct {
		change func(provider)
		want   string
	}{
		"too large":    {says(big), "too large"},
		"elsewhere":    {leads(strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)), "redirect"},
		"another port": {leads(elsewhere.URL), "redirect"},
		"an error":     {answers(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 500) }), "status 500"},
		"no keys":      {says(`{"keys":[]}`), "no key"},
		"only secrets": {func(p provider) {
			p.SetKeys(jose.JSONWebKey{Key: []byte("0123456789abcdef0123456789abcdef"), KeyID: "rsa"})
		}, "no key"},
		"not JSON":                  {says(`<html>`), "not a set of keys"},
		"another issuer's document": {func(p provider) { p.Issuer = "https://evil.example" }, "issuer"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			test.change(p)
			_, err := made(oidc.New(p.issuer())).Authenticate(request(t, sign(jose.RS256, rsaKey(), "rsa", p.Claims(nil))))
			if !errors.Is(err, auth.ErrUnavailable) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v; want ErrUnavailable with %q", err, test.want)
			}
			must.Be(t, elsewhere.Fetched.Load(), 0, "fetches from where the redirect leads")
		})
	}
}

// A slow issuer holds up its own users only as long as they wait themselves.
func TestSlowKeys(t *testing.T) {
	p := newProvider(t)
	release := make(chan struct{})
	p.SetAnswer(func(http.ResponseWriter, *http.Request) { <-release })
	tokens := made(oidc.New(p.issuer()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := tokens.Authenticate(request(t, sign(jose.RS256, rsaKey(), "rsa", p.Claims(nil))).WithContext(ctx))
	close(release)
	must.FailWith(t, err, auth.ErrUnavailable, "who does not wait")
	p.Client().CloseIdleConnections()
}

func TestInvalidIssuers(t *testing.T) {
	good := oidc.Issuer{URL: "https://id.example.com", Audience: []string{"a"}}
	change := func(f func(*oidc.Issuer)) oidc.Issuer { i := good; f(&i); return i }
	for name, all := range map[string][]oidc.Issuer{
		"no https":         {change(func(i *oidc.Issuer) { i.URL = "http://id.example.com" })},
		"no URL":           {change(func(i *oidc.Issuer) { i.URL = "id" })},
		"a password":       {change(func(i *oidc.Issuer) { i.URL = "https://a:b@id.example.com" })},
		"no audience":      {change(func(i *oidc.Issuer) { i.Audience = nil })},
		"HS256":            {change(func(i *oidc.Issuer) { i.Algorithms = []string{"HS256"} })},
		"none":             {change(func(i *oidc.Issuer) { i.Algorithms = []string{"none"} })},
		"keys by http":     {change(func(i *oidc.Issuer) { i.JWKSURL = "http://id.example.com/keys" })},
		"twice":            {good, good},
		"keys from a file": {change(func(i *oidc.Issuer) { i.JWKSURL = "file:///etc/passwd" })},
	} {
		must.Fail(t, must.Err(oidc.New(all...)), "", "%s", name)
	}
}
