package egress

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Policy limits the addresses that may be reached and the size of responses. The zero value allows
// every public address on ports 80 and 443.
type Policy struct {
	// Hosts are the hosts that may be reached: "api.example.com", "*.example.com" for all below it,
	// or an address. Empty means any host.
	Hosts []string
	// Private lists hosts, addresses and networks in CIDR notation that may be reached although
	// they are not public. A network allows exactly its addresses. A host allows the loopback and
	// private addresses it resolves to, but never link-local ones, which include cloud metadata
	// services.
	Private []string
	// Ports are the ports that may be reached; the default is 80 and 443.
	Ports []int
	// MaxBytes limits a response's body, after decompression. 0 means DefaultMaxBytes.
	MaxBytes int64
	// Timeout limits a request from the dial to the last byte of the body. 0 means DefaultTimeout;
	// a negative value limits only connecting.
	Timeout time.Duration
	// Fixed is set where the policy comes from no configuration: its errors name no remedy.
	Fixed bool
	// RootCAs verify servers' certificates; nil means the system's.
	RootCAs *x509.CertPool
	// Resolver resolves names; nil means the system's.
	Resolver *net.Resolver
}

// For returns the policy for requests to one URL: where no hosts are named, the URL's is the only
// one, and the port that the URL names is always among the ports. A private host must be allowed
// nevertheless.
func (p Policy) For(u *url.URL) Policy {
	if len(p.Hosts) == 0 {
		p.Hosts = []string{u.Hostname()}
	}
	if port, err := strconv.Atoi(u.Port()); err == nil {
		p.Ports = append(slices.Clone(p.ports()), port)
	}
	return p
}

// GuardOf returns the guard of requests to one URL: see For. Its error is an *Error where the URL
// must not be requested, and any other where the policy cannot be used.
func (p Policy) GuardOf(u *url.URL) (*Guard, error) {
	guard, err := New(p.For(u))
	if err == nil {
		err = guard.CheckURL(u)
	}
	return guard, err
}

// ports returns the ports that may be reached.
func (p Policy) ports() []int {
	if len(p.Ports) == 0 {
		return []int{80, 443}
	}
	return p.Ports
}

// Defaults of a Policy.
const (
	DefaultMaxBytes = 8 << 20
	DefaultTimeout  = 30 * time.Second
)

// Error says why the policy does not allow a request. It is never about a response.
type Error struct {
	Host   string
	Addr   netip.Addr // the address it resolved to; zero if it did not get that far
	Reason string
	Remedy string // what to add to the configuration to allow it; "" if nothing should
}

func (e *Error) Error() string {
	text := fmt.Sprintf("egress to %q is not allowed: ", e.Host)
	if e.Addr.IsValid() && e.Addr.String() != e.Host {
		text += fmt.Sprintf("it leads to %s, ", e.Addr)
	}
	if text += e.Reason; e.Remedy != "" {
		text += "; to allow it, add " + e.Remedy
	}
	return text
}

// remedy returns what to add to a list of the configuration.
func (g *Guard) remedy(entry, list string) string {
	if g.policy.Fixed {
		return ""
	}
	return entry + " to egress." + list
}

// Guard enforces a Policy. Safe for concurrent use.
type Guard struct {
	policy   Policy
	hosts    []string
	private  []string // names among Policy.Private
	networks []netip.Prefix
	client   clientOnce
}

// New checks a policy and returns its guard. The error names the invalid field and entry.
func New(p Policy) (*Guard, error) {
	g := &Guard{policy: p}
	for _, h := range p.Hosts {
		host, err := pattern(h)
		if err != nil {
			return nil, fmt.Errorf("hosts: %q %w", h, err)
		}
		g.hosts = append(g.hosts, host)
	}
	for _, entry := range p.Private {
		if err := g.allowPrivate(entry); err != nil {
			return nil, fmt.Errorf("private: %q %w", entry, err)
		}
	}
	for _, port := range p.Ports {
		if port < 1 || port > 65535 {
			return nil, fmt.Errorf("ports: %d is no port", port)
		}
	}
	g.policy.Ports = p.ports()
	if p.MaxBytes < 0 {
		return nil, fmt.Errorf("maxBytes: %d is negative", p.MaxBytes)
	}
	if p.MaxBytes == 0 {
		g.policy.MaxBytes = DefaultMaxBytes
	}
	if p.Timeout == 0 {
		g.policy.Timeout = DefaultTimeout
	}
	return g, nil
}

func (g *Guard) allowPrivate(entry string) error {
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		g.networks = append(g.networks, prefix.Masked())
		return nil
	}
	if addr, err := netip.ParseAddr(strings.Trim(entry, "[]")); err == nil {
		addr = addr.Unmap()
		g.networks = append(g.networks, netip.PrefixFrom(addr, addr.BitLen()))
		return nil
	}
	host, err := pattern(entry)
	if err != nil {
		return err
	}
	g.private = append(g.private, host)
	return nil
}

// pattern reads an entry of a list of hosts.
func pattern(entry string) (string, error) {
	name, wild := strings.CutPrefix(entry, "*.")
	host, err := cleanHost(strings.Trim(name, "[]"))
	if err != nil {
		return "", errors.New("is no host: a name such as api.example.com, *.example.com or an address, without scheme and port")
	}
	if wild {
		return "*." + host, nil
	}
	return host, nil
}

func matches(patterns []string, host string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if suffix, wild := strings.CutPrefix(p, "*"); wild {
			return len(host) > len(suffix) && strings.HasSuffix(host, suffix)
		}
		return p == host
	})
}

// CheckURL returns an *Error if the URL itself shows that it must not be requested. The addresses
// of its host are checked when connecting.
func (g *Guard) CheckURL(u *url.URL) error {
	raw := u.Hostname()
	refuse := func(reason string) error { return &Error{Host: raw, Reason: reason} }
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return refuse("only http and https are")
	case u.User != nil:
		return refuse("a URL must not hold a user name or password")
	case u.Opaque != "" || raw == "":
		return refuse("the URL names no host")
	}
	host, err := cleanHost(raw)
	if err != nil {
		return refuse(err.Error())
	}
	if err := g.checkPort(host, portOf(u)); err != nil {
		return err
	}
	return g.checkHost(host)
}

// CheckPublic returns an *Error if a URL itself shows that it does not lead to a public host.
func CheckPublic(u *url.URL) error {
	port, _ := strconv.Atoi(portOf(u))
	g := &Guard{policy: Policy{Ports: []int{port}, Fixed: true}}
	if err := g.CheckURL(u); err != nil {
		return err
	}
	// clouds tell machines their secrets under such names
	host, _ := cleanHost(u.Hostname())
	if strings.HasSuffix(host, ".internal") || !strings.ContainsAny(host, ".:") {
		return &Error{Host: host, Reason: "it is a name of a private network"}
	}
	return nil
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

func (g *Guard) checkPort(host, port string) error {
	n, err := strconv.Atoi(port)
	if err != nil || !slices.Contains(g.policy.Ports, n) {
		e := &Error{Host: host, Reason: fmt.Sprintf("port %s is not among the allowed ones, %v", port, g.policy.Ports)}
		if g.policy.Fixed {
			e.Reason = fmt.Sprintf("port %s is not among the allowed ones", port)
		}
		if err == nil && n > 0 && n < 1<<16 {
			e.Remedy = g.remedy(port, "ports")
		}
		return e
	}
	return nil
}

// checkHost checks a clean host against the lists.
func (g *Guard) checkHost(host string) error {
	if len(g.hosts) > 0 && !matches(g.hosts, host) {
		return &Error{Host: host, Reason: "it is not among the allowed hosts", Remedy: g.remedy(host, "hosts")}
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return g.checkAddr(host, addr)
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		if !matches(g.private, host) && !g.reaches(netip.IPv6Loopback()) &&
			!g.reaches(netip.AddrFrom4([4]byte{127, 0, 0, 1})) {
			return &Error{Host: host, Reason: "it is " + string(loopback), Remedy: g.remedy(host, "private")}
		}
	}
	return nil
}

// checkAddr checks an address of a host against the policy.
func (g *Guard) checkAddr(host string, addr netip.Addr) error {
	k := kindOf(addr)
	switch {
	case k == public, g.reaches(addr), k.internal() && matches(g.private, host):
		return nil
	}
	e := &Error{Host: host, Addr: addr, Reason: string(k)}
	if k.internal() {
		e.Remedy = g.remedy(host, "private")
	}
	return e
}

// reaches reports whether an address is in an allowed private network.
func (g *Guard) reaches(addr netip.Addr) bool {
	addr = addr.WithZone("").Unmap()
	return slices.ContainsFunc(g.networks, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// cleanHost returns a host in canonical form: lower case, no trailing dot, addresses in the usual
// notation. It refuses addresses in disguise such as 0x7f.1 or 2130706433, which resolvers
// interpret differently.
func cleanHost(host string) (string, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return "", errors.New("an address must not have a zone")
		}
		return addr.Unmap().String(), nil
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "" || len(host) > 253 {
		return "", errors.New("a host name has 1 to 253 characters")
	}
	for label := range strings.SplitSeq(host, ".") {
		if err := checkLabel(label); err != nil {
			return "", err
		}
	}
	if last := host[strings.LastIndexByte(host, '.')+1:]; isNumber(last) {
		return "", errors.New("it is an address that is not written as usual")
	}
	return host, nil
}

func checkLabel(label string) error {
	if label == "" || len(label) > 63 {
		return errors.New("the parts of a host name have 1 to 63 characters")
	}
	for _, c := range []byte(label) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return errors.New("a host name is letters, digits, dots and - only (write others as xn--…)")
		}
	}
	return nil
}

// isNumber reports whether some resolver may take a label for a number, by the rule with which the
// URL standard recognises addresses.
func isNumber(label string) bool {
	if digits, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}
