package forward_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/claims"
	"github.com/pageside/pageside/auth/forward"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/test/must"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// application knows the session "good", and answers others in different ways.
type application struct {
	*httptest.Server
	asked   atomic.Int32
	headers atomic.Pointer[http.Header] // of the last question
}

func newApplication(t *testing.T) *application {
	a := new(application)
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.asked.Add(1)
		h := r.Header.Clone()
		a.headers.Store(&h)
		session := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if c, err := r.Cookie("session"); err == nil {
			session = c.Value
		}
		w.Header().Set("Content-Type", "application/json")
		switch session {
		case "good":
			_, _ = w.Write([]byte(`{"subject": "ann", "org": {"id": "acme"}, "roles": ["editor"]}`))
		case "headers":
			w.Header().Set("X-Auth-Request-User", "ann")
			w.Header().Set("X-Auth-Request-Groups", "editor,admin")
			w.WriteHeader(http.StatusAccepted)
		case "redirect":
			http.Redirect(w, r, "https://elsewhere.example/login", http.StatusFound)
		case "broken":
			w.WriteHeader(http.StatusInternalServerError)
		case "number":
			_, _ = w.Write([]byte(`{"subject": 1, "org": {"id": "acme"}}`))
		case "twice":
			_, _ = w.Write([]byte(`{"subject": "a", "subject": "b", "org": {"id": "acme"}}`))
		case "html":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`{"subject": "ann", "org": {"id": "acme"}}`))
		case "large":
			_, _ = w.Write([]byte(`{"subject": "` + strings.Repeat("a", 1<<20) + `"}`))
		case "slow":
			select {
			case <-r.Context().Done():
			case <-time.After(time.Minute):
			}
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(a.Close)
	return a
}

func sessions(t *testing.T, cfg forward.SessionsConfig) *forward.Sessions {
	t.Helper()
	return must.Get(forward.NewSessions(cfg))(t)
}

func (a *application) config() forward.SessionsConfig {
	return forward.SessionsConfig{URL: a.URL, Cookies: []string{"session"}, Claims: claims.Names{Tenant: "/org/id", Roles: "roles"}, Timeout: 300 * time.Millisecond}
}

func request(session string, more ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/v1/agents", nil)
	if session != "" {
		r.Header.Set("Cookie", "tracking=1; session="+session+"; theme=dark")
	}
	for i := 0; i < len(more); i += 2 {
		r.Header.Set(more[i], more[i+1])
	}
	return r
}

func TestSessions(t *testing.T) {
	app := newApplication(t)
	s := sessions(t, app.config())
	for range 5 {
		who, err := s.Authenticate(request("good", "X-Evil", "1", "Authorization", "Bearer x"))
		if err != nil || who.Subject != "ann" || who.Tenant != "acme" || !who.Has("editor") || who.Method != "session" {
			t.Fatalf("%+v, %v", who, err)
		}
	}
	must.Be(t, app.asked.Load(), 1, "questions to the application")
	h := *app.headers.Load()
	if h.Get("Cookie") != "session=good" || h.Get("X-Evil") != "" || h.Get("Authorization") != "" {
		t.Errorf("it was sent %v", h)
	}
	must.FailWith(t, must.Err(s.Authenticate(request(""))), auth.ErrNoCredentials, "no cookie")
	double := request("good")
	double.Header.Set("Cookie", "session=good; session=other")
	lines := request("good")
	lines.Header.Add("Cookie", "session=other")
	for _, r := range []*http.Request{request("unknown"), request("redirect"), request("number"), request("twice"), request("html"), double, lines} {
		if _, err := s.Authenticate(r); err == nil || errors.Is(err, auth.ErrUnavailable) || errors.Is(err, auth.ErrNoCredentials) {
			t.Errorf("%v: %v", r.Header, err)
		}
	}
	for _, session := range []string{"broken", "large", "slow"} {
		before := app.asked.Load()
		for range 2 {
			if _, err := s.Authenticate(request(session)); !errors.Is(err, auth.ErrUnavailable) || strings.Contains(err.Error(), "session=") {
				t.Errorf("%s: %v", session, err)
			}
		}
		must.Be(t, app.asked.Load()-before, 2, "questions about %s: a failure must not be cached", session)
	}
	s.CloseIdleConnections()
}

func TestAnswerInHeaders(t *testing.T) {
	app := newApplication(t)
	cfg := app.config()
	cfg.FromHeaders = true
	s := sessions(t, cfg)
	if who, err := s.Authenticate(request("headers")); err != nil || who.Subject != "ann" || !who.Has("admin") {
		t.Errorf("%+v, %v", who, err)
	}
	must.Fail(t, must.Err(s.Authenticate(request("good"))), "", "an answer without headers")
	s.CloseIdleConnections()
}

// An opaque token is the application's to judge.
func TestAuthorization(t *testing.T) {
	app := newApplication(t)
	cfg := app.config()
	cfg.Authorization, cfg.Cookies = true, nil
	s := sessions(t, cfg)
	who := must.Get(s.Authenticate(request("", "Authorization", "Bearer good")))(t)
	must.Be(t, who.Subject, "ann", "the token's user")
	if _, err := s.Authenticate(request("", "Authorization", "Bearer bad")); err == nil || errors.Is(err, auth.ErrNoCredentials) {
		t.Errorf("%v", err)
	}
	must.FailWith(t, must.Err(s.Authenticate(request("good"))), auth.ErrNoCredentials, "a cookie that is not named")
	s.CloseIdleConnections()
}

// What the application said is forgotten soon, so that signing out has an effect.
func TestCacheIsShort(t *testing.T) {
	app := newApplication(t)
	cfg := app.config()
	cfg.CacheFor = time.Nanosecond
	s := sessions(t, cfg)
	for range 3 {
		_, _ = s.Authenticate(request("good"))
	}
	must.Be(t, app.asked.Load(), 3, "questions to the application")
	cfg.CacheFor = time.Minute
	must.Fail(t, must.Err(forward.NewSessions(cfg)), "", "a cache of a minute")
	s.CloseIdleConnections()
}

const secret = "0123456789abcdef0123456789abcdef"

func sign(t *testing.T, alg jose.SignatureAlgorithm, key string, c any) string {
	t.Helper()
	signer := must.Get(jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: []byte(key)}, nil))(t)
	return must.Get(jwt.Signed(signer).Claims(c).Serialize())(t)
}

func TestSigned(t *testing.T) {
	s, err := forward.NewSigned(forward.SignedConfig{Secret: secret, Claims: claims.Names{Tenant: "tenant", Roles: "roles"}})
	must.Do(t, err)
	type object = map[string]any
	body := func(change object) object {
		c := object{"sub": "ann", "tenant": "acme", "roles": []string{"editor"}, "aud": "pageside", "exp": time.Now().Add(5 * time.Minute).Unix()}
		for name, v := range change {
			if c[name] = v; v == nil {
				delete(c, name)
			}
		}
		return c
	}
	ask := func(value string) (auth.Principal, error) {
		return s.Authenticate(request("", "X-Pageside-Principal", value))
	}
	if who, err := ask(sign(t, jose.HS256, secret, body(nil))); err != nil || who.Subject != "ann" || who.Tenant != "acme" || !who.Has("editor") || who.Expires.IsZero() {
		t.Errorf("%+v, %v", who, err)
	}
	for name, value := range map[string]string{
		"another secret":      sign(t, jose.HS256, strings.ToUpper(secret), body(nil)),
		"another algorithm":   sign(t, jose.HS512, secret+secret, body(nil)),
		"alg none":            "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.",
		"no exp":              sign(t, jose.HS256, secret, body(object{"exp": nil})),
		"expired":             sign(t, jose.HS256, secret, body(object{"exp": time.Now().Add(-2 * time.Minute).Unix()})),
		"good for a day":      sign(t, jose.HS256, secret, body(object{"exp": time.Now().Add(24 * time.Hour).Unix()})),
		"for somebody else":   sign(t, jose.HS256, secret, body(object{"aud": "other"})),
		"for nobody":          sign(t, jose.HS256, secret, body(object{"aud": nil})),
		"not yet":             sign(t, jose.HS256, secret, body(object{"nbf": time.Now().Add(2 * time.Minute).Unix()})),
		"without a tenant":    sign(t, jose.HS256, secret, body(object{"tenant": nil})),
		"a number as subject": sign(t, jose.HS256, secret, body(object{"sub": 7})),
		"nonsense":            "ann",
	} {
		_, err := ask(value)
		if err == nil || errors.Is(err, auth.ErrNoCredentials) || strings.Contains(err.Error(), value) {
			t.Errorf("%s: %v", name, err)
		}
	}
	long, err := forward.NewSigned(forward.SignedConfig{Secret: secret + secret, Claims: claims.Names{Tenant: "tenant"}})
	must.Do(t, err)
	for alg, isGood := range map[jose.SignatureAlgorithm]bool{jose.HS256: true, jose.HS384: false, jose.HS512: false} {
		value := sign(t, alg, secret+secret, body(nil))
		if _, err := long.Authenticate(request("", "X-Pageside-Principal", value)); (err == nil) != isGood {
			t.Errorf("%s with the right secret: %v", alg, err)
		}
	}
	if _, err := s.Authenticate(request("")); !errors.Is(err, auth.ErrNoCredentials) {
		t.Errorf("%v", err)
	}
	must.Fail(t, must.Err(forward.NewSigned(forward.SignedConfig{Secret: "short"})), "", "a short secret")
}
