package oidc

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/test/must"
)

// A key that the issuer has withdrawn is accepted for an hour; while the issuer cannot be reached,
// for a day.
func TestWithdrawnKeys(t *testing.T) {
	public, _, err := ed25519.GenerateKey(nil)
	must.Do(t, err)
	var id, status atomic.Value
	id.Store("old")
	status.Store(http.StatusOK)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status.Load().(int))
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: id.Load().(string)}}})
	}))
	defer srv.Close()
	k := newKeys(srv.URL, srv.URL)
	find := func(id string) error { _, err := k.find(context.Background(), id, "EdDSA"); return err }
	older := func(by time.Duration) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.fetched, k.tried = k.fetched.Add(-by), k.tried.Add(-by)
	}
	must.Do(t, find("old"))
	id.Store("new")
	must.Be(t, find("old"), nil, "at once")
	must.Be(t, find("new"), nil, "a key that is new")
	if err := find("old"); err == nil || errors.Is(err, auth.ErrUnavailable) {
		t.Errorf("the withdrawn key: %v", err)
	}
	older(maxAge)
	status.Store(http.StatusInternalServerError)
	must.Be(t, find("new"), nil, "the issuer is down for an hour")
	older(maxStale)
	must.FailWith(t, find("new"), auth.ErrUnavailable, "the issuer is down for a day")
}

// A stranger can neither have the keys fetched more than once a second, nor keep tokens of a new
// key out meanwhile.
func TestStrangersWhileKeysRotate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		public, _, err := ed25519.GenerateKey(nil)
		must.Do(t, err)
		var id atomic.Value
		id.Store("old")
		var fetches atomic.Int32
		k := newKeys("https://issuer.example", "")
		k.get = func(context.Context) ([]jose.JSONWebKey, error) {
			fetches.Add(1)
			return []jose.JSONWebKey{{Key: public, KeyID: id.Load().(string)}}, nil
		}
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		for range 20 { // strangers
			go func() {
				for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
					must.Fail(t, must.Err(k.find(ctx, rand.Text(), "EdDSA")), "", "a stranger's key")
				}
			}()
		}
		time.Sleep(20*time.Second + fetchEvery/2)
		id.Store("new")
		began := time.Now()
		for range 3 {
			go func() {
				if _, err := k.find(ctx, "new", "EdDSA"); err != nil || time.Since(began) > fetchEvery {
					t.Errorf("a token of the new key, after %v: %v", time.Since(began), err)
				}
			}()
		}
		time.Sleep(20 * time.Second)
		leave()
		time.Sleep(fetchEvery) // the last fetch
		synctest.Wait()
		if n := fetches.Load(); n > 42+atOnce {
			t.Errorf("the keys were fetched %d times in 42 s", n)
		}
	})
}

// An id that the issuer does not know is asked for once in a while, however often tokens name it.
func TestUnknownKeysAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetches := 0
		k := newKeys("https://issuer.example", "")
		k.get = func(context.Context) ([]jose.JSONWebKey, error) { fetches++; return nil, nil }
		for want := range 3 {
			for range 100 {
				if _, err := k.find(t.Context(), "withdrawn", "EdDSA"); err == nil {
					t.Fatal("accepted")
				}
			}
			must.Be(t, fetches, want+1, "fetches after %d times 10 s", want)
			time.Sleep(retryAfter)
		}
		for range 3 * maxUnknown {
			k.noteUnknown(rand.Text())
		}
		if len(k.unknown) > maxUnknown {
			t.Errorf("%d ids are remembered", len(k.unknown))
		}
	})
}

// While the issuer hangs, requests whose keys are known do not wait for it.
func TestIssuerHangs(t *testing.T) {
	public, _, err := ed25519.GenerateKey(nil)
	must.Do(t, err)
	asked, release := make(chan struct{}, 1), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-release
	}))
	defer srv.Close()
	defer close(release)
	k := newKeys(srv.URL, srv.URL)
	k.set, k.fetched = []jose.JSONWebKey{{Key: public, KeyID: "1"}}, time.Now().Add(-maxAge)
	k.failed = auth.Unavailable("oidc", "it did not answer")
	for range 2 {
		must.Get(k.find(t.Context(), "1", "EdDSA"))(t)
	}
	<-asked // in the background
	if k.mu.Lock(); !k.tried.IsZero() {
		t.Error("a request waited until the fetch had failed")
	}
	k.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.FailWith(t, must.Err(k.find(ctx, "2", "EdDSA")), auth.ErrUnavailable, "an unknown key")
}

// A token without a key's id is not tried with one key after the other.
func TestKeysWithoutIDs(t *testing.T) {
	one, _, err := ed25519.GenerateKey(nil)
	must.Do(t, err)
	two, _, err := ed25519.GenerateKey(nil)
	must.Do(t, err)
	k := &keys{set: []jose.JSONWebKey{{Key: one, KeyID: "1"}, {Key: two, KeyID: "2"}}, fetched: time.Now()}
	if found, _ := k.pick("", "EdDSA"); found != nil {
		t.Error("one of two keys was picked")
	}
	if found, _ := k.pick("2", "EdDSA"); found == nil || found.KeyID != "2" {
		t.Error("a key was not found by its id")
	}
	if found, _ := k.pick("2", "RS256"); found != nil {
		t.Error("a key of another kind was picked")
	}
}

// Keys for encryption and private ones, which should be nobody's but the issuer's, check nothing.
func TestKeysOfOtherUses(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	must.Do(t, err)
	good := jose.JSONWebKey{Key: public, KeyID: "good", Use: "sig"}
	for name, key := range map[string]jose.JSONWebKey{
		"for encryption": {Key: public, KeyID: "bad", Use: "enc"},
		"private":        {Key: private, KeyID: "bad"},
	} {
		raw := must.Get(json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key, good}}))(t)
		if set, err := parseKeys(raw); err != nil || len(set) != 1 || set[0].KeyID != "good" {
			t.Errorf("%s: %+v, %v", name, set, err)
		}
	}
}

// What a discovery document names is the issuer's word, not the operator's: keys come by https, and
// from a private host only if that is the issuer's own.
func TestDiscoveredKeysElsewhere(t *testing.T) {
	public, _, err := ed25519.GenerateKey(nil)
	must.Do(t, err)
	var at atomic.Value
	var fetched atomic.Int32
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	defer srv.Close()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": srv.URL, "jwks_uri": at.Load()})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: "1"}}})
	})
	own, elsewhere := srv.URL+"/keys", strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)+"/keys"
	for _, test := range []struct{ at, want string }{
		{"http://keys.example.com/keys", "must be https"},
		{elsewhere, "localhost"},
		{own, ""},
	} {
		at.Store(test.at)
		k := newKeys(srv.URL, "")
		_, err := k.find(t.Context(), "1", "EdDSA")
		if k.failed != nil {
			err = k.failed
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || (fetched.Load() > 0) != (err == nil) {
			t.Errorf("%s: %v, want %q; %d fetches", test.at, err, test.want, fetched.Load())
		}
	}
}
