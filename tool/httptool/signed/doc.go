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
// The signature is that of Standard Webhooks (https://www.standardwebhooks.com): Webhook-Signature
// covers Webhook-Id, Webhook-Timestamp and the body, and a library of that standard checks it. The
// rest of the request is covered by the id, a nonce and a digest with _ between them. The digest is
// the SHA-256, as base64url without padding, of these lines, each with a line feed: the method, the
// path with its query, and "name:value" for Pageside-Caller, Pageside-Signed, and each header that
// Pageside-Signed names.
package signed
