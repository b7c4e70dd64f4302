// Package oidctest is an OpenID provider in the test's own process, and what signs its tokens.
package oidctest

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Audience is whom the tokens are for.
const Audience = "https://assistant.example.com"

// Keys are slow to make: all tests of a package share them. A provider publishes all but OtherKey.
var (
	RSAKey   = sync.OnceValue(func() *rsa.PrivateKey { return Must(rsa.GenerateKey(rand.Reader, 2048)) })
	OtherKey = sync.OnceValue(func() *rsa.PrivateKey { return Must(rsa.GenerateKey(rand.Reader, 2048)) })
	ECKey    = sync.OnceValue(func() *ecdsa.PrivateKey { return Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	EdKey    = sync.OnceValue(func() ed25519.PrivateKey { _, key, err := ed25519.GenerateKey(rand.Reader); return Must(key, err) })
)

// Must returns v and panics on an error.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Provider is an issuer that tests can change.
type Provider struct {
	*httptest.Server
	Fetched atomic.Int32 // how often the keys were
	Issuer  string       // of the discovery document; default the server's address

	mu     sync.Mutex
	keys   []jose.JSONWebKey
	answer http.HandlerFunc
}

// New starts a provider that publishes the keys rsa, ec and ed.
func New(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{keys: []jose.JSONWebKey{
		{Key: RSAKey().Public(), KeyID: "rsa", Use: "sig"}, {Key: ECKey().Public(), KeyID: "ec"}, {Key: EdKey().Public(), KeyID: "ed"},
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		issuer := p.URL
		if p.Issuer != "" {
			issuer = p.Issuer
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": issuer, "jwks_uri": p.URL + "/keys", "authorization_endpoint": p.URL + "/a", "token_endpoint": p.URL + "/t"})
	})
	mux.HandleFunc("GET /keys", p.serveKeys)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *Provider) serveKeys(w http.ResponseWriter, r *http.Request) {
	p.Fetched.Add(1)
	p.mu.Lock()
	keys, answer := p.keys, p.answer
	p.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: keys})
}

// SetKeys replaces the published keys.
func (p *Provider) SetKeys(keys ...jose.JSONWebKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = keys
}

// SetAnswer serves requests for the keys with a handler.
func (p *Provider) SetAnswer(answer http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// Claims returns the claims of a good token, with some changed; nil leaves one out.
func (p *Provider) Claims(change map[string]any) map[string]any {
	c := map[string]any{"iss": p.URL, "aud": Audience, "sub": "ann", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "realm_access": map[string]any{"roles": []string{"editor"}}}
	maps.Copy(c, change)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// Sign returns a token.
func Sign(alg jose.SignatureAlgorithm, key any, kid string, claims any) string {
	options := (&jose.SignerOptions{}).WithType("JWT")
	if kid != "" {
		options = options.WithHeader("kid", kid)
	}
	return Must(jwt.Signed(Must(jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options))).Claims(claims).Serialize())
}

// Unsigned returns a token without a signature, as an attacker writes it.
func Unsigned(alg string, claims map[string]any) string {
	header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"` + alg + `","kid":"rsa"}`))
	return header + "." + base64.RawURLEncoding.EncodeToString(Must(json.Marshal(claims))) + "."
}
