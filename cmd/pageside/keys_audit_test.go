package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// keyEntries returns the entries about keys in a store, as decision, subject of the key and method.
func keyEntries(t *testing.T, store string) (list []string) {
	t.Helper()
	out := must.Get(printed(t, nil, "audit", "export", "--store", store))(t)
	for line := range strings.Lines(out) {
		row := must.JSON[struct {
			Tenant string
			Entry  struct{ Kind, Decision, Method, Detail, Tool string }
		}](t, line)
		if e := row.Entry; e.Kind == "key" && strings.HasPrefix(e.Tool, "apikey ") {
			for_, _, _ := strings.Cut(strings.TrimPrefix(e.Detail, "for "), ",")
			list = append(list, row.Tenant+": "+e.Decision+" "+for_+" by "+e.Method)
		}
	}
	return list
}

// TestKeysAreAudited: a key that is made or revoked is in the audit log of its tenant, whether a
// server runs or not; the key itself is not.
func TestKeysAreAudited(t *testing.T) {
	file, store := guidedFile(t, "apiKeys:"), newStore(t)
	keys := func(want string, args ...string) string {
		t.Helper()
		var stdout, stderr strings.Builder
		args = append(append([]string{"keys"}, args...), "--config", file, "--store", store)
		must.Do(t, run(t.Context(), args, environment(nil), &stdout, &stderr))
		must.Have(t, stderr.String(), want, "%v says", args)
		return strings.TrimSpace(stdout.String())
	}
	idOf := func(key string) string { return strings.Split(key, "_")[1] }
	first := keys("There is no store yet", "create", "--subject", "first", "--tenant", "acme")
	s := servingIn(t, nil, "serve", "--config", file, "--store", store)
	second := keys("A server has the store open", "create", "--subject", "second", "--tenant", "acme")
	keys("A server has the store open", "revoke", idOf(first))
	eventually(t, func() bool { return len(keyEntries(t, store)) == 2 },
		func() string { return "the server has recorded no keys" })
	s.ends()
	keys("", "revoke", idOf(second))
	got := keyEntries(t, store)
	slices.Sort(got[:2]) // the server sees both at once
	must.Be(t, strings.Join(got, "\n"), "acme: given second by server\nacme: revoked first by server\n"+
		"acme: revoked second by command line", "the log")
	secret := strings.Split(second, "_")[2]
	has(t, must.Get(printed(t, nil, "audit", "export", "--store", store))(t), "!"+secret)
	must.Be(t, must.Err(printed(t, nil, "audit", "verify", "--store", store)), nil, "the log")
}
