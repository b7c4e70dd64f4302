package mcptool_test

import (
	"net"
	"time"
)

// listenAgain listens at an address that was in use a moment ago.
func listenAgain(addr string) (net.Listener, error) {
	var err error
	for range 50 {
		var l net.Listener
		if l, err = net.Listen("tcp", addr); err == nil {
			return l, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, err
}
