// Package proxy believes an authenticating reverse proxy, such as oauth2-proxy.
//
//	identity, err := proxy.New(proxy.Config{Networks: []string{"10.0.0.0/8"}, Secret: secret})
//
// The proxy says in headers who the user is. They count only if the request comes from one of the
// proxy's addresses and has its secret. Everybody else who sends such a header is refused.
package proxy

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/pageside/pageside/auth"
)

// Config says which proxy is believed, and where it puts what. Networks and Secret are required.
type Config struct {
	Networks     []string // addresses and networks in CIDR notation
	SecretHeader string   // default X-Pageside-Proxy-Secret
	Secret       string   // at least 16 bytes

	UserHeader   string // the subject; default X-Forwarded-User
	EmailHeader  string // the subject, if there is no user; default X-Forwarded-Email
	GroupsHeader string // the roles, separated by commas; default X-Forwarded-Groups
	TenantHeader string // must be there if it is named; "" means that there are no tenants
}

// MinSecret is the length of the shortest secret.
const MinSecret = 16

const method = "proxy"

// Proxy is an auth.Authenticator for requests that come through a proxy. In auth.First it must be
// the first: it also refuses forged headers.
type Proxy struct {
	cfg      Config
	networks []netip.Prefix
	secret   [sha256.Size]byte
}

// New checks a configuration.
func New(cfg Config) (*Proxy, error) {
	if len(cfg.Networks) == 0 {
		return nil, errors.New("networks: must name the proxy's addresses")
	}
	if len(cfg.Secret) < MinSecret {
		return nil, fmt.Errorf("secret: must have at least %d bytes", MinSecret)
	}
	cfg.SecretHeader = cmp.Or(cfg.SecretHeader, "X-Pageside-Proxy-Secret")
	cfg.UserHeader = cmp.Or(cfg.UserHeader, "X-Forwarded-User")
	cfg.EmailHeader = cmp.Or(cfg.EmailHeader, "X-Forwarded-Email")
	cfg.GroupsHeader = cmp.Or(cfg.GroupsHeader, "X-Forwarded-Groups")
	p := &Proxy{cfg: cfg, secret: sha256.Sum256([]byte(cfg.Secret))}
	for _, each := range cfg.Networks {
		network, err := ParseNetwork(each)
		if err != nil {
			return nil, fmt.Errorf("networks: %w", err)
		}
		p.networks = append(p.networks, network)
	}
	return p, nil
}

// ParseNetwork reads an address or a network.
func ParseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return network, fmt.Errorf("%q is not an address or a network such as 10.0.0.0/8", text)
	}
	return network.Masked(), nil
}

// Authenticate implements auth.Authenticator.
func (p *Proxy) Authenticate(r *http.Request) (auth.Principal, error) {
	if !p.speaks(r) {
		return auth.Principal{}, auth.ErrNoCredentials
	}
	if err := p.trust(r); err != nil {
		return auth.Principal{}, err
	}
	user, err := optional(r, p.cfg.UserHeader)
	if err != nil {
		return auth.Principal{}, err
	}
	email, err := optional(r, p.cfg.EmailHeader)
	if err != nil {
		return auth.Principal{}, err
	}
	who := auth.Principal{Subject: cmp.Or(user, email), Method: method}
	if who.Subject == "" {
		return who, auth.ErrNoCredentials // the proxy let somebody through without signing in
	}
	groups, err := optional(r, p.cfg.GroupsHeader)
	if err != nil {
		return auth.Principal{}, err
	}
	for group := range strings.SplitSeq(groups, ",") {
		if group = strings.TrimSpace(group); group != "" {
			who.Roles = append(who.Roles, group)
		}
	}
	if p.cfg.TenantHeader != "" {
		who.Tenant, err = auth.Header(r, p.cfg.TenantHeader)
		if errors.Is(err, auth.ErrNoCredentials) {
			err = auth.Refuse(method, "the header "+p.cfg.TenantHeader+" is missing")
		}
		if err != nil {
			return auth.Principal{}, err
		}
	}
	if err := who.Check(); err != nil {
		return auth.Principal{}, auth.Refuse(method, err.Error())
	}
	return who, nil
}

// speaks reports whether a request has a header that only the proxy may set.
func (p *Proxy) speaks(r *http.Request) bool {
	return slices.ContainsFunc([]string{
		p.cfg.SecretHeader, p.cfg.UserHeader, p.cfg.EmailHeader, p.cfg.GroupsHeader, p.cfg.TenantHeader,
	}, func(name string) bool {
		return name != "" && len(r.Header.Values(name)) > 0
	})
}

// trust reports an error unless a request comes from the proxy.
func (p *Proxy) trust(r *http.Request) error {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !slices.ContainsFunc(p.networks, func(n netip.Prefix) bool {
		return n.Contains(from.Addr().Unmap().WithZone(""))
	}) {
		return auth.Refuse(method, "identity headers from an address that is not the proxy's")
	}
	secret, err := auth.Header(r, p.cfg.SecretHeader)
	if errors.Is(err, auth.ErrNoCredentials) {
		return auth.Refuse(method, "identity headers without the proxy's secret")
	}
	if err != nil {
		return err
	}
	if sum := sha256.Sum256([]byte(secret)); subtle.ConstantTimeCompare(sum[:], p.secret[:]) != 1 {
		return auth.Refuse(method, "the proxy's secret is wrong")
	}
	return nil
}

// optional returns a header of the proxy. Some send an empty one for what they do not know.
func optional(r *http.Request, name string) (string, error) {
	if r.Header.Get(name) == "" && len(r.Header.Values(name)) <= 1 {
		return "", nil
	}
	return auth.Header(r, name)
}
