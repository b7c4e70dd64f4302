package mcptool_test

import (
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// reserve returns an address that nobody gets who asks for any free one, until the test ends: its
// server is stopped and started again. A socket that is bound and does not listen refuses
// connections, and whoever names its port may listen there.
func reserve(t *testing.T) *net.TCPAddr {
	t.Helper()
	if runtime.GOOS != "linux" { // others do not let a listener have a port that is bound
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		defer l.Close()
		return l.Addr().(*net.TCPAddr)
	}
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	must(t, err)
	syscall.CloseOnExec(s)
	t.Cleanup(func() { _ = syscall.Close(s) })
	must(t, syscall.SetsockoptInt(s, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
	must(t, syscall.Bind(s, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	name, err := syscall.Getsockname(s)
	must(t, err)
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
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
