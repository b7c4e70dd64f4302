package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/apikey"
	"github.com/pageside/pageside/auth/claims"
	"github.com/pageside/pageside/auth/forward"
	"github.com/pageside/pageside/auth/oidc"
	"github.com/pageside/pageside/auth/proxy"
)

// Auth says who may use the server. Several methods may be combined. Without any there is one
// principal, local, and the server listens on loopback addresses only.
type Auth struct {
	Mode       string        `json:"mode,omitempty" jsonschema:"none: one user on a loopback address; leave it out if there are methods"`
	LocalProxy bool          `json:"localProxy,omitempty" jsonschema:"without authentication: also answer what a proxy has forwarded from beyond this machine; all its users are one"`
	APIKeys    *APIKeys      `json:"apiKeys,omitempty" jsonschema:"keys made with pageside keys create"`
	OIDC       []OIDC        `json:"oidc,omitempty" jsonschema:"OpenID providers whose tokens are accepted as Authorization: Bearer"`
	Forward    *Forward      `json:"forward,omitempty" jsonschema:"an application that is asked whose session a cookie is"`
	Signed     *SignedHeader `json:"signed,omitempty" jsonschema:"a header that the application signs with a shared secret"`
	Proxy      *TrustedProxy `json:"proxy,omitempty" jsonschema:"an authenticating reverse proxy, such as oauth2-proxy"`
}

// APIKeys configures keys.
type APIKeys struct {
	File string `json:"file,omitempty" jsonschema:"where their hashes are kept; default pageside.keys.json beside this file"`
}

// Claims says where a document has what. A name is a claim's name, names separated by dots
// (realm_access.roles), or a JSON pointer.
type Claims struct {
	Subject string `json:"subject,omitempty" jsonschema:"who it is, a string; default sub (forward: subject)"`
	Tenant  string `json:"tenant,omitempty" jsonschema:"whose data it shares, a string that must be there; default: there are no tenants"`
	Roles   string `json:"roles,omitempty" jsonschema:"an array of strings, such as realm_access.roles; default: there are no roles"`
}

// OIDC is an OpenID provider.
type OIDC struct {
	Issuer     string   `json:"issuer" jsonschema:"exactly as its tokens have it in iss, such as https://example.eu.auth0.com/"`
	Audience   []string `json:"audience" jsonschema:"what its tokens for this server have in aud; one of these"`
	JWKSURL    string   `json:"jwksUrl,omitempty" jsonschema:"the address of its keys; default: what its discovery document says"`
	Algorithms []string `json:"algorithms,omitempty" jsonschema:"of signatures, among RS256, RS384, RS512, ES256, ES384, ES512 and EdDSA; default all"`
	Tenant     string   `json:"tenant,omitempty" jsonschema:"the tenant of all its users; required if there are several issuers, whose subjects may be equal"`
	Claims     *Claims  `json:"claims,omitempty" jsonschema:"which claims hold what"`
}

// Forward is an application that knows its sessions.
type Forward struct {
	URL           string   `json:"url" jsonschema:"is sent a GET with the credentials of a request: 2xx tells who that is, 401, 403 and redirects mean nobody"`
	Cookies       []string `json:"cookies,omitempty" jsonschema:"names of the cookies that are credentials; no others are sent"`
	Authorization bool     `json:"authorization,omitempty" jsonschema:"the header Authorization is a credential too; not together with oidc or apiKeys"`
	Answer        string   `json:"answer,omitempty" jsonschema:"json: claims in a JSON object; headers: X-Auth-Request-User and X-Auth-Request-Groups; default json"`
	Claims        *Claims  `json:"claims,omitempty" jsonschema:"where the JSON has what"`
	CacheFor      Duration `json:"cacheFor,omitempty" jsonschema:"how long an answer holds, at most 10s; default 5s"`
	Timeout       Duration `json:"timeout,omitempty" jsonschema:"for an answer; default 5s"`
}

// SignedHeader is a header that holds a JWT signed with HS256.
type SignedHeader struct {
	Header string  `json:"header,omitempty" jsonschema:"default X-Pageside-Principal"`
	Secret Secret  `json:"secret" jsonschema:"env:NAME or file:PATH, at least 32 bytes"`
	Claims *Claims `json:"claims,omitempty" jsonschema:"which claims hold what"`
}

// TrustedProxy is an authenticating reverse proxy.
type TrustedProxy struct {
	Networks     []string `json:"networks" jsonschema:"addresses it connects from, such as 10.0.0.0/8"`
	SecretHeader string   `json:"secretHeader,omitempty" jsonschema:"has the secret that the proxy adds to each request; default X-Pageside-Proxy-Secret"`
	Secret       Secret   `json:"secret" jsonschema:"env:NAME or file:PATH, at least 16 bytes"`
	UserHeader   string   `json:"userHeader,omitempty" jsonschema:"the subject; default X-Forwarded-User"`
	EmailHeader  string   `json:"emailHeader,omitempty" jsonschema:"the subject if there is no user; default X-Forwarded-Email"`
	GroupsHeader string   `json:"groupsHeader,omitempty" jsonschema:"the roles, separated by commas; default X-Forwarded-Groups"`
	TenantHeader string   `json:"tenantHeader,omitempty" jsonschema:"the tenant, which must be there; default: there are no tenants"`
}

// Authenticates reports whether there is a method of authentication.
func (f File) Authenticates() bool { return len(f.Auth.methods()) > 0 }

// methods returns the names of the methods.
func (a *Auth) methods() (names []string) {
	all := Section(a)
	on := map[string]bool{
		"apiKeys": all.APIKeys != nil, "oidc": len(all.OIDC) > 0, "forward": all.Forward != nil,
		"signed": all.Signed != nil, "proxy": all.Proxy != nil,
	}
	for _, name := range keys(on) {
		if on[name] {
			names = append(names, name)
		}
	}
	return names
}

// KeyFile returns the file of API keys.
func (s *Source) KeyFile() apikey.File {
	keys := Section(Section(s.Auth).APIKeys)
	return apikey.File(s.besideFile(cmp.Or(keys.File, "pageside.keys.json")))
}

// auth checks what can be seen without secrets.
func (c *checker) auth() {
	a := c.Auth
	if a == nil {
		return
	}
	methods := strings.Join(a.methods(), ", ")
	switch {
	case a.Mode != "" && methods != "":
		c.fail("auth.mode", "none cannot be combined with %s", methods)
	case a.LocalProxy && methods != "":
		c.fail("auth.localProxy", "is for a server without authentication; auth.proxy is for one with it")
	case a.Mode == "" && methods == "" && !a.LocalProxy:
		c.fail("auth", "names no method: give apiKeys, oidc, forward, signed or proxy, or mode: none")
	}
	c.issuers(a.OIDC)
	if f := a.Forward; f != nil {
		if f.Authorization && (len(a.OIDC) > 0 || a.APIKeys != nil) {
			c.fail("auth.forward.authorization", "the header Authorization is read by oidc and apiKeys already")
		}
		_, err := forward.NewSessions(f.config())
		c.failAuth("auth.forward", err)
	}
	if a.Proxy != nil {
		for i, n := range a.Proxy.Networks {
			if _, err := proxy.ParseNetwork(n); err != nil {
				c.fail(fmt.Sprintf("auth.proxy.networks[%d]", i), "%v", err)
			}
		}
	}
}

// failAuth reports an error of a method, whose text starts with the field: "url: must be …".
func (c *checker) failAuth(at string, err error) {
	if err == nil {
		return
	}
	field, reason, found := strings.Cut(err.Error(), ": ")
	if !found {
		c.fail(at, "%v", err)
		return
	}
	c.fail(at+"."+field, "%s", reason)
}

func (c *checker) issuers(all []OIDC) {
	tenants := map[string]bool{}
	for i, o := range all {
		at := fmt.Sprintf("auth.oidc[%d]", i)
		c.sound(at+".issuer", oidc.CheckURL(o.Issuer))
		if slices.Contains(o.Audience, "") {
			c.fail(at+".audience",
				"must name what tokens for this server have in aud; without it, tokens for other applications would be accepted")
		}
		if o.JWKSURL != "" {
			c.sound(at+".jwksUrl", oidc.CheckURL(o.JWKSURL))
		}
		if strings.Contains(o.Tenant, "/") || !auth.Printable(o.Tenant) {
			c.fail(at+".tenant", "must not contain a / or control characters")
		}
		if len(all) > 1 && (o.Tenant == "" || tenants[o.Tenant]) {
			c.fail(at+".tenant", "several issuers need a tenant each, since their subjects may be equal")
		}
		tenants[o.Tenant] = true
	}
}

func (f *Forward) config() forward.SessionsConfig {
	return forward.SessionsConfig{
		URL: f.URL, Cookies: f.Cookies, Authorization: f.Authorization, Claims: claims.Names(Section(f.Claims)),
		FromHeaders: f.Answer == "headers", CacheFor: time.Duration(f.CacheFor), Timeout: time.Duration(f.Timeout),
	}
}

// authenticator returns the authenticator that the file describes, or nil if it names no method.
func (b *builder) authenticator() auth.Authenticator {
	a := b.Auth
	if !b.File.Authenticates() {
		return nil
	}
	var all []auth.Authenticator
	add := func(at string, made auth.Authenticator, err error) {
		b.failAuth(at, err)
		all = append(all, made)
	}
	// first, since it refuses forged headers whatever other credentials a request has
	if a.Proxy != nil {
		made, err := b.proxy(a.Proxy)
		add("auth.proxy", made, err)
	}
	if a.APIKeys != nil {
		add("auth.apiKeys", apikey.New(b.KeyFile()), nil)
	}
	if len(a.OIDC) > 0 {
		made, err := oidc.New(issuersOf(a.OIDC)...)
		add("auth.oidc", made, err)
	}
	if a.Forward == nil || !a.Forward.Authorization {
		all = append(all, auth.RefuseBearer())
	}
	if a.Signed != nil {
		made, err := b.signed(a.Signed)
		add("auth.signed", made, err)
	}
	if a.Forward != nil {
		made, err := forward.NewSessions(a.Forward.config())
		add("auth.forward", made, err)
	}
	return auth.First(all...)
}

func (b *builder) proxy(p *TrustedProxy) (auth.Authenticator, error) {
	secret, ok := b.secretAt("auth.proxy.secret", p.Secret)
	if !ok {
		return nil, nil
	}
	return proxy.New(proxy.Config{
		Networks: p.Networks, SecretHeader: p.SecretHeader, Secret: secret,
		UserHeader: p.UserHeader, EmailHeader: p.EmailHeader, GroupsHeader: p.GroupsHeader,
		TenantHeader: p.TenantHeader,
	})
}

func (b *builder) signed(h *SignedHeader) (auth.Authenticator, error) {
	secret, ok := b.secretAt("auth.signed.secret", h.Secret)
	if !ok {
		return nil, nil
	}
	return forward.NewSigned(forward.SignedConfig{Header: h.Header, Secret: secret, Claims: claims.Names(Section(h.Claims))})
}

func issuersOf(list []OIDC) (all []oidc.Issuer) {
	for _, o := range list {
		all = append(all, oidc.Issuer{
			URL: o.Issuer, Audience: o.Audience, JWKSURL: o.JWKSURL, Algorithms: o.Algorithms, Tenant: o.Tenant,
			Claims: claims.Names(Section(o.Claims)),
		})
	}
	return all
}
