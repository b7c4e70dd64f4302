package apikey_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pageside/pageside/auth/apikey"
	"github.com/pageside/pageside/test/must"
)

func ids(keys []apikey.Key) (list []string) {
	for _, k := range keys {
		list = append(list, k.ID)
	}
	return list
}

// TestChanges: each key is told once when it is made and once when it ends, and those that were
// there before are not told.
func TestChanges(t *testing.T) {
	file := apikey.File(filepath.Join(t.TempDir(), "keys.json"))
	create := func() apikey.Key {
		k, _, err := file.Create(apikey.Key{Subject: "ci"})
		must.Do(t, err)
		return k
	}
	old := create()
	c := apikey.NewChanges(file)
	want := func(made, revoked int) {
		t.Helper()
		m, r, err := c.Next()
		if err != nil || len(m) != made || len(r) != revoked {
			t.Fatalf("made %q, revoked %q, %v; want %d and %d", ids(m), ids(r), err, made, revoked)
		}
	}
	want(0, 0)
	create()
	want(1, 0)
	want(0, 0)
	must.Get(file.Revoke(old.ID))(t)
	want(0, 1)
	must.Get(file.Revoke(create().ID))(t)
	want(1, 1)
	must.Do(t, os.WriteFile(string(file), []byte(`{`), 0o600))
	if _, _, err := c.Next(); err == nil {
		t.Error("a file that cannot be read is no error")
	}
	must.Do(t, os.Remove(string(file)))
	want(0, 1) // the one that was not revoked
}
