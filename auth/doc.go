// Package auth says who asks.
//
//	principal, err := auth.First(keys, tokens).Authenticate(request)
//
// A Principal is what the rest of Pageside knows of a caller: whose data it may see (tenant and
// subject) and what it may do (roles, which package policy reads). It never comes from a body.
//
// The packages below are ways to find it: oidc (tokens of an OpenID provider), apikey (keys that
// the operator hands out), forward (an application's own sessions) and proxy (an authenticating
// reverse proxy). First combines them.
package auth
