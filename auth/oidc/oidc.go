package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/claims"
)

// Issuer is an OpenID provider whose tokens are accepted.
type Issuer struct {
	URL      string   // exactly as the claim iss has it; required
	Audience []string // the claim aud must name one of these; required
	JWKSURL  string   // of the keys; default: what the provider's discovery document says
	// Algorithms that a token may be signed with, among Algorithms; default all of them.
	Algorithms []string
	// Tenant is that of all the issuer's users. If Claims has one too, both are joined by a slash.
	Tenant string
	Claims claims.Names
}

// Algorithms are the signatures that can be accepted: made with a private key, which only the
// issuer has.
var Algorithms = []string{"RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "EdDSA"}

// Tokens is an auth.Authenticator for Bearer tokens.
type Tokens struct {
	issuers map[string]*issuer // by URL
	algs    []jose.SignatureAlgorithm
}

// issuer is one issuer with its keys.
type issuer struct {
	Issuer
	verifier *gooidc.IDTokenVerifier
}

// New checks the issuers. It requests nothing: keys are fetched for the first token.
func New(all ...Issuer) (*Tokens, error) {
	t := &Tokens{issuers: make(map[string]*issuer)}
	for _, alg := range Algorithms {
		t.algs = append(t.algs, jose.SignatureAlgorithm(alg))
	}
	for _, i := range all {
		if err := i.check(); err != nil {
			return nil, fmt.Errorf("issuer %q: %w", i.URL, err)
		}
		if t.issuers[i.URL] != nil {
			return nil, fmt.Errorf("issuer %q: it is there twice", i.URL)
		}
		if len(i.Algorithms) == 0 {
			i.Algorithms = Algorithms
		}
		keys := newKeys(i.URL, i.JWKSURL)
		t.issuers[i.URL] = &issuer{i, gooidc.NewVerifier(i.URL, keys, &gooidc.Config{
			SupportedSigningAlgs: i.Algorithms,
			// judge checks these: any of several audiences, and all times with one leeway
			SkipClientIDCheck: true, SkipExpiryCheck: true,
		})}
	}
	return t, nil
}

func (i Issuer) check() error {
	if err := CheckURL(i.URL); err != nil {
		return err
	}
	if len(i.Audience) == 0 || slices.Contains(i.Audience, "") {
		return errors.New("the audience is missing: without it, tokens for other applications would be accepted")
	}
	for _, alg := range i.Algorithms {
		if !slices.Contains(Algorithms, alg) {
			return fmt.Errorf("the algorithm %q is not accepted", alg)
		}
	}
	if i.JWKSURL != "" {
		if err := CheckURL(i.JWKSURL); err != nil {
			return fmt.Errorf("the address of its keys: %w", err)
		}
	}
	return nil
}

// CheckURL reports an error unless what comes from a URL can be trusted: it must be https, or on
// this machine.
func CheckURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("must be a URL such as https://id.example.com")
	}
	if u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return errors.New("must be https, except on a loopback address")
	}
	return nil
}

// Authenticate implements auth.Authenticator.
func (t *Tokens) Authenticate(r *http.Request) (auth.Principal, error) {
	raw, err := auth.Bearer(r)
	if err != nil {
		return auth.Principal{}, err
	}
	i, err := t.issuerOf(raw)
	if err != nil {
		return auth.Principal{}, err
	}
	return i.authenticate(r.Context(), raw)
}

// issuerOf returns the configured issuer that a token says it is from. Nothing else is done with
// that claim before the signature is checked.
func (t *Tokens) issuerOf(raw string) (*issuer, error) {
	token, err := jwt.ParseSigned(raw, t.algs)
	if err != nil {
		return nil, auth.Refuse("oidc", "the token is not a JWT signed with an accepted algorithm")
	}
	var unverified jwt.Claims
	if err := token.UnsafeClaimsWithoutVerification(&unverified); err != nil {
		return nil, auth.Refuse("oidc", "the token's claims cannot be read")
	}
	i := t.issuers[unverified.Issuer]
	if i == nil {
		return nil, auth.Refuse("oidc", "the token's issuer is not configured")
	}
	if !acceptsType(token.Headers) {
		return nil, auth.Refuse("oidc", "the token is of a type that is not for signing in")
	}
	return i, nil
}

// acceptsType reports whether a JWT is an ID or access token, and not, say, a logout token of the
// same issuer (RFC 8725, section 3.11).
func acceptsType(headers []jose.Header) bool {
	typ, found := headers[0].ExtraHeaders[jose.HeaderType]
	return !found || slices.Contains([]any{"JWT", "jwt", "at+jwt", "application/at+jwt"}, typ)
}

// refuse returns an error of the issuer.
func (i *issuer) refuse(reason string) error { return auth.Refuse("oidc:"+i.URL, reason) }

func (i *issuer) authenticate(ctx context.Context, raw string) (auth.Principal, error) {
	var keysFailed error
	token, err := i.verifier.Verify(withFailure(ctx, &keysFailed), raw)
	switch {
	case keysFailed != nil:
		return auth.Principal{}, keysFailed
	case err != nil:
		return auth.Principal{}, i.refuse("the token's signature or issuer is wrong")
	}
	var raws json.RawMessage
	var standard jwt.Claims
	if err := errors.Join(token.Claims(&raws), token.Claims(&standard)); err != nil {
		return auth.Principal{}, i.refuse("the token's claims cannot be read")
	}
	if err := i.judge(standard, time.Now()); err != nil {
		return auth.Principal{}, err
	}
	p, err := i.Claims.Principal(raws)
	if err != nil {
		return auth.Principal{}, i.refuse(err.Error())
	}
	p.Tenant = joined(i.Tenant, p.Tenant)
	if err := p.Check(); err != nil {
		return auth.Principal{}, i.refuse(err.Error())
	}
	p.Expires, p.Method = standard.Expiry.Time(), "oidc:"+i.URL
	return p, nil
}

// joined returns the tenant of an issuer's user. A tenant of the token stays as it is: /acme is
// another than acme.
func joined(issuer, token string) string {
	if issuer == "" || token == "" {
		return issuer + token
	}
	return issuer + "/" + token
}

// judge checks whom a token is from and for, and when it is valid.
func (i *issuer) judge(c jwt.Claims, now time.Time) error {
	if c.Expiry == nil {
		return i.refuse("the claim exp is missing")
	}
	err := c.ValidateWithLeeway(jwt.Expected{Issuer: i.URL, AnyAudience: i.Audience, Time: now}, auth.Leeway)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jwt.ErrExpired):
		return i.refuse("the token has expired")
	case errors.Is(err, jwt.ErrNotValidYet), errors.Is(err, jwt.ErrIssuedInTheFuture):
		return i.refuse("the token is not valid yet")
	case errors.Is(err, jwt.ErrInvalidAudience):
		return i.refuse("the token is for another audience")
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return i.refuse("the token is from another issuer")
	}
	return i.refuse("the token's claims are not valid")
}
