package egress_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// trap listens on every address of this machine and counts who connects.
type trap struct {
	port  int
	count atomic.Int64
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	tr := &trap{port: l.Addr().(*net.TCPAddr).Port}
	srv := &http.Server{
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				tr.count.Add(1)
			}
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "inside") }),
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.Serve(l) })
	t.Cleanup(func() { srv.Close(); serving.Wait() })
	return tr
}

// hostile are URLs that lead, or might lead some parser or resolver, into the network of the
// server. PORT is a port the policy allows.
const hostile = `
http://127.0.0.1:PORT/
http://127.0.0.1.:PORT/
http://127.1:PORT/
http://127.0.1:PORT/
http://127.0.0.2:PORT/
http://127.255.255.254:PORT/
http://0.0.0.0:PORT/
http://0:PORT/
http://0.0:PORT/
http://0.1.2.3:PORT/
http://2130706433:PORT/
http://2130706433.:PORT/
http://017700000001:PORT/
http://0177.0.0.1:PORT/
http://0177.0.0.01:PORT/
http://00000177.0.0.1:PORT/
http://0x7f000001:PORT/
http://0x7f.0.0.1:PORT/
http://0x7f.1:PORT/
http://0X7F.0x0.0x0.0x1:PORT/
http://127.0x1:PORT/
http://127.0.0.0x1:PORT/
http://0x:PORT/
http://127.00.00.01:PORT/
http://3232235521:PORT/
http://4294967295:PORT/
http://1.0x7f000001:PORT/
http://127.0.0.1%20:PORT/
http://127.0.0.1%00.example.com:PORT/
http://%31%32%37.0.0.1:PORT/
http://127%2e0%2e0%2e1:PORT/
http://１２７.０.０.１:PORT/
http://①②⑦.⓪.⓪.①:PORT/
http://127。0。0。1:PORT/
http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/
http://localhost:PORT/
http://LOCALHOST:PORT/
http://LocalHost.:PORT/
http://a.localhost:PORT/
http://localhost.localdomain:PORT/
http://ip6-localhost:PORT/
http://[::1]:PORT/
http://[0:0:0:0:0:0:0:1]:PORT/
http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/
http://[::]:PORT/
http://[::%25lo]:PORT/
http://[::1%25lo]:PORT/
http://[::1%25eth0]:PORT/
http://[::127.0.0.1]:PORT/
http://[::7f00:1]:PORT/
http://[::ffff:127.0.0.1]:PORT/
http://[::ffff:7f00:1]:PORT/
http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/
http://[::ffff:0:127.0.0.1]:PORT/
http://[::ffff:0.0.0.0]:PORT/
http://[::ffff:10.0.0.1]:PORT/
http://[::ffff:169.254.169.254]:PORT/
http://[64:ff9b::127.0.0.1]:PORT/
http://[64:ff9b::7f00:1]:PORT/
http://[64:ff9b::10.0.0.1]:PORT/
http://[64:ff9b::169.254.169.254]:PORT/
http://[64:ff9b:1::127.0.0.1]:PORT/
http://[64:ff9b:1:ffff::10.0.0.1]:PORT/
http://[2002:7f00:1::]:PORT/
http://[2002:0a00:0001::1]:PORT/
http://[2002:a9fe:a9fe::]:PORT/
http://[2001:0:0:0:0:0:80ff:fffe]:PORT/
http://[2001:0:4136:e378:8000:63bf:f5ff:fffe]:PORT/
http://[2607:f8b0::5efe:127.0.0.1]:PORT/
http://[2607:f8b0::200:5efe:10.0.0.1]:PORT/
http://[fe80::1]:PORT/
http://[fe80::1%25eth0]:PORT/
http://[fec0::1]:PORT/
http://[fc00::1]:PORT/
http://[fd12:3456:789a::1]:PORT/
http://[fd00:ec2::254]:PORT/latest/meta-data/
http://[ff02::1]:PORT/
http://[ff05::2]:PORT/
http://[2001:db8::1]:PORT/
http://[3fff::1]:PORT/
http://[100::1]:PORT/
http://[5f00::1]:PORT/
http://[2001:2::1]:PORT/
http://[2001:20::1]:PORT/
http://10.0.0.1:PORT/
http://10.255.255.255:PORT/
http://172.16.0.1:PORT/
http://172.31.255.254:PORT/
http://192.168.0.1:PORT/
http://192.168.255.255:PORT/
http://100.64.0.1:PORT/
http://100.127.255.254:PORT/
http://100.100.100.200:PORT/latest/meta-data/
http://169.254.169.254/latest/meta-data/
http://169.254.170.2/v2/credentials
http://169.254.0.1:PORT/
http://2852039166/latest/meta-data/
http://0xa9fea9fe/
http://0251.0376.0251.0376/
http://168.63.129.16/metadata
http://192.0.0.192/opc/v2/
http://192.0.0.1:PORT/
http://192.0.2.1:PORT/
http://192.88.99.1:PORT/
http://198.18.0.1:PORT/
http://198.51.100.1:PORT/
http://203.0.113.1:PORT/
http://224.0.0.1:PORT/
http://239.255.255.250:PORT/
http://240.0.0.1:PORT/
http://255.255.255.255:PORT/
http://good.test@127.0.0.1:PORT/
http://good.test:80@127.0.0.1:PORT/
http://good.test%40127.0.0.1:PORT/
http://127.0.0.1:PORT@good.test/
http://user:secret@loop.test:PORT/
http://127.0.0.1:PORT#@good.test/
http://127.0.0.1:PORT\@good.test/
http://good.test\@127.0.0.1:PORT/
http://good.test:80:PORT/
http://127.0.0.1 :PORT/
http://127.0.0.1	:PORT/
http:///127.0.0.1:PORT/
http:127.0.0.1:PORT/
http:/127.0.0.1:PORT/
//127.0.0.1:PORT/
///127.0.0.1:PORT/
file:///etc/passwd
gopher://127.0.0.1:PORT/_
ftp://127.0.0.1:PORT/
dict://127.0.0.1:PORT/
unix:///var/run/docker.sock
ws://127.0.0.1:PORT/
jar:http://127.0.0.1:PORT/
HTTP://127.0.0.1:PORT/
https://127.0.0.1:PORT/
http://loop.test:PORT/
http://LOOP.test:PORT/
http://loop.test.:PORT/
http://loop6.test:PORT/
http://mapped.test:PORT/
http://both.test:PORT/
http://any.test:PORT/
http://any6.test:PORT/
http://nat64.test:PORT/
http://sixtofour.test:PORT/
http://teredo.test:PORT/
http://meta.test/
http://ten.test:PORT/
http://rebind.test:PORT/
http://127.0.0.1.nip.test:PORT/
http://good.test:22/
http://good.test:6379/
http://good.test:0/
http://good.test:65536/
http://good.test:-1/
http://loop_under.test:PORT/
http://-.test:PORT/
http://..:PORT/
http://a..b:PORT/
http://.:PORT/
http://:PORT/
http://*:PORT/
http://loop.test,good.test:PORT/
http://loop.test;good.test:PORT/
http://[127.0.0.1]:PORT/
http://[loop.test]:PORT/
http://[::1:PORT/
http://::1:PORT/
http://[::1].good.test:PORT/
`

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
	tr := newTrap(t)
	guard, err := egress.New(egress.Policy{Ports: []int{80, 443, tr.port}, Timeout: 2 * time.Second, Resolver: newResolver(t, names())})
	if err != nil {
		t.Fatal(err)
	}
	// getaddrinfo reads 0x7f.1 as an address
	system, err := egress.New(egress.Policy{Ports: []int{80, 443, tr.port}, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	urls := strings.Split(strings.Trim(hostile, "\n"), "\n")
	for _, addr := range ownAddresses(t) {
		urls = append(urls, "http://"+net.JoinHostPort(addr, "PORT")+"/")
	}
	if len(urls) < 100 {
		t.Fatalf("%d URLs", len(urls))
	}
	for _, raw := range urls {
		raw = strings.ReplaceAll(raw, "PORT", fmt.Sprint(tr.port))
		for _, g := range []*egress.Guard{guard, system} {
			if strings.Contains(raw, ".test") && g == system {
				continue
			}
			resp, err := g.Client().Get(raw)
			if err == nil {
				resp.Body.Close()
				t.Errorf("%s was answered", raw)
			}
			dialHost(t, g, raw, tr.port)
		}
	}
	if n := tr.count.Load(); n != 0 {
		t.Errorf("%d connections to this machine", n)
	}
	t.Logf("%d URLs", len(urls))
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
	ifaces, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
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
	tr := newTrap(t)
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
		guard, err := egress.New(egress.Policy{Private: []string{tt.private}, Ports: []int{tr.port}, Resolver: newResolver(t, names())})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := guard.Client().Get(fmt.Sprintf("http://%s:%d/", tt.host, tr.port))
		if err != nil {
			t.Errorf("%s with %s allowed: %v", tt.host, tt.private, err)
			continue
		}
		resp.Body.Close()
		guard.Client().CloseIdleConnections()
	}
	if tr.count.Load() == 0 {
		t.Error("the trap counts nothing")
	}
}

// A name whose first answer is allowed and whose second is not gets one connection: nothing is
// remembered between look-up and dial.
func TestRebindingNamesAreCaught(t *testing.T) {
	tr := newTrap(t)
	guard, err := egress.New(egress.Policy{Private: []string{"127.0.0.2"}, Ports: []int{tr.port}, Resolver: newResolver(t, names())})
	if err != nil {
		t.Fatal(err)
	}
	for turn := range 3 {
		resp, err := guard.Client().Get(fmt.Sprintf("http://rebind.test:%d/", tr.port))
		if err == nil {
			resp.Body.Close()
			guard.Client().CloseIdleConnections()
		}
		if turn == 0 && err != nil || turn > 0 && blocked(err) == nil {
			t.Errorf("request %d: %v", turn+1, err)
		}
	}
	if n := tr.count.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// A name that is allowed to be private is not allowed to be a place that hands out credentials.
func TestPrivateHostsDoNotReachMetadata(t *testing.T) {
	guard, err := egress.New(egress.Policy{Private: []string{"*.test", "10.0.0.0/8"}, Resolver: newResolver(t, names())})
	if err != nil {
		t.Fatal(err)
	}
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
