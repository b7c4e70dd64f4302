// Package oidc authenticates requests by the tokens of OpenID providers.
//
//	tokens, err := oidc.New(oidc.Issuer{URL: "https://id.example.com", Audience: []string{"app"}})
//
// A token is a JWT in the header Authorization. Its signature is checked with a key that its issuer
// publishes; go-oidc and go-jose do that. Which issuers there are, and where their keys are, is the
// operator's word alone: a claim only selects among them.
package oidc
