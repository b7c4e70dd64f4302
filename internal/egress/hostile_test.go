package egress_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/egress/egresstest"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/test/must"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func addrs(list ...string) []netip.Addr {
	var as []netip.Addr
	for _, a := range list {
		as = append(as, netip.MustParseAddr(a))
	}
	return as
}

// names is what the injected resolver says. rebind.test says another thing to who looks again.
func names() map[string][][]netip.Addr {
	return map[string][][]netip.Addr{
		// only to be sure that a mistaken parse would be seen
		"good.test":             {addrs("127.0.0.1")},
		"loop.test":             {addrs("127.0.0.1")},
		"loop_under.test":       {addrs("127.0.0.1")},
		"127.0.0.1.nip.test":    {addrs("127.0.0.1")},
		"loop6.test":            {addrs("::1")},
		"mapped.test":           {addrs("::ffff:127.0.0.1")},
		"both.test":             {addrs("127.0.0.1", "::1", "10.0.0.1", "fd00::1")},
		"any.test":              {addrs("0.0.0.0")},
		"any6.test":             {addrs("::")},
		"nat64.test":            {addrs("64:ff9b::7f00:1")},
		"sixtofour.test":        {addrs("2002:7f00:1::1")},
		"teredo.test":           {addrs("2001::80ff:fffe")},
		"meta.test":             {addrs("169.254.169.254")},
		"ten.test":              {addrs("10.0.0.1")},
		"rebind.test":           {addrs("127.0.0.2"), addrs("127.0.0.1")},
		"localhost.localdomain": {addrs("127.0.0.1")},
	}
}

// Nothing that leads home gets a connection: not as a URL, and not where only the dialer is left to
// notice.
func TestHostileURLsConnectToNothing(t *testing.T) {
	tr := egresstest.NewTrap(t)
	guard, err := egress.New(egress.Policy{Ports: []int{80, 443, tr.Port}, Timeout: 2 * time.Second, Resolver: newResolver(t, names())})
	must.Do(t, err)
	// getaddrinfo reads 0x7f.1 as an address
	system := must.Get(egress.New(egress.Policy{Ports: []int{80, 443, tr.Port}, Timeout: 2 * time.Second}))(t)
	urls := egresstest.HostileURLs(t, tr.Port)
	for _, addr := range ownAddresses(t) {
		urls = append(urls, "http://"+net.JoinHostPort(addr, fmt.Sprint(tr.Port))+"/")
	}
	for _, raw := range urls {
		for _, g := range []*egress.Guard{guard, system} {
			if strings.Contains(raw, ".test") && g == system {
				continue
			}
			resp, err := g.Client().Get(raw)
			if err == nil {
				resp.Body.Close()
				t.Errorf("%s was answered", raw)
			}
			dialHost(t, g, raw, tr.Port)
		}
	}
	must.Be(t, tr.Count.Load(), 0, "connections to this machine")
	t.Logf("%d URLs", len(urls))
}

// TestHostileURLsAreRefused: the policy itself refuses each of them. That nobody happened to answer
// is no protection.
func TestHostileURLsAreRefused(t *testing.T) {
	guard := must.Get(egress.New(egress.Policy{Ports: []int{80, 443, 8080}, Resolver: newResolver(t, names())}))(t)
	for _, raw := range egresstest.HostileURLs(t, 8080) {
		u, err := url.Parse(raw)
		if err != nil || blocked(guard.CheckURL(u)) != nil {
			continue
		}
		_, err = guard.DialContext(t.Context(), "tcp", net.JoinHostPort(u.Hostname(), "8080"))
		if _, known := names()[strings.Trim(strings.ToLower(u.Hostname()), ".")]; blocked(err) == nil && known {
			t.Errorf("%s fails with %v, not by the policy", raw, err)
		}
		must.Fail(t, must.Err(netip.ParseAddr(u.Hostname())), "", "%s leads, and its URL is not", raw)
	}
}

// TestUserInfoIsRefused: also where the host may be reached.
func TestUserInfoIsRefused(t *testing.T) {
	tr := egresstest.NewTrap(t)
	guard, err := egress.New(egress.Policy{Private: []string{"*.test"}, Ports: []int{tr.Port}, Resolver: newResolver(t, names())})
	must.Do(t, err)
	for _, raw := range []string{"http://user@loop.test:PORT/", "http://user:secret@loop.test:PORT/", "http://@loop.test:PORT/", "http://good.test%40x@loop.test:PORT/"} {
		resp, err := guard.Client().Get(strings.ReplaceAll(raw, "PORT", fmt.Sprint(tr.Port)))
		if err == nil {
			resp.Body.Close()
		}
		if blocked(err) == nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
	must.Be(t, tr.Count.Load(), 0, "connections")
}

// TestRedirectsKeepTheirScheme: what was sent encrypted does not go on in the open.
func TestRedirectsKeepTheirScheme(t *testing.T) {
	guard := must.Get(egress.New(egress.Policy{}))(t)
	request := func(raw string) *http.Request {
		return must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, raw, nil))(t)
	}
	follow := guard.Client().CheckRedirect
	if err := follow(request("http://good.test/b"), []*http.Request{request("https://good.test/a")}); blocked(err) == nil {
		t.Errorf("from https to http: %v", err)
	}
	if err := follow(request("https://good.test/b"), []*http.Request{request("http://good.test/a")}); err != nil {
		t.Errorf("from http to https: %v", err)
	}
}

// dialHost tries what stands in the place of the host with the dialer alone.
func dialHost(t *testing.T, g *egress.Guard, raw string, port int) {
	t.Helper()
	hosts := []string{strings.SplitN(strings.TrimPrefix(strings.TrimPrefix(raw, "http:"), "//"), fmt.Sprintf(":%d", port), 2)[0]}
	if u, err := url.Parse(raw); err == nil && u.Hostname() != "" {
		hosts = append(hosts, u.Hostname())
	}
	for _, host := range hosts {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		conn, err := g.DialContext(ctx, "tcp", net.JoinHostPort(strings.Trim(host, "[]"), fmt.Sprint(port)))
		cancel()
		if err == nil {
			conn.Close()
			t.Errorf("a connection to %q from %s", host, raw)
		}
	}
}

func ownAddresses(t *testing.T) []string {
	t.Helper()
	ifaces := must.Get(net.InterfaceAddrs())(t)
	var list []string
	for _, a := range ifaces {
		if p, err := netip.ParsePrefix(a.String()); err == nil && !p.Addr().IsGlobalUnicast() || p.Addr().IsPrivate() {
			list = append(list, p.Addr().String())
		}
	}
	return list
}

// The trap would have been hit: what the policy allows arrives.
func TestAllowedPrivateAddressesAreReached(t *testing.T) {
	tr := egresstest.NewTrap(t)
	for _, tt := range []struct{ private, host string }{
		{"127.0.0.0/8", "loop.test"},
		{"127.0.0.1", "127.0.0.1"},
		{"127.0.0.1", "[::ffff:127.0.0.1]"},
		{"::1", "[::1]"},
		{"[::1]", "loop6.test"},
		{"loop.test", "LOOP.test"},
		{"*.test", "loop.test"},
		{"localhost", "localhost"},
	} {
		guard, err := egress.New(egress.Policy{Private: []string{tt.private}, Ports: []int{tr.Port}, Resolver: newResolver(t, names())})
		must.Do(t, err)
		resp, err := guard.Client().Get(fmt.Sprintf("http://%s:%d/", tt.host, tr.Port))
		if err != nil {
			t.Errorf("%s with %s allowed: %v", tt.host, tt.private, err)
			continue
		}
		resp.Body.Close()
		guard.Client().CloseIdleConnections()
	}
	if tr.Count.Load() == 0 {
		t.Error("the trap counts nothing")
	}
}

// A name whose first answer is allowed and whose second is not gets one connection: nothing is
// remembered between look-up and dial.
func TestRebindingNamesAreCaught(t *testing.T) {
	tr := egresstest.NewTrap(t)
	guard, err := egress.New(egress.Policy{Private: []string{"127.0.0.2"}, Ports: []int{tr.Port}, Resolver: newResolver(t, names())})
	must.Do(t, err)
	for turn := range 3 {
		resp, err := guard.Client().Get(fmt.Sprintf("http://rebind.test:%d/", tr.Port))
		if err == nil {
			resp.Body.Close()
			guard.Client().CloseIdleConnections()
		}
		if turn == 0 && err != nil || turn > 0 && blocked(err) == nil {
			t.Errorf("request %d: %v", turn+1, err)
		}
	}
	must.Be(t, tr.Count.Load(), 1, "connections")
}

// A name that is allowed to be private is not allowed to be a place that hands out credentials.
func TestPrivateHostsDoNotReachMetadata(t *testing.T) {
	guard, err := egress.New(egress.Policy{Private: []string{"*.test", "10.0.0.0/8"}, Resolver: newResolver(t, names())})
	must.Do(t, err)
	for _, host := range []string{"meta.test", "any.test", "teredo.test", "nat64.test", "172.16.0.1", "[64:ff9b::10.0.0.1]"} {
		resp, err := guard.Client().Get("http://" + host + "/")
		if err == nil {
			resp.Body.Close()
		}
		if blocked(err) == nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}
