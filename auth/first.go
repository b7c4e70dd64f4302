package auth

import (
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrNoCredentials means that a request has no credentials of the kind that an Authenticator reads.
// It says nothing about other kinds.
var ErrNoCredentials = errors.New("the request has no credentials")

// ErrUnavailable means that credentials could not be checked, since something they are checked with
// did not answer. It says nothing about the credentials.
var ErrUnavailable = errors.New("the credentials cannot be checked at the moment")

// ErrTooMany means that credentials were not checked, since too many bad ones came from the same
// address. It says nothing about the credentials.
var ErrTooMany = errors.New("too many bad credentials came from this address")

// Leeway is how far the clocks of two machines may be apart when times in credentials are compared.
const Leeway = 60 * time.Second

// First tries each authenticator in turn. The first that finds credentials of its kind decides: if
// they are bad, no credentials of another kind make up for them.
func First(all ...Authenticator) Authenticator {
	return Func(func(r *http.Request) (Principal, error) {
		for _, a := range all {
			if p, err := a.Authenticate(r); !errors.Is(err, ErrNoCredentials) {
				return p, err
			}
		}
		return Principal{}, ErrNoCredentials
	})
}

// RefuseBearer refuses requests that have a Bearer token. It stands in First behind the
// authenticators that read tokens, and before those that read something else.
func RefuseBearer() Authenticator {
	return Func(func(r *http.Request) (Principal, error) {
		_, err := Bearer(r)
		if err == nil {
			err = Refuse("bearer", "no configured method reads this token")
		}
		return Principal{}, err
	})
}

// Error is why credentials were refused. It never holds them, nor a part of them.
type Error struct {
	Method string // what refused them, such as "oidc"
	Reason string
	Err    error         // may be nil
	Retry  time.Duration // wait before the next try, if Err is ErrTooMany
}

func (e *Error) Error() string { return e.Method + ": " + e.Reason }
func (e *Error) Unwrap() error { return e.Err }

// Refuse returns an Error.
func Refuse(method, reason string) error { return &Error{Method: method, Reason: reason} }

// Unavailable returns an Error that is ErrUnavailable.
func Unavailable(method, reason string) error {
	return &Error{Method: method, Reason: reason, Err: ErrUnavailable}
}

// TooMany returns an Error that is ErrTooMany.
func TooMany(method, reason string, retry time.Duration) error {
	return &Error{Method: method, Reason: reason, Err: ErrTooMany, Retry: retry}
}

// maxHeader is the longest credential header, in bytes. Tokens with many groups take kilobytes.
const maxHeader = 16 << 10

// Header returns the value of a header that holds credentials, or ErrNoCredentials if there is
// none. All methods read their headers with it: one that stands there twice, is empty, too long or
// holds control characters is refused, since a proxy may have read it differently.
func Header(r *http.Request, name string) (string, error) {
	values := r.Header.Values(name)
	switch {
	case len(values) == 0:
		return "", ErrNoCredentials
	case len(values) > 1:
		return "", Refuse("header", "the header "+name+" stands there more than once")
	case strings.TrimSpace(values[0]) == "":
		return "", Refuse("header", "the header "+name+" is empty")
	case len(values[0]) > maxHeader:
		return "", Refuse("header", "the header "+name+" is too long")
	case !Printable(values[0]):
		return "", Refuse("header", "the header "+name+" has control characters")
	}
	return values[0], nil
}

// Printable reports whether a text is free of control characters.
func Printable(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < 0x20 || c == 0x7f })
}

// Bearer returns the token of a header "Authorization: Bearer …". Other schemes are not for
// Pageside: a proxy before it may ask for them.
func Bearer(r *http.Request) (string, error) {
	value, err := Header(r, "Authorization")
	if err != nil {
		return "", err
	}
	scheme, token, _ := strings.Cut(value, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", ErrNoCredentials
	}
	if token == "" || strings.ContainsAny(token, " ,") {
		return "", Refuse("bearer", "the header Authorization must be Bearer and one token")
	}
	return token, nil
}

// maxName is the longest tenant, subject or role, in bytes.
const maxName = 256

// Check reports an error unless the principal has a subject, and all its names can be stored,
// logged and compared.
func (p Principal) Check() error {
	if p.Subject == "" {
		return errors.New("the subject is empty")
	}
	for _, name := range append([]string{p.Tenant, p.Subject}, p.Roles...) {
		if len(name) > maxName {
			return errors.New("a tenant, subject or role is too long")
		}
		if !Printable(name) {
			return errors.New("a tenant, subject or role has control characters")
		}
		if !utf8.ValidString(name) {
			return errors.New("a tenant, subject or role is not UTF-8")
		}
	}
	return nil
}
