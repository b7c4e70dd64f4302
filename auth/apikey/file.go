package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/strict"
	"github.com/pageside/pageside/internal/wholefile"
)

// File is the path of a file with keys. Only its owner can read and write it.
type File string

// Key is what the file holds of a key: all but the key itself.
type Key struct {
	ID      string    `json:"id"`
	Hash    string    `json:"hash"` // SHA-256 of the key, which is too random to be guessed
	Tenant  string    `json:"tenant,omitempty"`
	Subject string    `json:"subject"`
	Roles   []string  `json:"roles,omitempty"`
	Note    string    `json:"note,omitempty"` // for people
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero means never
	Revoked time.Time `json:"revoked,omitzero"` // zero means that it is not
}

// document is the content of a file.
type document struct {
	Keys []Key `json:"keys"`
}

// prefix marks a key, so that scanners find one that leaked and no other token is taken for one.
const prefix = "pgs_"

// idLength is the length of a key's id, which follows the prefix.
const idLength = 10

// principal returns who a key's owner is.
func (k Key) principal() auth.Principal {
	return auth.Principal{
		Tenant: k.Tenant, Subject: k.Subject, Roles: k.Roles, Expires: k.Expires, Method: "apikey:" + k.ID,
	}
}

// Valid reports whether a key is good at a time.
func (k Key) Valid(now time.Time) bool {
	return k.Revoked.IsZero() && (k.Expires.IsZero() || now.Before(k.Expires))
}

// ErrUnknown means that there is no key with an id.
var ErrUnknown = errors.New("there is no key with this id")

// List returns the keys, the newest last. A file that does not exist has none.
func (f File) List() ([]Key, error) {
	d, err := f.read()
	return d.Keys, err
}

// Create adds a key with a new id. It returns the key's text too, which is stored nowhere.
func (f File) Create(k Key) (made Key, secret string, err error) {
	if err := k.principal().Check(); err != nil {
		return Key{}, "", fmt.Errorf("make a key: %w", err)
	}
	if !auth.Printable(k.Note) {
		return Key{}, "", errors.New("make a key: the note has control characters")
	}
	k.ID = strings.ToLower(rand.Text())[:idLength]
	secret = prefix + k.ID + "_" + rand.Text() + rand.Text() // 256 bits
	k.Hash, k.Created, k.Revoked = hashOf(secret), time.Now().UTC().Truncate(time.Second), time.Time{}
	err = f.change(func(d *document) error {
		d.Keys = append(d.Keys, k)
		return nil
	})
	return k, secret, err
}

// Revoke ends a key. It stays in the list.
func (f File) Revoke(id string) (revoked Key, err error) {
	err = f.change(func(d *document) error {
		i := slices.IndexFunc(d.Keys, func(k Key) bool { return k.ID == id })
		if i < 0 {
			return fmt.Errorf("revoke %q: %w", id, ErrUnknown)
		}
		if d.Keys[i].Revoked.IsZero() {
			d.Keys[i].Revoked = time.Now().UTC().Truncate(time.Second)
		}
		revoked = d.Keys[i]
		return nil
	})
	return revoked, err
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func (f File) read() (d document, err error) {
	raw, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return d, fmt.Errorf("read the keys: %w", err)
	}
	if err := strict.Decode(raw, &d); err != nil {
		return document{}, fmt.Errorf("read the keys in %s: %w", f, err)
	}
	return d, f.check(d)
}

// check refuses a file that others may write: they could make themselves anybody.
func (f File) check(d document) error {
	info, err := os.Stat(string(f))
	if err != nil {
		return fmt.Errorf("read the keys: %w", err)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("read the keys: others may write %s; chmod 600 makes it yours alone", f)
	}
	for i, k := range d.Keys {
		if err := k.principal().Check(); err != nil || k.ID == "" || len(k.Hash) != 2*sha256.Size {
			return fmt.Errorf("read the keys in %s: keys[%d] is not a key", f, i)
		}
	}
	return nil
}

// change reads the file, changes its content and replaces it: a reader sees it before or after.
func (f File) change(how func(*document) error) error {
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	d, err := f.read()
	if err != nil {
		return err
	}
	if err := how(&d); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("write the keys: %w", err)
	}
	if err := wholefile.Write(string(f), append(raw, '\n')); err != nil {
		return fmt.Errorf("write the keys: %w", err)
	}
	return nil
}

// How long a command waits for another that changes the file.
const (
	lockWait = 5 * time.Second
	lockStep = 20 * time.Millisecond
)

// lock keeps other processes from changing the file. A lock that a killed process left behind is
// named in the error.
func (f File) lock() (unlock func(), err error) {
	name := string(f) + ".lock"
	for until := time.Now().Add(lockWait); ; time.Sleep(lockStep) {
		held, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return func() { _ = errors.Join(held.Close(), os.Remove(name)) }, nil // best effort
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock the keys: %w", err)
		}
		if time.Now().After(until) {
			return nil, fmt.Errorf("lock the keys: another command is changing them; if none is, delete %s", name)
		}
	}
}
