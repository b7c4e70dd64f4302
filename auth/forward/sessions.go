package forward

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/claims"
	"github.com/pageside/pageside/internal/egress"
)

// SessionsConfig says which application knows the sessions, and how it is asked. URL and Cookies or
// Authorization are required.
type SessionsConfig struct {
	// URL is sent a GET with the credentials of a request. 2xx tells who that is; 401, 403 and
	// redirects mean that there is no session.
	URL           string
	Cookies       []string // names of the cookies that are credentials; only these are sent
	Authorization bool     // the header Authorization is a credential too
	// Claims says where the answer, a JSON object, has what; by default subject.
	Claims claims.Names
	// FromHeaders reads the answer's headers instead: X-Auth-Request-User and -Groups, as
	// oauth2-proxy sends them.
	FromHeaders bool
	CacheFor    time.Duration // an answer; default 5 s, at most MaxCache
	Timeout     time.Duration // of a question; default 5 s
}

// MaxCache is the longest time for which an answer may be cached, so that a stream ends within half
// a minute after its user has signed out.
const MaxCache = 10 * time.Second

// Bounds of what is asked and kept.
const (
	maxAnswer   = 64 << 10
	maxSessions = 10_000 // whose users are remembered
	maxBad      = 10_000 // credentials that are remembered to be nobody's
)

const sessionMethod = "session"

// Headers of an answer, if it is given in headers.
const (
	userHeader   = "X-Auth-Request-User"
	groupsHeader = "X-Auth-Request-Groups"
)

// Sessions is an auth.Authenticator that asks an application about its sessions. Whoever sends bad
// credentials neither pushes sessions out of its memory nor has the application asked at will: what
// is known of an address decides before it is.
type Sessions struct {
	cfg       SessionsConfig
	client    *http.Client
	good, bad *lru.Cache[key, answer] // answers that are too old stay until others need their room
	strangers strangers
	flight    singleflight.Group
}

// key is the hash of credentials.
type key [sha256.Size]byte

// answer is what the application said about credentials.
type answer struct {
	principal auth.Principal
	err       error
	until     time.Time
}

// NewSessions checks a configuration.
func NewSessions(cfg SessionsConfig) (*Sessions, error) {
	cfg.CacheFor, cfg.Timeout = cmp.Or(cfg.CacheFor, 5*time.Second), cmp.Or(cfg.Timeout, 5*time.Second)
	cfg.Claims.Subject = cmp.Or(cfg.Claims.Subject, "subject")
	if cfg.CacheFor > MaxCache {
		return nil, fmt.Errorf("cacheFor: must be at most %s", MaxCache)
	}
	if len(cfg.Cookies) == 0 && !cfg.Authorization {
		return nil, errors.New("cookies: must name the session's cookie")
	}
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("url: must be a URL such as https://app.example.com/api/session")
	}
	client, err := clientFor(u, cfg.Timeout)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	good, err := lru.New[key, answer](maxSessions)
	if err != nil {
		return nil, fmt.Errorf("make the cache of sessions: %w", err)
	}
	bad, err := lru.New[key, answer](maxBad)
	if err != nil {
		return nil, fmt.Errorf("make the cache of bad credentials: %w", err)
	}
	return &Sessions{cfg: cfg, client: client, good: good, bad: bad, strangers: newStrangers()}, nil
}

// clientFor returns a client that reaches the application, which is often in the same network, and
// nothing else. It follows no redirects: they lead to a sign-in page.
func clientFor(u *url.URL, timeout time.Duration) (*http.Client, error) {
	policy := egress.Policy{
		Hosts: []string{u.Hostname()}, Private: []string{u.Hostname()}, MaxBytes: maxAnswer, Timeout: timeout,
		Fixed: true,
	}
	if port, err := strconv.Atoi(u.Port()); err == nil {
		policy.Ports = []int{port}
	}
	guard, err := egress.New(policy)
	if err != nil {
		return nil, err
	}
	client := *guard.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client, nil
}

// Authenticate implements auth.Authenticator.
func (s *Sessions) Authenticate(r *http.Request) (auth.Principal, error) {
	credentials, err := s.credentials(r)
	if err != nil {
		return auth.Principal{}, err
	}
	id := hashOf(credentials)
	for _, cache := range []*lru.Cache[key, answer]{s.good, s.bad} {
		if known, ok := cache.Get(id); ok && time.Now().Before(known.until) {
			return known.principal, known.err
		}
	}
	from := addressOf(r)
	done := s.flight.DoChan(string(id[:]), func() (any, error) { return s.askFor(from, id, credentials), nil })
	select {
	case result := <-done:
		a, _ := result.Val.(answer)
		return a.principal, a.err
	case <-r.Context().Done():
		return auth.Principal{}, auth.Unavailable(sessionMethod, "the application did not answer in time")
	}
}

// credentials returns the headers to send: only what the configuration names.
func (s *Sessions) credentials(r *http.Request) (http.Header, error) {
	out := make(http.Header)
	if s.cfg.Authorization {
		value, err := auth.Header(r, "Authorization")
		if err == nil {
			out.Set("Authorization", value)
		} else if !errors.Is(err, auth.ErrNoCredentials) {
			return nil, err
		}
	}
	if len(r.Header.Values("Cookie")) > 1 {
		return nil, auth.Refuse(sessionMethod, "the header Cookie stands there more than once")
	}
	var cookies []string
	for _, name := range s.cfg.Cookies {
		switch found := r.CookiesNamed(name); {
		case len(found) > 1:
			return nil, auth.Refuse(sessionMethod, "the cookie "+name+" stands there more than once")
		case len(found) == 1:
			cookies = append(cookies, found[0].String())
		}
	}
	if len(cookies) > 0 {
		out.Set("Cookie", strings.Join(cookies, "; "))
	}
	if len(out) == 0 {
		return nil, auth.ErrNoCredentials
	}
	return out, nil
}

func hashOf(credentials http.Header) key {
	h := sha256.New()
	for _, name := range []string{"Authorization", "Cookie"} {
		fmt.Fprintf(h, "%q\n", credentials.Get(name))
	}
	return key(h.Sum(nil))
}

// askFor asks on behalf of an address. About a session that was good it always does: whoever shares
// its user's address must not end it.
func (s *Sessions) askFor(from netip.Prefix, id key, credentials http.Header) answer {
	if s.good.Contains(id) {
		return s.ask(id, credentials)
	}
	if err := s.strangers.admit(from); err != nil {
		return answer{err: err}
	}
	a := s.ask(id, credentials)
	s.strangers.answered(from, a.err)
	return a
}

// ask asks the application. It belongs to no request, since others may wait for the same answer.
func (s *Sessions) ask(id key, credentials http.Header) answer {
	p, err := s.request(credentials)
	a := answer{p, err, time.Now().Add(s.cfg.CacheFor)}
	s.remember(id, a)
	return a
}

// remember caches an answer. That the application cannot be reached is none.
func (s *Sessions) remember(id key, a answer) {
	switch {
	case a.err == nil:
		s.good.Add(id, a)
	case !errors.Is(a.err, auth.ErrUnavailable):
		s.good.Remove(id)
		s.bad.Add(id, a)
	}
}

func (s *Sessions) request(credentials http.Header) (auth.Principal, error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.cfg.URL, nil)
	if err != nil {
		return auth.Principal{}, auth.Unavailable(sessionMethod, "the application's address is wrong")
	}
	req.Header = credentials.Clone()
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return auth.Principal{}, auth.Unavailable(sessionMethod, "ask the application: "+err.Error())
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return auth.Principal{}, auth.Unavailable(sessionMethod, "read the application's answer: "+err.Error())
	}
	switch status := resp.StatusCode; {
	case status >= 200 && status < 300:
		return s.principal(resp.Header, body)
	case status >= 300 && status < 400, status == http.StatusUnauthorized, status == http.StatusForbidden:
		return auth.Principal{}, auth.Refuse(sessionMethod,
			fmt.Sprintf("the application knows no such session (status %d)", status))
	}
	return auth.Principal{}, auth.Unavailable(sessionMethod,
		fmt.Sprintf("the application answered with status %d", resp.StatusCode))
}

// principal reads who the application says it is.
func (s *Sessions) principal(h http.Header, body []byte) (p auth.Principal, err error) {
	if s.cfg.FromHeaders {
		p, err = fromHeaders(h)
	} else if t, _, _ := mime.ParseMediaType(h.Get("Content-Type")); t != "application/json" {
		err = errors.New("it is not JSON")
	} else {
		p, err = s.cfg.Claims.Principal(body)
	}
	if err != nil {
		return auth.Principal{}, auth.Refuse(sessionMethod, "the application's answer: "+err.Error())
	}
	p.Method = sessionMethod
	return p, nil
}

func fromHeaders(h http.Header) (auth.Principal, error) {
	if len(h.Values(userHeader)) != 1 {
		return auth.Principal{}, errors.New("the header " + userHeader + " must be there once")
	}
	p := auth.Principal{Subject: h.Get(userHeader)}
	for group := range strings.SplitSeq(h.Get(groupsHeader), ",") {
		if group = strings.TrimSpace(group); group != "" && !slices.Contains(p.Roles, group) {
			p.Roles = append(p.Roles, group)
		}
	}
	return p, p.Check()
}

// CloseIdleConnections closes connections to the application that are not in use.
func (s *Sessions) CloseIdleConnections() { s.client.CloseIdleConnections() }
