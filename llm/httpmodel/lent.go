package httpmodel

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
)

// rooms is memory for the bodies of requests: each is as long as a whole conversation.
var rooms sync.Pool // of *[]byte

// maxRoom is the longest body whose memory is kept, in bytes.
const maxRoom = 4 << 20

// room returns an empty slice with at least this capacity.
func room(size int) []byte {
	if kept, ok := rooms.Get().(*[]byte); ok && cap(*kept) >= size {
		return (*kept)[:0]
	}
	return make([]byte, 0, size)
}

// lentBody is the body of a request. Its memory is used again once everybody has let go of it: the
// call, and each reader of the transport, which may outlive the call.
type lentBody struct {
	bytes []byte
	users atomic.Int32
}

// lend returns a body that the caller holds.
func lend(b []byte) *lentBody {
	body := &lentBody{bytes: b}
	body.users.Store(1)
	return body
}

func (b *lentBody) letGo() {
	if b.users.Add(-1) == 0 && cap(b.bytes) <= maxRoom {
		rooms.Put(&b.bytes)
	}
}

// open returns another reader. It must be called while somebody holds the body.
func (b *lentBody) open() (io.ReadCloser, error) {
	b.users.Add(1)
	return &bodyReader{body: b, rest: bytes.NewReader(b.bytes)}, nil
}

// bodyReader reads a body until it is closed, which HTTP/2 also does in the middle of a read.
type bodyReader struct {
	body *lentBody

	mu   sync.Mutex
	rest *bytes.Reader // nil once closed
}

func (r *bodyReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rest == nil {
		return 0, io.ErrClosedPipe
	}
	return r.rest.Read(p)
}

func (r *bodyReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rest != nil {
		r.rest = nil
		r.body.letGo()
	}
	return nil
}
