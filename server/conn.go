package server

import (
	"context"
	"net"
)

// unread is about how many bytes the kernel keeps for a client that does not read them. Left to
// itself it keeps up to 4 MiB.
const unread = 256 << 10

// ConnContext bounds what a client that does not read costs before it is dropped. It is to be the
// ConnContext of the http.Server that serves a Server; without it everything works, and a thousand
// stalled readers take gigabytes.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetWriteBuffer(unread) // a bound, not a need
	}
	return ctx
}
