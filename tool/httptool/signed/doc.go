// Package signed lets an application check that a request of an HTTP tool comes from its Pageside
// server, for whom the server made it, and from where in the application:
//
//	verifier := signed.NewVerifier(os.Getenv("PAGESIDE_SECRET"))
//
//	caller, err := verifier.Request(r)
//	if err != nil {
//		http.Error(w, err.Error(), http.StatusUnauthorized)
//		return
//	}
//	if !mayEdit(caller.Principal.Subject, caller.Scope["stream"]) { … }
//
// The server authenticated the principal. The place and the scope are what the user's browser says:
// the model cannot change them, but the user can. So check what the principal may do with them.
//
// The signature is HMAC-SHA256, with a secret that both sides know, over these lines, each with a
// line feed: "pageside 1", the time in seconds, a nonce, the method, path and query, the
// hexadecimal SHA-256 of the body, and then "name:value" for each signed header in the order of the
// h list. It travels in one header:
//
//	Pageside-Signature: t=1767225600, n=4wqsi5zjlx, h=pageside-caller idempotency-key, s=9f86d0…
//
// This package imports only the standard library.
package signed
