package server

import (
	"context"
	"net"
)

// unread is about how many bytes the kernel buffers for a client that does not read. By default it
// buffers up to 4 MiB.
const unread = 256 << 10

// ConnContext bounds what a client that does not read costs before it is dropped. Use it as the
// ConnContext of the http.Server that serves a Server. Without it everything works, but a thousand
// stalled readers take gigabytes.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetWriteBuffer(unread) // best effort
	}
	return ctx
}
