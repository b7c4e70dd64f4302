package auth_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pageside/pageside/auth"
)

// reads returns an authenticator for one header with one good value.
func reads(header string) auth.Authenticator {
	return auth.Func(func(r *http.Request) (auth.Principal, error) {
		value, err := auth.Header(r, header)
		if err == nil && value != "good" {
			err = auth.Refuse(header, "it is bad")
		}
		return auth.Principal{Subject: header}, err
	})
}

func TestFirst(t *testing.T) {
	first := auth.First(reads("A"), auth.RefuseBearer(), reads("B"))
	for _, test := range []struct{ headers, want string }{
		{"A=good", "A"}, {"B=good", "B"}, {"A=good B=good", "A"}, {"A=good B=bad", "A"},
		{"", "no credentials"}, {"C=good", "no credentials"},
		{"A=bad B=good", "it is bad"}, {"A= B=good", "empty"},
		{"Authorization=Bearer~x B=good", "no configured method"},
		{"Authorization=Basic~x B=good", "B"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		for pair := range strings.FieldsSeq(test.headers) {
			name, value, _ := strings.Cut(pair, "=")
			r.Header.Add(name, strings.ReplaceAll(value, "~", " "))
		}
		p, err := first.Authenticate(r)
		if err == nil && p.Subject != test.want || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q, %v; want %q", test.headers, p.Subject, err, test.want)
		}
	}
}

func TestHeader(t *testing.T) {
	for name, values := range map[string][]string{"twice": {"a", "b"}, "empty": {" "}, "long": {strings.Repeat("a", 20<<10)}, "control": {"a\x00"}} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header["X"] = values
		if _, err := auth.Header(r, "X"); err == nil || errors.Is(err, auth.ErrNoCredentials) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
