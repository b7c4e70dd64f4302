package apikey_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/apikey"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/test/must"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func newFile(t *testing.T) apikey.File { return apikey.File(filepath.Join(t.TempDir(), "keys.json")) }

func create(t *testing.T, f apikey.File, k apikey.Key) (apikey.Key, string) {
	t.Helper()
	made, secret, err := f.Create(k)
	must.Do(t, err)
	return made, secret
}

func request(header, value string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/v1/agents", nil)
	if header != "" {
		r.Header.Set(header, value)
	}
	return r
}

func TestKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := newFile(t)
		keys := apikey.New(file)
		ask := func(secret string) (auth.Principal, error) {
			return keys.Authenticate(request("Authorization", "Bearer "+secret))
		}
		if _, err := ask("pgs_nobody_x"); err == nil || errors.Is(err, auth.ErrUnavailable) {
			t.Errorf("without a file: %v", err)
		}
		made, secret := create(t, file, apikey.Key{Subject: "billing", Tenant: "acme", Roles: []string{"reader"}, Expires: time.Now().Add(time.Hour)})
		_, other := create(t, file, apikey.Key{Subject: "other"})
		time.Sleep(2 * time.Second) // a running server sees changes within seconds
		who, err := ask(secret)
		if err != nil || who.Subject != "billing" || who.Tenant != "acme" || !who.Has("reader") || !who.Expires.Equal(made.Expires) || who.Method != "apikey:"+made.ID {
			t.Fatalf("%+v, %v", who, err)
		}
		must.Be(t, must.Get(keys.Authenticate(request("X-API-Key", secret)))(t).Subject, "billing", "X-API-Key")
		for name, bad := range map[string]string{"shortened": secret[:len(secret)-1], "longer": secret + "A", "the id alone": "pgs_" + made.ID + "_", "another's id": other[:15] + secret[15:]} {
			if _, err := ask(bad); err == nil || errors.Is(err, auth.ErrNoCredentials) || strings.Contains(err.Error(), bad) {
				t.Errorf("%s: %v", name, err)
			}
		}
		must.Get(file.Revoke(made.ID))(t)
		time.Sleep(2 * time.Second)
		must.Fail(t, must.Err(ask(secret)), "revoked", "revoked")
		must.Be(t, must.Err(ask(other)), nil, "another key")
	})
}

func TestExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := newFile(t)
		_, secret := create(t, file, apikey.Key{Subject: "a", Expires: time.Now().Add(time.Minute)})
		keys := apikey.New(file)
		must.Get(keys.Authenticate(request("X-API-Key", secret)))(t)
		time.Sleep(time.Minute)
		must.Fail(t, must.Err(keys.Authenticate(request("X-API-Key", secret))), "expired", "a minute later")
	})
}

func TestOtherCredentials(t *testing.T) {
	keys := apikey.New(newFile(t))
	for _, r := range []*http.Request{request("", ""), request("Authorization", "Bearer eyJ.a.b"), request("Authorization", "Basic YTpi")} {
		must.FailWith(t, must.Err(keys.Authenticate(r)), auth.ErrNoCredentials, "%v", r.Header)
	}
	both := request("X-API-Key", "pgs_a_b")
	both.Header.Set("Authorization", "Bearer eyJ.a.b")
	twice := request("X-API-Key", "pgs_a_b")
	twice.Header.Add("X-API-Key", "pgs_c_d")
	for _, r := range []*http.Request{both, twice, request("X-API-Key", "")} {
		if _, err := keys.Authenticate(r); err == nil || errors.Is(err, auth.ErrNoCredentials) {
			t.Errorf("%v: %v", r.Header, err)
		}
	}
}

func TestFile(t *testing.T) {
	file := newFile(t)
	made, secret := create(t, file, apikey.Key{Subject: "a"})
	raw, err := os.ReadFile(string(file))
	if err != nil || strings.Contains(string(raw), secret) || strings.Contains(string(raw), secret[15:]) || !strings.Contains(string(raw), made.ID) {
		t.Errorf("the file: %s, %v", raw, err)
	}
	info, err := os.Stat(string(file))
	must.Do(t, err)
	must.Be(t, info.Mode().Perm(), 0o600, "its mode")
	if left, _ := filepath.Glob(string(file) + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := file.Revoke("nobody"); !errors.Is(err, apikey.ErrUnknown) {
		t.Errorf("%v", err)
	}
	for _, bad := range []apikey.Key{{}, {Subject: "a\nb"}, {Subject: "a", Note: "\x1b[2J"}, {Subject: strings.Repeat("a", 300)}} {
		if _, _, err := file.Create(bad); err == nil {
			t.Errorf("%+v was made", bad)
		}
	}
	must.Do(t, os.Chmod(string(file), 0o666))
	if _, err := apikey.New(file).Authenticate(request("X-API-Key", secret)); !errors.Is(err, auth.ErrUnavailable) || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that all may write: %v", err)
	}
}

// Commands that run at the same time lose no key.
func TestParallelCommands(t *testing.T) {
	file := newFile(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, _, err := file.Create(apikey.Key{Subject: "a"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	must.Be(t, len(must.Get(file.List())(t)), 16, "keys")
}
