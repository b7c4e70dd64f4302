package server_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/policy"
)

// byRoles authenticates by a header: subject, then roles.
func byRoles(r *http.Request) (auth.Principal, error) {
	words := strings.Fields(r.Header.Get("X-Test"))
	if len(words) == 0 {
		return auth.Principal{}, errors.New("nobody")
	}
	return auth.Principal{Tenant: "acme", Subject: words[0], Roles: words[1:]}, nil
}

// permittedSite is a server whose callers are told apart.
type permittedSite struct{ *site }

// as makes a request as somebody and expects a status and texts in the answer; one that begins with
// ! must not be there.
func (s *permittedSite) as(who, method, path, body string, status int, want ...string) string {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, bytes.NewReader([]byte(body)))
	must(s.t, err)
	req.Header.Set("X-Test", who)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	must(s.t, err)
	defer resp.Body.Close()
	got := s.read(resp, status)
	for _, w := range want {
		if text, not := strings.CutPrefix(w, "!"); strings.Contains(got, text) == not {
			s.t.Errorf("%s as %s: %s: %q", method+" "+path, who, got, w)
		}
	}
	return got
}

func on(kind policy.Kind, names ...string) map[policy.Kind][]string {
	return map[policy.Kind][]string{kind: names}
}
