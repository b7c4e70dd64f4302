package hostile

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool"
	"github.com/pageside/pageside/tool/mcptool"
)

// trap listens on every address of this machine and counts who connects.
type trap struct {
	port  string
	count atomic.Int64
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	must(t, err)
	tr := &trap{port: fmt.Sprint(l.Addr().(*net.TCPAddr).Port)}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "inside") }),
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				tr.count.Add(1)
			}
		}}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.Serve(l) })
	t.Cleanup(func() { srv.Close(); serving.Wait() })
	return tr
}

// insideURLs are URLs that lead inside.
func insideURLs(t *testing.T, tr *trap) []string {
	t.Helper()
	list, err := os.ReadFile("../../internal/egress/testdata/hostile.txt")
	must(t, err)
	all := strings.Split(strings.Trim(strings.ReplaceAll(string(list), "PORT", tr.port), "\n"), "\n")
	if len(all) < 300 {
		t.Fatalf("there are %d URLs", len(all))
	}
	return all
}

// rebinder resolves every name to public addresses the first time, and to this machine from then
// on, over connections of its own.
type rebinder struct {
	serving sync.WaitGroup
	mu      sync.Mutex
	asked   map[string]bool
}

func newRebinder(t *testing.T) *net.Resolver {
	t.Helper()
	r := &rebinder{asked: map[string]bool{}}
	t.Cleanup(r.serving.Wait)
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe() // not a packet connection: messages have their length in front
		r.serving.Go(func() { r.serve(server) })
		return client, nil
	}}
}

func (r *rebinder) serve(c net.Conn) {
	defer c.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, query); err != nil {
			return
		}
		answer := r.answer(query)
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

// answer answers a query of one question (RFC 1035) with one address.
func (r *rebinder) answer(query []byte) []byte {
	end := 12
	for query[end] != 0 {
		end += 1 + int(query[end])
	}
	name, kind := string(query[12:end]), binary.BigEndian.Uint16(query[end+1:])
	r.mu.Lock()
	first := !r.asked[name] && strings.Contains(name, "rebind")
	r.asked[name] = true
	r.mu.Unlock()
	addr := netip.MustParseAddr("127.0.0.1")
	if first {
		addr = netip.MustParseAddr("192.0.2.1") // goes nowhere, and is refused too
	}
	if kind == 28 {
		addr = netip.MustParseAddr("::1")
	}
	out := append([]byte{query[0], query[1], 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 0}, query[12:end+5]...)
	out = append(out, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(addr.BitLen()/8))
	return append(out, addr.AsSlice()...)
}

// call calls an HTTP tool.
func call(t *testing.T, made *tool.Tool) tool.Result {
	t.Helper()
	return tool.Execute(t.Context(), made, tool.Call{ID: "c1", Tool: made.Name, Args: json.RawMessage(`{}`), Log: quiet}, func(tool.Progress) {})
}

// TestToolsConnectToNothingInside: neither an HTTP tool nor an MCP server with such a URL connects.
func TestToolsConnectToNothingInside(t *testing.T) {
	tr := newTrap(t)
	out := httptool.Egress{Resolver: newRebinder(t)}
	urls := insideURLs(t, tr)
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
	if n := tr.count.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
	t.Logf("%d URLs", len(urls))
}

// TestToolsFollowNobodyInside: nor does one at an endpoint that may be reached and redirects there.
func TestToolsFollowNobodyInside(t *testing.T) {
	tr := newTrap(t)
	var to atomic.Value
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to.Load().(string))
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer srv.Close()
	inside := httptool.Egress{Private: []string{"127.0.0.1"}, Resolver: newRebinder(t)}
	made, err := httptool.New(httptool.Config{Name: "look", InputSchema: json.RawMessage(`{"type":"object"}`), URL: srv.URL + "/", Egress: inside, Timeout: 2 * time.Second})
	must(t, err)
	for _, raw := range insideURLs(t, tr) {
		if u, err := url.Parse(raw); err != nil || u.Host == "" {
			continue // no address to redirect to
		}
		to.Store(raw)
		if r := call(t, made); !r.IsError && !strings.Contains(r.Text, "redirect") {
			t.Errorf("redirected to %s the tool is told %s", raw, r.Text)
		}
	}
	if n := tr.count.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

// TestTheTrapIsHit: where the operator allows it, the same tool connects.
func TestTheTrapIsHit(t *testing.T) {
	tr := newTrap(t)
	made, err := httptool.New(httptool.Config{Name: "look", InputSchema: json.RawMessage(`{"type":"object"}`), URL: "http://loop.test:" + tr.port + "/",
		Egress: httptool.Egress{Private: []string{"loop.test"}, Resolver: newRebinder(t)}})
	must(t, err)
	if r := call(t, made); r.IsError || tr.count.Load() == 0 {
		t.Errorf("%d connections: %s", tr.count.Load(), r.Text)
	}
}
