package apikey

import (
	"crypto/subtle"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/pageside/pageside/auth"
)

// headerName is where a key may be, besides Authorization.
const headerName = "X-API-Key"

// lookEvery is how often the file is looked at: so long a revoked key is accepted.
const lookEvery = time.Second

// Keys is an auth.Authenticator for the keys of a file.
type Keys struct {
	file File

	mu     sync.Mutex
	looked time.Time
	info   fs.FileInfo // of the file as it was read; nil if there was none
	byID   map[string]Key
	err    error // of reading it
}

// New returns the authenticator for a file, which may not exist yet.
func New(file File) *Keys { return &Keys{file: file} }

// Authenticate implements auth.Authenticator.
func (k *Keys) Authenticate(r *http.Request) (auth.Principal, error) {
	secret, err := keyOf(r)
	if err != nil {
		return auth.Principal{}, err
	}
	found, err := k.find(idOf(secret))
	if err != nil {
		return auth.Principal{}, auth.Unavailable("apikey", err.Error())
	}
	switch now := time.Now(); {
	case subtle.ConstantTimeCompare([]byte(hashOf(secret)), []byte(found.Hash)) != 1:
		return auth.Principal{}, auth.Refuse("apikey", "there is no such key")
	case !found.Revoked.IsZero():
		return auth.Principal{}, auth.Refuse("apikey:"+found.ID, "the key is revoked")
	case !found.Valid(now):
		return auth.Principal{}, auth.Refuse("apikey:"+found.ID, "the key has expired")
	}
	return found.principal(), nil
}

// keyOf returns the key in a request. Two headers with keys are refused.
func keyOf(r *http.Request) (string, error) {
	token, err := auth.Bearer(r)
	hasBearer := !errors.Is(err, auth.ErrNoCredentials)
	if len(r.Header.Values(headerName)) > 0 {
		if hasBearer {
			return "", auth.Refuse("apikey", "the request has both a Bearer token and "+headerName)
		}
		return auth.Header(r, headerName)
	}
	if err == nil && !strings.HasPrefix(token, prefix) {
		err = auth.ErrNoCredentials // a token of another kind
	}
	return token, err
}

// idOf returns the id in a key, or "".
func idOf(secret string) string {
	id, _, found := strings.Cut(strings.TrimPrefix(secret, prefix), "_")
	if !found {
		return ""
	}
	return id
}

// find returns the key with an id, or the zero Key.
func (k *Keys) find(id string) (Key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := time.Now(); now.Sub(k.looked) >= lookEvery || now.Before(k.looked) {
		k.looked = now
		k.look()
	}
	return k.byID[id], k.err
}

// look reads the file if it has changed. Requires k.mu.
func (k *Keys) look() {
	info, err := os.Stat(string(k.file))
	if err != nil {
		info = nil // read will tell whether that is an error
	}
	if k.err == nil && k.byID != nil && same(k.info, info) {
		return
	}
	list, err := k.file.List()
	k.info, k.err, k.byID = info, err, make(map[string]Key, len(list))
	for _, each := range list {
		k.byID[each.ID] = each
	}
}

// same reports whether two looks saw the same content. Commands replace the file, so that even a
// change within the clock of the file system is another file.
func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size() && a.Mode() == b.Mode()
}
