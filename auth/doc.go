// Package auth says who asks.
//
//	principal, err := authenticator.Authenticate(request)
//
// A Principal is what the rest of Pageside knows of a caller: whose data it may see (tenant and
// subject) and what it may do (roles, which package policy reads). It never comes from a body.
package auth
