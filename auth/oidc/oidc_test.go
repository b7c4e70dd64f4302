package oidc_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/claims"
	"github.com/pageside/pageside/auth/oidc"
	"github.com/pageside/pageside/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const audience = "https://assistant.example.com"

// Keys are slow to make: all tests share them.
var (
	rsaKey   = sync.OnceValue(func() *rsa.PrivateKey { return made(rsa.GenerateKey(rand.Reader, 2048)) })
	otherKey = sync.OnceValue(func() *rsa.PrivateKey { return made(rsa.GenerateKey(rand.Reader, 2048)) })
	ecKey    = sync.OnceValue(func() *ecdsa.PrivateKey { return made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	edKey    = sync.OnceValue(func() ed25519.PrivateKey { _, key, err := ed25519.GenerateKey(rand.Reader); return made(key, err) })
)

func made[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// provider is an issuer that tests can change.
type provider struct {
	*httptest.Server
	mu      sync.Mutex
	keys    []jose.JSONWebKey
	answer  http.HandlerFunc // in place of the keys; may be nil
	fetched atomic.Int32     // how often the keys were
	iss     string           // of the discovery document; default the server's address
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{keys: []jose.JSONWebKey{
		{Key: rsaKey().Public(), KeyID: "rsa", Use: "sig"}, {Key: ecKey().Public(), KeyID: "ec"}, {Key: edKey().Public(), KeyID: "ed"},
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		iss := p.URL
		if p.iss != "" {
			iss = p.iss
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": iss, "jwks_uri": p.URL + "/keys", "authorization_endpoint": p.URL + "/a", "token_endpoint": p.URL + "/t"})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		p.fetched.Add(1)
		p.mu.Lock()
		keys, answer := p.keys, p.answer
		p.mu.Unlock()
		if answer != nil {
			answer(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: keys})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// issuer returns the provider as the configuration has it.
func (p *provider) issuer() oidc.Issuer {
	return oidc.Issuer{URL: p.URL, Audience: []string{"other", audience}, Claims: claims.Names{Roles: "realm_access.roles"}}
}

func (p *provider) claims(change map[string]any) map[string]any {
	c := map[string]any{"iss": p.URL, "aud": audience, "sub": "ann", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "realm_access": map[string]any{"roles": []string{"editor"}}}
	maps.Copy(c, change)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// sign returns a token.
func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, kid string, all any) string {
	t.Helper()
	options := (&jose.SignerOptions{}).WithType("JWT")
	if kid != "" {
		options = options.WithHeader("kid", kid)
	}
	return made(jwt.Signed(made(jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options))).Claims(all).Serialize())
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
		who, err := tokens.Authenticate(request(t, sign(t, alg, key.key, key.kid, p.claims(nil))))
		if err != nil || who.Subject != "ann" || !who.Has("editor") || who.Tenant != "" || who.Method != "oidc:"+p.URL {
			t.Errorf("%s: %+v, %v", alg, who, err)
		}
		if left := time.Until(who.Expires); left < 59*time.Minute || left > time.Hour {
			t.Errorf("%s: the principal expires in %s, the token in an hour", alg, left)
		}
	}
	for name, token := range map[string]string{
		"without a kid, when one key fits": sign(t, jose.RS256, rsaKey(), "", p.claims(nil)),
		"several audiences":                sign(t, jose.RS256, rsaKey(), "rsa", p.claims(map[string]any{"aud": []string{"x", audience}})),
		"just expired":                     sign(t, jose.RS256, rsaKey(), "rsa", p.claims(map[string]any{"exp": time.Now().Add(-30 * time.Second).Unix()})),
		"nearly valid":                     sign(t, jose.RS256, rsaKey(), "rsa", p.claims(map[string]any{"nbf": time.Now().Add(30 * time.Second).Unix()})),
		"no roles":                         sign(t, jose.RS256, rsaKey(), "rsa", p.claims(map[string]any{"realm_access": nil})),
	} {
		if _, err := tokens.Authenticate(request(t, token)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := p.fetched.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

// unsigned returns a token with alg none, as an attacker writes it.
func unsigned(t *testing.T, alg string, c map[string]any) string {
	t.Helper()
	header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"` + alg + `","kid":"rsa"}`))
	return header + "." + base64.RawURLEncoding.EncodeToString(made(json.Marshal(c))) + "."
}

func TestRefused(t *testing.T) {
	p, stranger := newProvider(t), newProvider(t)
	stranger.keys = []jose.JSONWebKey{{Key: otherKey().Public(), KeyID: "rsa"}} // the same id
	narrow := p.issuer()
	narrow.Algorithms = []string{"ES256"}
	tenanted := p.issuer()
	tenanted.Claims.Tenant = "org_id"
	mailed := p.issuer()
	mailed.Claims.Subject = "email"
	other := stranger.issuer()
	public := made(x509.MarshalPKIXPublicKey(rsaKey().Public()))
	good := func(change map[string]any) string { return sign(t, jose.RS256, rsaKey(), "rsa", p.claims(change)) }
	embedded := (&jose.SignerOptions{EmbedJWK: true})
	type object = map[string]any
	for name, test := range map[string]struct {
		issuers []oidc.Issuer
		token   string
		want    string
	}{
		"alg none":                      {nil, unsigned(t, "none", p.claims(nil)), "accepted algorithm"},
		"alg None":                      {nil, unsigned(t, "None", p.claims(nil)), "accepted algorithm"},
		"HS256 with the public key":     {nil, sign(t, jose.HS256, public, "rsa", p.claims(nil)), "accepted algorithm"},
		"an algorithm that is not set":  {[]oidc.Issuer{narrow}, good(nil), "signature"},
		"the key of another algorithm":  {nil, sign(t, jose.ES256, ecKey(), "rsa", p.claims(nil)), "not one of the issuer's"},
		"another key":                   {nil, sign(t, jose.RS256, otherKey(), "rsa", p.claims(nil)), "signature"},
		"a key in the token":            {nil, made(jwt.Signed(made(jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: otherKey()}, embedded))).Claims(p.claims(nil)).Serialize()), "signature"},
		"an unknown kid":                {nil, sign(t, jose.RS256, rsaKey(), "new", p.claims(nil)), "not one of the issuer's"},
		"another issuer's key, one kid": {[]oidc.Issuer{p.issuer(), other}, sign(t, jose.RS256, otherKey(), "rsa", p.claims(nil)), "signature"},
		"an issuer that is not ours":    {nil, good(object{"iss": "https://evil.example"}), "issuer is not configured"},
		"an issuer with a slash":        {nil, good(object{"iss": p.URL + "/"}), "issuer is not configured"},
		"no issuer":                     {nil, good(object{"iss": nil}), "issuer is not configured"},
		"another audience":              {nil, good(object{"aud": "https://assistant.example.com/"}), "another audience"},
		"no audience":                   {nil, good(object{"aud": nil}), "another audience"},
		"expired":                       {nil, good(object{"exp": time.Now().Add(-61 * time.Second).Unix()}), "has expired"},
		"without end":                   {nil, good(object{"exp": nil}), "exp is missing"},
		"not yet":                       {nil, good(object{"nbf": time.Now().Add(90 * time.Second).Unix()}), "not valid yet"},
		"issued in the future":          {nil, good(object{"iat": time.Now().Add(90 * time.Second).Unix()}), "not valid yet"},
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
		"a logout token":                {nil, typed(t, p.claims(nil), "logout+jwt"), "type"},
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
func twice(t *testing.T, p *provider) string {
	t.Helper()
	raw := strings.Replace(string(made(json.Marshal(p.claims(map[string]any{"x": 1})))), `"x":1`, `"role":"a","role":"b"`, 1)
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
	one, err := tokens.Authenticate(request(t, sign(t, jose.RS256, rsaKey(), "rsa", a.claims(nil))))
	if err != nil || one.Tenant != "a" {
		t.Errorf("%+v, %v", one, err)
	}
	two, err := tokens.Authenticate(request(t, sign(t, jose.RS256, rsaKey(), "rsa", b.claims(map[string]any{"org_id": "a"}))))
	if err != nil || two.Tenant != "b/a" {
		t.Errorf("%+v, %v", two, err)
	}
}

// A stranger's tokens make the server fetch keys once, not once each.
func TestUnknownKeysFetchRarely(t *testing.T) {
	p := newProvider(t)
	tokens := made(oidc.New(p.issuer()))
	for range 50 {
		if _, err := tokens.Authenticate(request(t, sign(t, jose.ES256, ecKey(), rand.Text(), p.claims(nil)))); err == nil {
			t.Fatal("accepted")
		}
	}
	if n := p.fetched.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

func TestKeysThatCannotBeHad(t *testing.T) {
	big := `{"keys":[{"kty":"oct","k":"` + strings.Repeat("A", 2<<20) + `"}]}`
	elsewhere := newProvider(t)
	for name, test := range map[string]struct {
		change func(*provider)
		want   string
	}{
		"too large": {func(p *provider) {
			p.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(big)) }
		}, "too large"},
		"elsewhere": {func(p *provider) {
			p.answer = func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)+"/keys", http.StatusFound)
			}
		}, "redirect"},
		"another port": {func(p *provider) {
			p.answer = func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL+"/keys", http.StatusFound)
			}
		}, "redirect"},
		"an error": {func(p *provider) {
			p.answer = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 500) }
		}, "status 500"},
		"no keys": {func(p *provider) {
			p.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"keys":[]}`)) }
		}, "no key"},
		"only secrets": {func(p *provider) {
			p.keys = []jose.JSONWebKey{{Key: []byte("0123456789abcdef0123456789abcdef"), KeyID: "rsa"}}
		}, "no key"},
		"not JSON": {func(p *provider) {
			p.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`<html>`)) }
		}, "not a set of keys"},
		"another issuer's document": {func(p *provider) { p.iss = "https://evil.example" }, "issuer"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			test.change(p)
			_, err := made(oidc.New(p.issuer())).Authenticate(request(t, sign(t, jose.RS256, rsaKey(), "rsa", p.claims(nil))))
			if !errors.Is(err, auth.ErrUnavailable) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v; want ErrUnavailable with %q", err, test.want)
			}
			if elsewhere.fetched.Load() != 0 {
				t.Error("the redirect was followed")
			}
		})
	}
}

// A slow issuer holds up its own users only as long as they wait themselves.
func TestSlowKeys(t *testing.T) {
	p := newProvider(t)
	release := make(chan struct{})
	p.answer = func(http.ResponseWriter, *http.Request) { <-release }
	tokens := made(oidc.New(p.issuer()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := tokens.Authenticate(request(t, sign(t, jose.RS256, rsaKey(), "rsa", p.claims(nil))).WithContext(ctx))
	close(release)
	if !errors.Is(err, auth.ErrUnavailable) {
		t.Errorf("%v", err)
	}
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
		if _, err := oidc.New(all...); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
