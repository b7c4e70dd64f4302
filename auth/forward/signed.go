package forward

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/claims"
)

// SignedConfig says how a signed header is checked. Secret is required.
type SignedConfig struct {
	Header string // default X-Pageside-Principal
	Secret string // that signs it; at least MinSecret bytes
	Claims claims.Names
}

// MinSecret is the length of the shortest secret, in bytes: what HS256 needs (RFC 7518, 3.2).
const MinSecret = 32

// Audience is the claim aud that a signed header must have, so that no other token made with the
// same secret is taken for one.
const Audience = "pageside"

// MaxLife is the longest time for which a header may be signed.
const MaxLife = 15 * time.Minute

const signedMethod = "signed"

// Signed is an auth.Authenticator for a header that holds a JWT: signed with HS256, for Audience,
// with an exp at most MaxLife away.
type Signed struct {
	cfg SignedConfig
	key []byte
}

// NewSigned checks a configuration.
func NewSigned(cfg SignedConfig) (*Signed, error) {
	if len(cfg.Secret) < MinSecret {
		return nil, fmt.Errorf("secret: must have at least %d bytes", MinSecret)
	}
	cfg.Header = cmp.Or(cfg.Header, "X-Pageside-Principal")
	return &Signed{cfg, []byte(cfg.Secret)}, nil
}

// Authenticate implements auth.Authenticator.
func (s *Signed) Authenticate(r *http.Request) (auth.Principal, error) {
	raw, err := auth.Header(r, s.cfg.Header)
	if err != nil {
		return auth.Principal{}, err
	}
	token, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.HS256})
	if err != nil {
		return auth.Principal{}, auth.Refuse(signedMethod, "the header is not a JWT signed with HS256")
	}
	var all json.RawMessage
	var standard jwt.Claims
	if err := token.Claims(s.key, &all, &standard); err != nil {
		return auth.Principal{}, auth.Refuse(signedMethod,
			"the header's signature is wrong, or its claims cannot be read")
	}
	if err := judge(standard, time.Now()); err != nil {
		return auth.Principal{}, err
	}
	p, err := s.cfg.Claims.Principal(all)
	if err != nil {
		return auth.Principal{}, auth.Refuse(signedMethod, err.Error())
	}
	p.Expires, p.Method = standard.Expiry.Time(), signedMethod
	return p, nil
}

func judge(c jwt.Claims, now time.Time) error {
	if c.Expiry == nil {
		return auth.Refuse(signedMethod, "the claim exp is missing")
	}
	if c.Expiry.Time().Sub(now) > MaxLife+auth.Leeway {
		return auth.Refuse(signedMethod, "the claim exp is more than "+MaxLife.String()+" away")
	}
	err := c.ValidateWithLeeway(jwt.Expected{AnyAudience: []string{Audience}, Time: now}, auth.Leeway)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jwt.ErrExpired):
		return auth.Refuse(signedMethod, "the header has expired")
	case errors.Is(err, jwt.ErrInvalidAudience):
		return auth.Refuse(signedMethod, "the claim aud must be "+Audience)
	}
	return auth.Refuse(signedMethod, "the header is not valid yet")
}
