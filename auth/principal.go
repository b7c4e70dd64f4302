package auth

import (
	"net/http"
	"slices"
	"time"
)

// Principal is an authenticated caller.
type Principal struct {
	Tenant  string    `json:"tenant,omitempty"`
	Subject string    `json:"subject"`
	Roles   []string  `json:"roles,omitempty"`
	Expires time.Time `json:"expires,omitzero"` // when the credentials end; zero means never
	// Method tells how the caller proved who it is, such as "oidc:https://id.example.com". It is
	// for the audit log and never a secret.
	Method string `json:"method,omitempty"`
}

// Local is the one principal of a server without authentication.
var Local = Principal{Subject: "local", Method: "none"}

// Has reports whether the principal has a role.
func (p Principal) Has(role string) bool { return slices.Contains(p.Roles, role) }

// Expired reports whether the principal's credentials have ended.
func (p Principal) Expired(now time.Time) bool { return !p.Expires.IsZero() && !now.Before(p.Expires) }

// Authenticator finds out who sent a request. Implementations are safe for concurrent use. The
// error says why there is no principal; it is logged and never sent to the caller.
type Authenticator interface {
	Authenticate(*http.Request) (Principal, error)
}

// Func is a function as an Authenticator.
type Func func(*http.Request) (Principal, error)

// Authenticate implements Authenticator.
func (f Func) Authenticate(r *http.Request) (Principal, error) { return f(r) }
