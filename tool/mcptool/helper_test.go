package mcptool_test

import (
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// reserve returns an address that nobody gets who asks for any free one, until the test ends: its
// server is stopped and started again. A socket that is bound and does not listen refuses
// connections, and whoever names its port may listen there.
func reserve(t *testing.T) *net.TCPAddr {
	t.Helper()
	if runtime.GOOS != "linux" { // others do not let a listener have a port that is bound
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		return l.Addr().(*net.TCPAddr)
	}
	s := must.Get(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0))(t)
	syscall.CloseOnExec(s)
	t.Cleanup(func() { _ = syscall.Close(s) })
	must.Do(t, syscall.SetsockoptInt(s, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
	must.Do(t, syscall.Bind(s, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	name := must.Get(syscall.Getsockname(s))(t)
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}
}

// listenAgain listens at an address that was in use a moment ago.
func listenAgain(addr string) (net.Listener, error) {
	var err error
	for until := time.Now().Add(hangs); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		var l net.Listener
		if l, err = net.Listen("tcp", addr); err == nil {
			return l, nil
		}
	}
	return nil, err
}
