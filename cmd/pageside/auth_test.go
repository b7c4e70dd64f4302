package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	josejwt "github.com/go-jose/go-jose/v4/jwt"
	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"

	"github.com/pageside/pageside/test/must"
)

// guided serves a configuration of the guide, with addresses of the test in place of its own.
func guided(t *testing.T, containing string, env map[string]string, replace ...string) *started {
	t.Helper()
	return servingIn(t, env, "serve", "--config", guidedFile(t, containing, replace...), "--store", newStore(t))
}

func guidedFile(t *testing.T, containing string, replace ...string) string {
	t.Helper()
	for place, block := range blocks(t, "yaml") {
		if strings.HasPrefix(place, "docs/guide/authentication.md") && strings.Contains(block, containing) {
			ours := strings.NewReplacer(append(replace, "openai/gpt-5-mini", "script/"+rulesFile(t))...)
			return fileOf(t, "pageside.yaml", ours.Replace(block))
		}
	}
	t.Fatalf("the guide has no configuration with %q", containing)
	return ""
}

// person is somebody's credentials.
type person struct{ header, value string }

// as sends a request with somebody's credentials.
func (s *started) as(who person, method, path, body string) (status int, answer string) {
	s.t.Helper()
	resp, answer := s.send(method, path, body, map[string]string{"Content-Type": "application/json", who.header: who.value})
	return resp.StatusCode, answer
}

// keepsApart checks that two people are let in and do not see each other's threads, and that others
// are not let in.
func (s *started) keepsApart(ann, bob person, refused ...person) {
	s.t.Helper()
	s.wants(ann, "POST", "/v1/agents/default/run", aguiBody("t1", "r1", "hi"), 200, "Hello.")
	s.wants(ann, "GET", "/v1/threads/t1", "", 200)
	s.wants(bob, "GET", "/v1/threads", "", 200, `!"t1"`)
	s.wants(bob, "GET", "/v1/threads/t1", "", 404)
	for _, nobody := range append(refused, person{}) {
		s.wants(nobody, "GET", "/v1/threads", "", 401, `"unauthenticated"`)
	}
	s.ends()
}

func TestGuideSessions(t *testing.T) {
	app := serves(t, func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie("session")
		name, found := map[string]string{"s1": "ann", "s2": "bob"}[c.Value]
		if err != nil || !found {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"user": {"id": %q, "org": "acme", "roles": ["editor"]}}`, name)
	})
	s := guided(t, "forward:", nil, "https://app.example.com", app)
	s.keepsApart(person{"Cookie", "theme=dark; session=s1"}, person{"Cookie", "session=s2"},
		person{"Cookie", "session=s3"}, person{"Cookie", "other=s1"}, person{"Authorization", "Bearer s1"})
}

// Cookies that are made up are answered by the server once there are many: the application has its
// peace, and the sessions of others hold.
func TestGuideSessionsMadeUp(t *testing.T) {
	var asked atomic.Int64
	app := serves(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if c, err := r.Cookie("session"); err != nil || c.Value != "s1" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"user": {"id": "ann", "org": "acme", "roles": ["editor"]}}`)
	})
	s := guided(t, "forward:", nil, "https://app.example.com", app)
	ann := person{"Cookie", "session=s1"}
	s.wants(ann, "GET", "/v1/threads", "", http.StatusOK)
	before, statuses := asked.Load(), map[int]int{}
	for i := range 2000 {
		status, _ := s.as(person{"Cookie", fmt.Sprint("session=made-up-", i)}, "GET", "/v1/threads", "")
		statuses[status]++
	}
	questions := int(asked.Load() - before)
	if statuses[http.StatusUnauthorized] != questions || statuses[http.StatusTooManyRequests] != 2000-questions || questions > 1000 {
		t.Errorf("2000 cookies that are made up: %d questions, answers %v", questions, statuses)
	}
	s.wants(ann, "GET", "/v1/threads", "", http.StatusOK)
	s.ends()
}

func TestGuideSigned(t *testing.T) {
	const secret = "a secret that has thirty-two bytes"
	header := func(name, key string) person {
		signer := must.Get(jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(key)}, nil))(t)
		claims := map[string]any{
			"sub": name, "org": "acme", "roles": []string{}, "aud": "pageside",
			"exp": time.Now().Add(5 * time.Minute).Unix(),
		}
		return person{"X-Pageside-Principal", must.Get(josejwt.Signed(signer).Claims(claims).Serialize())(t)}
	}
	s := guided(t, "signed:", map[string]string{"PAGESIDE_SIGNING_SECRET": secret})
	s.keepsApart(header("ann", secret), header("bob", secret), header("ann", strings.ToUpper(secret)))
}

// realmUser is a user whose roles are where Keycloak has them.
type realmUser struct{ *mockoidc.MockUser }

type realmClaims struct {
	*mockoidc.IDTokenClaims
	RealmAccess struct {
		Roles []string `json:"roles"`
	} `json:"realm_access"`
}

func (realmUser) Claims(_ []string, c *mockoidc.IDTokenClaims) (jwt.Claims, error) {
	all := &realmClaims{IDTokenClaims: c}
	all.RealmAccess.Roles = []string{"editor"}
	return all, nil
}

// signIn goes through the provider's authorization code flow, and returns the token.
func signIn(t *testing.T, m *mockoidc.MockOIDC, name string) person {
	t.Helper()
	m.QueueUser(realmUser{&mockoidc.MockUser{Subject: name}})
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	query := url.Values{
		"scope": {"openid"}, "state": {"x"}, "client_id": {m.ClientID}, "response_type": {"code"},
		"redirect_uri": {"http://127.0.0.1/back"},
	}
	resp := must.Get(client.Get(m.AuthorizationEndpoint() + "?" + query.Encode()))(t)
	resp.Body.Close()
	code := must.Get(resp.Location())(t).Query()["code"]
	resp = must.Get(client.PostForm(m.TokenEndpoint(), url.Values{
		"grant_type": {"authorization_code"}, "code": code, "client_id": {m.ClientID}, "client_secret": {m.ClientSecret},
	}))(t)
	defer resp.Body.Close()
	tokens := must.JSON[map[string]any](t, must.Get(io.ReadAll(resp.Body))(t))
	return person{"Authorization", fmt.Sprint("Bearer ", tokens["id_token"])}
}

func TestGuideOpenID(t *testing.T) {
	provider := must.Get(mockoidc.Run())(t)
	defer func() { _ = provider.Shutdown() }()
	other := must.Get(mockoidc.Run())(t)
	defer func() { _ = other.Shutdown() }()
	provider.ClientID, other.ClientID = "pageside", "pageside"
	s := guided(t, "oidc:", nil, "https://id.example.com/realms/main", provider.Issuer())
	ann, bob := signIn(t, provider, "ann"), signIn(t, provider, "bob")
	provider.ClientID = "another application"
	foreign := signIn(t, provider, "ann")
	s.keepsApart(ann, bob, foreign, signIn(t, other, "ann"), person{"Authorization", ann.value + "x"}, person{"Authorization", "Bearer pgs_a_b"})
}

func TestGuideProxy(t *testing.T) {
	const secret = "a secret of the proxy"
	s := guided(t, "proxy:", map[string]string{"PAGESIDE_PROXY_SECRET": secret})
	target := must.Get(url.Parse(s.url))(t)
	// what oauth2-proxy does once somebody has signed in
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.SetXForwarded()
		r.Out.Header.Set("X-Pageside-Proxy-Secret", secret)
		for _, name := range []string{"X-Forwarded-User", "X-Forwarded-Email", "X-Forwarded-Groups"} {
			r.Out.Header.Del(name)
		}
		if name := r.In.Header.Get("X-Signed-In"); name != "" {
			r.Out.Header.Set("X-Forwarded-User", name)
			r.Out.Header.Set("X-Forwarded-Email", name+"@example.com")
			r.Out.Header.Set("X-Forwarded-Groups", "editors")
		}
	}})
	defer proxy.Close()
	for _, forged := range []person{{"X-Forwarded-User", "ann"}, {"X-Forwarded-Groups", "admin"}, {"X-Pageside-Proxy-Secret", "guess"}} {
		s.wants(forged, "GET", "/v1/threads", "", 401)
	}
	s.url = proxy.URL
	s.keepsApart(person{"X-Signed-In", "ann"}, person{"X-Signed-In", "bob"}, person{"X-Forwarded-User", "ann"})
}

func TestGuideKeys(t *testing.T) {
	file := guidedFile(t, "apiKeys:")
	keys := func(args ...string) string {
		t.Helper()
		stdout := must.Get(answered(t, nil, append(append([]string{"keys"}, args...), "--config", file)...))(t)
		return strings.TrimSpace(stdout)
	}
	ann := keys("create", "--subject", "ann", "--role", "reader", "--expires", "30d")
	bob := keys("create", "--subject", "bob", "--expires", "never")
	carol := keys("create", "--subject", "carol")
	listed := keys("list")
	has(t, listed, "reader", "never", "!"+ann)
	s := servingIn(t, nil, "serve", "--config", file, "--store", newStore(t))
	s.wants(person{"X-API-Key", carol}, "GET", "/v1/threads", "", 200)
	id := strings.Split(carol, "_")[1]
	has(t, keys("revoke", id), "carol is revoked")
	eventually(t, func() bool { // the running server notices
		status, _ := s.as(person{"X-API-Key", carol}, "GET", "/v1/threads", "")
		return status == 401
	}, func() string { return "the revoked key is still accepted" })
	s.keepsApart(person{"Authorization", "Bearer " + ann}, person{"X-API-Key", bob}, person{"X-API-Key", carol}, person{"Authorization", "Bearer " + ann + "x"})
}
