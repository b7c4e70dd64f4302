// Package forward recognises the users of an application that has sessions of its own.
//
//	sessions, err := forward.NewSessions(forward.SessionsConfig{URL: at, Cookies: []string{"id"}})
//	signed, err := forward.NewSigned(forward.SignedConfig{Secret: secret})
//
// Sessions asks the application whose session a cookie is. Signed reads a header that the
// application, or a proxy of its own, has signed.
package forward
