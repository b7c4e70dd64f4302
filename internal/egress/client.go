package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Limits on connecting, also for requests without a timeout.
const (
	dialTimeout   = 3 * time.Second
	tlsTimeout    = 5 * time.Second
	idleTimeout   = 60 * time.Second
	maxHeaders    = 64 << 10
	maxRedirects  = 3
	maxIdle       = 32
	maxIdlePerOne = 8
)

// ErrTooLarge is returned when a body exceeds the policy's limit.
var ErrTooLarge = errors.New("the response is too large")

type clientOnce struct {
	sync.Once
	http *http.Client
}

// StreamClient returns a client for answers of one URL that stream: it follows no redirect and sets
// no time limit, since what it is used for has its own. A private host must be allowed.
func (p Policy) StreamClient(u *url.URL, maxBytes int64) (*http.Client, error) {
	p.Timeout, p.MaxBytes = -1, maxBytes
	guard, err := p.GuardOf(u)
	if err != nil {
		return nil, err
	}
	client := *guard.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client, nil
}

// Client returns a client that enforces the policy on addresses, redirects (at most three, on the
// same host), body size and request time. It always returns the same client, to reuse connections.
func (g *Guard) Client() *http.Client {
	g.client.Do(func() {
		g.client.http = &http.Client{
			Transport:     &roundTripper{guard: g, base: g.transport()},
			CheckRedirect: g.checkRedirect,
			Timeout:       max(g.policy.Timeout, 0),
		}
	})
	return g.client.http
}

func (g *Guard) transport() *http.Transport {
	return &http.Transport{
		// not from the environment: a proxy would connect without this guard
		Proxy:                  nil,
		DialContext:            g.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: g.policy.RootCAs},
		TLSHandshakeTimeout:    tlsTimeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdlePerOne,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaders,
	}
}

// DialContext connects to a host over TCP if the policy allows its address. It checks every address
// immediately before connecting.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil, &Error{Host: address, Reason: "only TCP is"}
	}
	raw, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial %q: %w", address, err)
	}
	host, err := cleanHost(raw)
	if err != nil {
		return nil, &Error{Host: raw, Reason: err.Error()}
	}
	if err := errors.Join(g.checkPort(host, port), g.checkHost(host)); err != nil {
		return nil, err
	}
	return g.dialer(host).DialContext(ctx, network, net.JoinHostPort(host, port))
}

// dialer returns a dialer that checks each address right before connecting the socket.
func (g *Guard) dialer(host string) *net.Dialer {
	return &net.Dialer{
		Timeout:  dialTimeout,
		Resolver: g.policy.Resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			target, err := netip.ParseAddrPort(address)
			if err != nil {
				return &Error{Host: host, Reason: "it leads to " + address + ", which is no address"}
			}
			return g.checkAddr(host, target.Addr())
		},
	}
}

// checkRedirect only allows redirects within one host. Another host would get what was meant for
// this one: a body, a header with a secret.
func (g *Guard) checkRedirect(req *http.Request, via []*http.Request) error {
	from, to := via[len(via)-1].URL, req.URL
	switch {
	case len(via) > maxRedirects:
		return &Error{Host: to.Hostname(), Reason: fmt.Sprintf("it is the end of more than %d redirects", maxRedirects)}
	case !strings.EqualFold(from.Hostname(), to.Hostname()):
		return &Error{
			Host:   to.Hostname(),
			Reason: fmt.Sprintf("%s redirects there, and redirects to other hosts are not followed", from.Hostname()),
		}
	case from.Scheme == "https" && to.Scheme != "https":
		return &Error{Host: to.Hostname(), Reason: "it redirects from https to http"}
	case portOf(from) != portOf(to) && from.Scheme == to.Scheme:
		return &Error{Host: to.Hostname(), Reason: "it redirects to another port"}
	}
	return g.CheckURL(to)
}

// roundTripper checks each request, including redirects, and limits the response.
type roundTripper struct {
	guard *Guard
	base  *http.Transport
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.guard.CheckURL(req.URL); err != nil {
		return nil, err
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	most := t.guard.policy.MaxBytes
	if resp.ContentLength > most && req.Method != http.MethodHead {
		resp.Body.Close()
		return nil, fmt.Errorf("%w: it announces %d bytes, at most %d are allowed", ErrTooLarge,
			resp.ContentLength, most)
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: most, most: most}
	return resp, nil
}

// CloseIdleConnections is called by http.Client.
func (t *roundTripper) CloseIdleConnections() { t.base.CloseIdleConnections() }

type boundedBody struct {
	io.ReadCloser
	left, most int64
}

// Read fails once the limit is exceeded. A body of exactly that length can be read to its end.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, b.most)
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, b.most)
	}
	return n, err
}
