package egress_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/egress/egresstest"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

func blocked(err error) *egress.Error {
	e, _ := errors.AsType[*egress.Error](err)
	return e
}

// at serves h on loopback and returns a policy that allows it there, under the name site.test as
// well.
func at(t *testing.T, h http.HandlerFunc) (egress.Policy, string) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	u := must.Get(url.Parse(srv.URL))(t)
	port := must.Get(strconv.Atoi(u.Port()))(t)
	home := addrs("127.0.0.1")
	return egress.Policy{
		Private: []string{"127.0.0.0/8"}, Ports: []int{port},
		Resolver: newResolver(t, map[string][][]netip.Addr{"site.test": {home}, "other.test": {home}, "sub.site.test": {home}}),
	}, ":" + u.Port()
}

func client(t *testing.T, p egress.Policy) *http.Client {
	t.Helper()
	g := must.Get(egress.New(p))(t)
	t.Cleanup(g.Client().CloseIdleConnections)
	return g.Client()
}

func TestRedirects(t *testing.T) {
	var seen []string
	p, port := at(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Host+r.URL.Path+" "+r.Header.Get("Authorization"))
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
			return
		}
		if n, _ := strconv.Atoi(r.URL.Query().Get("n")); n > 0 {
			http.Redirect(w, r, fmt.Sprintf("/hop?n=%d", n-1), http.StatusFound)
			return
		}
		fmt.Fprint(w, "end")
	})
	c := client(t, p)
	for _, tt := range []struct {
		name, query, refused string
		hops                 int
	}{
		{"none", "", "", 1},
		{"three on the same host", "?n=3", "", 4},
		{"four", "?n=4", "more than 3 redirects", 4},
		{"another host", "?to=" + url.QueryEscape("http://other.test"+port+"/"), "redirects to other hosts are not followed", 1},
		{"a host below", "?to=" + url.QueryEscape("http://sub.site.test"+port+"/"), "redirects to other hosts are not followed", 1},
		{"the address behind it", "?to=" + url.QueryEscape("http://127.0.0.1"+port+"/"), "redirects to other hosts are not followed", 1},
		{"metadata", "?to=" + url.QueryEscape("http://169.254.169.254/"), "redirects to other hosts are not followed", 1},
		{"another port", "?to=" + url.QueryEscape("http://site.test:81/"), "another port", 1},
		{"a user name", "?to=" + url.QueryEscape("http://u:p@site.test"+port+"/"), "user name", 1},
		{"another scheme", "?to=" + url.QueryEscape("file://site.test/etc/passwd"), "only http and https", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seen = nil
			req := must.Get(http.NewRequest(http.MethodGet, "http://site.test"+port+"/start"+tt.query, nil))(t)
			req.Header.Set("Authorization", "Bearer s3cret")
			resp, err := c.Do(req)
			if err == nil {
				resp.Body.Close()
			}
			if tt.refused == "" && err != nil || tt.refused != "" && (blocked(err) == nil || !strings.Contains(err.Error(), tt.refused)) {
				t.Errorf("got %v, want %q", err, tt.refused)
			}
			must.Be(t, len(seen), tt.hops, "requests %q", seen)
		})
	}
}

func TestBodiesAreBounded(t *testing.T) {
	p, port := at(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		switch r.URL.Path {
		case "/announced":
			w.Header().Set("Content-Length", strconv.Itoa(n))
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			fmt.Fprint(z, strings.Repeat("x", n))
			z.Close()
			_, _ = w.Write(b.Bytes())
			return
		}
		for range n {
			if _, err := io.WriteString(w, "x"); err != nil {
				return
			}
		}
	})
	p.MaxBytes = 1000
	c := client(t, p)
	for _, path := range []string{"/announced", "/streamed", "/gzip"} {
		for n, want := range map[int]int{0: 0, 999: 999, 1000: 1000, 1001: -1, 100_000: -1} {
			resp, err := c.Get(fmt.Sprintf("http://site.test%s%s?n=%d", port, path, n))
			var body []byte
			if err == nil {
				body, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if want < 0 && (!errors.Is(err, egress.ErrTooLarge) || len(body) > 1000) || want >= 0 && (err != nil || len(body) != want) {
				t.Errorf("%s of %d: %d bytes, %v", path, n, len(body), err)
			}
		}
	}
}

func TestRequestsEndInTime(t *testing.T) {
	release := make(chan struct{})
	p, port := at(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-release
	})
	defer close(release)
	p.Timeout = 50 * time.Millisecond
	resp, err := client(t, p).Get("http://site.test" + port)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	must.Fail(t, err, "", "a body that never ends")
}

// A proxy in the environment would make the connections that the guard is there to check.
func TestProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	tr := egresstest.NewTrap(t)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, fmt.Sprintf("http://127.0.0.1:%d", tr.Port))
	}
	p, port := at(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.String()) })
	resp := must.Get(client(t, p).Get("http://site.test" + port + "/direct"))(t)
	resp.Body.Close()
	must.Be(t, tr.Count.Load(), 0, "connections to the proxy")
}

func TestPolicies(t *testing.T) {
	listed := must.Get(egress.New(egress.Policy{Hosts: []string{"API.example.com.", "*.example.org", "8.8.8.8", "2606:4700::1111"}}))(t)
	anywhere := must.Get(egress.New(egress.Policy{}))(t)
	talk.Lines(t, "testdata/policies.txtar", func(t *testing.T, section, line string) []string {
		if section == "policies that cannot be used" {
			return []string{must.Text(must.Err(egress.New(must.JSON[egress.Policy](t, line))))}
		}
		guard := listed
		if strings.HasPrefix(section, "any address") {
			guard = anywhere
		}
		u, err := url.Parse(line)
		if err != nil {
			return []string{"is no URL"}
		}
		return []string{cmp.Or(must.Text(guard.CheckURL(u)), "allowed")}
	})
}

// TestRemedies: an error says what to add to the configuration, where anything should be added.
func TestRemedies(t *testing.T) {
	for address, want := range map[string]string{
		"http://127.0.0.1/":         "127.0.0.1 to egress.private",
		"http://localhost/":         "localhost to egress.private",
		"http://[::1]/":             "::1 to egress.private",
		"http://10.0.0.7/":          "10.0.0.7 to egress.private",
		"https://api.example:8443/": "8443 to egress.ports",
		"https://other.example/":    "other.example to egress.hosts",
		"http://169.254.169.254/":   "", // nobody should
		"ftp://api.example/":        "",
	} {
		u := must.Get(url.Parse(address))(t)
		policy := egress.Policy{Hosts: []string{"api.example", "127.0.0.1", "localhost", "::1", "10.0.0.7", "169.254.169.254"}}
		for _, fixed := range []bool{false, true} {
			policy.Fixed = fixed
			guard := must.Get(egress.New(policy))(t)
			told := blocked(guard.CheckURL(u))
			if told == nil {
				t.Fatalf("%s is allowed", address)
			}
			if fixed {
				want = ""
			}
			must.Be(t, told.Remedy, want, "the remedy for %s", address)
			must.Be(t, strings.Contains(told.Error(), "to allow it, add "+want), want != "", "%v names it", told)
		}
	}
}

// A server that speaks only what is broken is not spoken to, and one whose headers do not end is
// not listened to.
func TestServersThatAreNotSpokenTo(t *testing.T) {
	for name, test := range map[string]struct {
		newest uint16 // of its TLS
		header int    // bytes
		want   string // part of the error
	}{
		"TLS 1.2":       {tls.VersionTLS12, 100, ""},
		"TLS 1.1":       {tls.VersionTLS11, 100, "protocol version"},
		"large headers": {tls.VersionTLS13, 2 << 20, "header"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Large", strings.Repeat("a", test.header))
			}))
			srv.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: test.newest}
			srv.Config.ErrorLog = log.New(io.Discard, "", 0)
			srv.StartTLS()
			t.Cleanup(srv.Close)
			roots := x509.NewCertPool()
			roots.AddCert(srv.Certificate())
			u := must.Get(url.Parse(srv.URL))(t)
			port := must.Get(strconv.Atoi(u.Port()))(t)
			resp, err := client(t, egress.Policy{Private: []string{"127.0.0.0/8"}, Ports: []int{port}, RootCAs: roots}).Get(srv.URL)
			if err == nil {
				resp.Body.Close()
			}
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}
