package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/visible"
)

// Limits on fetching keys.
const (
	maxDocument  = 1 << 20          // bytes of a discovery document, or of a set of keys
	fetchTimeout = 8 * time.Second  // for both
	maxAge       = time.Hour        // a key that the issuer withdrew is accepted that long
	maxStale     = 24 * time.Hour   // the same, while the issuer cannot be reached
	retryAfter   = 10 * time.Second // after a failure, or for an unknown id
	fetchEvery   = time.Second      // on average between two fetches, whatever ids tokens name
	atOnce       = 5                // fetches
	maxUnknown   = 256              // ids that are remembered
)

// keys are the keys of one issuer, by their ids. They are never shared between issuers: equal ids
// of two are two keys. It is a key set in go-oidc's sense; unlike the one that comes with it, it
// lets strangers cause one fetch a second instead of one for each bad token, and forgets keys
// that the issuer withdrew. Tokens of a new key wait for the next fetch: no stranger's can have
// them refused.
type keys struct {
	issuer  string
	url     string // "" is discovered
	get     func(context.Context) ([]jose.JSONWebKey, error)
	flight  singleflight.Group
	fetches *rate.Limiter

	mu      sync.Mutex
	set     []jose.JSONWebKey
	fetched time.Time            // when set was
	tried   time.Time            // when the last fetch began
	failed  error                // of that fetch
	unknown map[string]time.Time // when the issuer did not know an id
}

func newKeys(issuer, url string) *keys {
	k := &keys{
		issuer: issuer, url: url, fetches: rate.NewLimiter(rate.Every(fetchEvery), atOnce),
		unknown: map[string]time.Time{},
	}
	k.get = k.download
	return k
}

// failure is the context key of the place where VerifySignature leaves its error: go-oidc keeps
// only its text.
type failure struct{}

func withFailure(ctx context.Context, to *error) context.Context {
	return context.WithValue(ctx, failure{}, to)
}

// VerifySignature implements go-oidc's KeySet. The token's algorithm has been checked.
func (k *keys) VerifySignature(ctx context.Context, raw string) ([]byte, error) {
	payload, err := k.verify(ctx, raw)
	if to, ok := ctx.Value(failure{}).(*error); ok {
		*to = err
	}
	return payload, err
}

func (k *keys) verify(ctx context.Context, raw string) ([]byte, error) {
	var algs []jose.SignatureAlgorithm
	for _, alg := range Algorithms {
		algs = append(algs, jose.SignatureAlgorithm(alg))
	}
	jws, err := jose.ParseSignedCompact(raw, algs)
	if err != nil {
		return nil, k.refuse("the token cannot be read")
	}
	header := jws.Signatures[0].Header
	key, err := k.find(ctx, header.KeyID, header.Algorithm)
	if err != nil {
		return nil, err
	}
	payload, err := jws.Verify(key)
	if err != nil {
		return nil, k.refuse("the token's signature is wrong")
	}
	return payload, nil
}

func (k *keys) refuse(reason string) error { return auth.Refuse("oidc:"+k.issuer, reason) }

// find returns the key with an id. It fetches the keys if it does not know that id, or if they are
// old. While fetching fails, requests with a key that is merely old do not wait for it.
func (k *keys) find(ctx context.Context, id, alg string) (*jose.JSONWebKey, error) {
	known, age := k.pick(id, alg)
	switch {
	case known != nil && age < maxAge:
		return known, nil
	case known != nil && age < maxStale && k.failing():
		k.begin() // in the background
		return known, nil
	}
	if known == nil && k.isUnknown(id) {
		return nil, k.refuse("the token's key is not one of the issuer's")
	}
	err := k.refresh(ctx)
	if found, age := k.pick(id, alg); found != nil && age < maxStale {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	k.noteUnknown(id)
	return nil, k.refuse("the token's key is not one of the issuer's")
}

// isUnknown reports whether the issuer did not know an id a moment ago.
func (k *keys) isUnknown(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return time.Since(k.unknown[id]) < retryAfter
}

func (k *keys) noteUnknown(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.unknown) >= maxUnknown {
		clear(k.unknown)
	}
	k.unknown[id] = time.Now()
}

// pick returns a key, or nil, and the age of the set. A token without a key's id is only accepted
// if a single key fits.
func (k *keys) pick(id, alg string) (found *jose.JSONWebKey, age time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.set {
		key := &k.set[i]
		if id != "" && key.KeyID != id || !fits(key, alg) {
			continue
		}
		if found != nil {
			return nil, 0
		}
		found = key
	}
	return found, time.Since(k.fetched)
}

// failing reports whether the last fetch failed.
func (k *keys) failing() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.failed != nil
}

// refresh waits until the keys are fetched.
func (k *keys) refresh(ctx context.Context) error {
	select {
	case result := <-k.begin():
		return result.Err
	case <-ctx.Done():
		return auth.Unavailable("oidc:"+k.issuer, "the issuer's keys did not arrive in time")
	}
}

// begin fetches the keys as soon as it may, unless that has failed a moment ago: then the result is
// that one's.
func (k *keys) begin() <-chan singleflight.Result {
	return k.flight.DoChan("", func() (any, error) {
		k.mu.Lock()
		recent, failed := time.Since(k.tried) < retryAfter, k.failed
		k.mu.Unlock()
		if recent && failed != nil {
			return nil, failed
		}
		_ = k.fetches.Wait(context.Background()) // fails only with its context
		return nil, k.fetch()
	})
}

// fetch replaces the keys. It belongs to no request, so that none can end it for the others.
func (k *keys) fetch() error {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	began := time.Now()
	set, err := k.get(ctx)
	if err != nil {
		err = auth.Unavailable("oidc:"+k.issuer, "fetch the issuer's keys: "+short(err))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tried, k.failed = began, err; err == nil {
		k.set, k.fetched = set, began
	}
	return err
}

// short returns the beginning of an error: go-oidc's may quote a whole document.
func short(err error) string {
	text := visible.Clip(strings.ToValidUTF8(err.Error(), ""), 300)
	return strings.Join(strings.Fields(text), " ")
}

func (k *keys) download(ctx context.Context) ([]jose.JSONWebKey, error) {
	at := k.url
	if at == "" {
		var err error
		if at, err = k.discover(ctx); err != nil {
			return nil, err
		}
	}
	// keys may be on another host than the issuer, but then on a public one
	client, err := clientFor(at, k.url != "" || hostOf(at) == hostOf(k.issuer))
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered with status %d", at, resp.StatusCode)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", at, err)
	}
	return parseKeys(body)
}

// discover asks the issuer where its keys are.
func (k *keys) discover(ctx context.Context) (string, error) {
	client, err := clientFor(k.issuer, true)
	if err != nil {
		return "", err
	}
	defer client.CloseIdleConnections()
	provider, err := gooidc.NewProvider(gooidc.ClientContext(ctx, client), k.issuer)
	if err != nil {
		return "", err
	}
	var document struct {
		JWKSURL string `json:"jwks_uri"`
	}
	if err := provider.Claims(&document); err != nil {
		return "", err
	}
	if err := CheckURL(document.JWKSURL); err != nil {
		return "", fmt.Errorf("jwks_uri of the discovery document: %w", err)
	}
	return document.JWKSURL, nil
}

// parseKeys reads a JSON Web Key Set. It skips keys that cannot check a signature.
func parseKeys(raw []byte) ([]jose.JSONWebKey, error) {
	var document struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(raw, &document) != nil {
		return nil, errors.New("the document is not a set of keys")
	}
	var set []jose.JSONWebKey
	for _, each := range document.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(each) == nil && key.Valid() && key.IsPublic() && (key.Use == "" || key.Use == "sig") {
			set = append(set, key)
		}
	}
	if len(set) == 0 {
		return nil, errors.New("the document has no key that could check a signature")
	}
	return set, nil
}

// clientFor returns a client that reaches only the host of a URL. It may be a host of a private
// network if the operator named it.
func clientFor(raw string, private bool) (*http.Client, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	policy := egress.Policy{
		Hosts: []string{u.Hostname()}, Ports: []int{portOf(u)}, MaxBytes: maxDocument, Timeout: fetchTimeout,
		Fixed: true,
	}
	if private {
		policy.Private = policy.Hosts
	}
	guard, err := egress.New(policy)
	if err != nil {
		return nil, err
	}
	return guard.Client(), nil
}

func portOf(u *url.URL) int {
	if port, err := strconv.Atoi(u.Port()); err == nil {
		return port
	}
	if u.Scheme == "http" {
		return 80
	}
	return 443
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
