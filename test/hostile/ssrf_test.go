package hostile

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/egress/egresstest"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool"
	"github.com/pageside/pageside/tool/mcptool"
)

// newRebinder returns a resolver that knows every name: those with "rebind" in them lead out the
// first time they are asked for, and everything else leads to this machine.
func newRebinder(t *testing.T) *net.Resolver {
	t.Helper()
	var mu sync.Mutex
	asked := map[string]bool{}
	return egresstest.NewResolver(t, func(name string, kind uint16) ([]netip.Addr, bool) {
		if kind == egresstest.AAAA {
			return []netip.Addr{netip.IPv6Loopback()}, true
		}
		mu.Lock()
		defer mu.Unlock()
		first := !asked[name] && strings.Contains(name, "rebind")
		if asked[name] = true; first {
			// it goes nowhere, and is refused too
			return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, true
		}
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, true
	})
}

// call calls an HTTP tool.
func call(t *testing.T, made *tool.Tool) tool.Result {
	t.Helper()
	return tool.Execute(t.Context(), made, tool.Call{ID: "c1", Tool: made.Name, Args: json.RawMessage(`{}`), Log: quiet}, func(tool.Progress) {})
}

// TestToolsConnectToNothingInside: neither an HTTP tool nor an MCP server with such a URL connects.
func TestToolsConnectToNothingInside(t *testing.T) {
	tr := egresstest.NewTrap(t)
	out := httptool.Egress{Resolver: newRebinder(t)}
	urls := egresstest.HostileURLs(t, tr.Port)
	for _, raw := range urls {
		made, err := httptool.New(httptool.Config{Name: "look", InputSchema: json.RawMessage(`{"type":"object"}`), URL: raw, Egress: out, Timeout: 2 * time.Second})
		if err == nil {
			if r := call(t, made); !r.IsError {
				t.Errorf("an HTTP tool at %s is told %s", raw, r.Text)
			}
		}
		_, sessions, err := mcptool.Connect(t.Context(), mcptool.Server{Name: "x", URL: raw, Egress: out, Required: true, ConnectTimeout: 2 * time.Second, Logger: quiet})
		if err == nil {
			t.Errorf("an MCP server at %s is connected", raw)
			_ = sessions.Close()
		}
	}
	must.Be(t, tr.Count.Load(), 0, "connections")
	t.Logf("%d URLs", len(urls))
}

// TestToolsFollowNobodyInside: nor does one at an endpoint that may be reached and redirects there.
func TestToolsFollowNobodyInside(t *testing.T) {
	tr := egresstest.NewTrap(t)
	var to atomic.Value
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to.Load().(string))
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer srv.Close()
	inside := httptool.Egress{Private: []string{"127.0.0.1"}, Resolver: newRebinder(t)}
	made, err := httptool.New(httptool.Config{Name: "look", InputSchema: json.RawMessage(`{"type":"object"}`), URL: srv.URL + "/", Egress: inside, Timeout: 2 * time.Second})
	must.Do(t, err)
	for _, raw := range egresstest.HostileURLs(t, tr.Port) {
		if u, err := url.Parse(raw); err != nil || u.Host == "" {
			continue // no address to redirect to
		}
		to.Store(raw)
		if r := call(t, made); !r.IsError && !strings.Contains(r.Text, "redirect") {
			t.Errorf("redirected to %s the tool is told %s", raw, r.Text)
		}
	}
	must.Be(t, tr.Count.Load(), 0, "connections")
}

// TestTheTrapIsHit: where the operator allows it, the same tool connects.
func TestTheTrapIsHit(t *testing.T) {
	tr := egresstest.NewTrap(t)
	made, err := httptool.New(httptool.Config{Name: "look", InputSchema: json.RawMessage(`{"type":"object"}`), URL: fmt.Sprintf("http://loop.test:%d/", tr.Port),
		Egress: httptool.Egress{Private: []string{"loop.test"}, Resolver: newRebinder(t)}})
	must.Do(t, err)
	if r := call(t, made); r.IsError || tr.Count.Load() == 0 {
		t.Errorf("%d connections: %s", tr.Count.Load(), r.Text)
	}
}
