package egresstest

import (
	_ "embed" // of the URLs
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// Trap listens on every address of this machine and counts who connects.
type Trap struct {
	Port  int
	Count atomic.Int64
}

// NewTrap sets a trap until the test ends.
func NewTrap(t testing.TB) *Trap {
	t.Helper()
	l := must.Get(net.Listen("tcp", ":0"))(t)
	trap := &Trap{Port: l.Addr().(*net.TCPAddr).Port}
	srv := &http.Server{
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				trap.Count.Add(1)
			}
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "inside") }),
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.Serve(l) })
	t.Cleanup(func() { srv.Close(); serving.Wait() })
	return trap
}

//go:embed testdata/hostile.txt
var hostile string

// HostileURLs returns URLs that lead, or might lead some parser or resolver, into the server's
// network, at a port.
func HostileURLs(t testing.TB, port int) []string {
	t.Helper()
	all := strings.Split(strings.Trim(strings.ReplaceAll(hostile, "PORT", strconv.Itoa(port)), "\n"), "\n")
	if len(all) < 300 {
		t.Fatalf("there are %d URLs", len(all))
	}
	return all
}
