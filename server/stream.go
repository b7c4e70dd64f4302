package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
)

// allowToWrite sets the deadline for the next writes to w. net/http lifts it when the request ends.
func allowToWrite(w http.ResponseWriter, timeout time.Duration) {
	// unsupported by test recorders only
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout))
}

// stream sends a run's events until its end, until the client leaves, or until its credentials end.
// The run continues either way. translate turns the events into those of another protocol; nil
// sends them as they are, in the reader's framing.
func (s *Server) stream(c *call, reader *run.Reader, translate Translate) error {
	defer reader.Close()
	h := c.w.Header()
	h.Set("Content-Type", reader.MediaType()) // clients compare it as it is
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	out := s.beats.open(c.w)
	defer s.beats.close(out)
	out.binary = reader.MediaType() == agui.ProtoMediaType
	credentials := s.watch(c)
	defer credentials.stop()
	// a client that follows an idle thread should see that it is connected
	if c.r.Method == http.MethodGet && !out.send(nil) {
		return nil
	}
	for {
		if credentials.over() {
			out.comment(signInAgain)
			return nil
		}
		read, done, ok := out.pass(reader, translate)
		switch {
		case !ok:
			return nil
		case read:
			continue
		}
		if done {
			if s.cfg.Runs.Draining() {
				out.comment(comeBack) // the run may continue in another process
			}
			return nil
		}
		select {
		case <-reader.Wake():
		case <-credentials.done:
		case <-out.quiet:
			if !out.beat() {
				return nil
			}
		case <-c.r.Context().Done():
			return nil
		}
	}
}

// Sent besides events: a keep-alive comment, the reconnection time, and why a stream ends early.
var (
	keepAlive   = []byte(": keep-alive\n\n")
	comeBack    = []byte("retry: 1000\n\n")
	signInAgain = []byte(": the credentials have ended\n\n")
)

// output is one open stream.
type output struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	ticks   atomic.Int32  // of the heartbeat since something was sent
	quiet   chan struct{} // signalled after a silence
	timeout time.Duration // of a write
	allowed time.Time     // when the write deadline was set
	binary  bool          // the events are in AG-UI's binary framing
	inRun   bool          // if binary: the events sent so far end inside a run
}

// send writes and flushes. It returns false if the client has gone or is too slow.
func (o *output) send(frames []byte) bool {
	o.ticks.Store(0)
	// setting a deadline for each token would be too expensive
	if now := time.Now(); now.Sub(o.allowed) > min(time.Second, o.timeout/4) {
		o.allowed = now
		allowToWrite(o.w, o.timeout)
	}
	if _, err := o.w.Write(frames); err != nil {
		return false
	}
	return o.rc.Flush() == nil
}

// pass sends what is ready, in the terms of another protocol if there is a translate, which may
// have nothing to say of it. read is false if nothing was ready, ok if the client has gone.
func (o *output) pass(reader *run.Reader, translate Translate) (read, done, ok bool) {
	if translate == nil {
		frames, done := reader.Next()
		if len(frames) == 0 {
			return false, done, true
		}
		o.inRun = o.binary && !agui.ProtoEnds(frames)
		return true, done, o.send(frames)
	}
	events, done := reader.Events()
	var all []byte
	for _, e := range events {
		all = append(all, translate(e)...)
	}
	return len(events) > 0, done, len(all) == 0 || o.send(all)
}

// heartbeat finds idle streams, with one timer for all of them.
type heartbeat struct {
	timeout time.Duration // of a write to a stream

	mu      sync.Mutex
	streams map[*output]struct{}
	done    chan struct{}
	once    sync.Once
}

// ticksToQuiet is the number of ticks after which a stream is idle.
const ticksToQuiet = 3

func newHeartbeat(silence, timeout time.Duration) *heartbeat {
	b := &heartbeat{timeout: timeout, streams: make(map[*output]struct{}), done: make(chan struct{})}
	go b.tick(max(silence/ticksToQuiet, time.Millisecond))
	return b
}

func (b *heartbeat) open(w http.ResponseWriter) *output {
	o := &output{w: w, rc: http.NewResponseController(w), timeout: b.timeout, quiet: make(chan struct{}, 1)}
	b.mu.Lock()
	b.streams[o] = struct{}{}
	b.mu.Unlock()
	return o
}

func (b *heartbeat) close(o *output) {
	b.mu.Lock()
	delete(b.streams, o)
	b.mu.Unlock()
}

func (b *heartbeat) stop() { b.once.Do(func() { close(b.done) }) }

func (b *heartbeat) tick(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			b.beat()
		case <-b.done:
			return
		}
	}
}

func (b *heartbeat) beat() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for o := range b.streams {
		if o.ticks.Add(1) >= ticksToQuiet {
			select {
			case o.quiet <- struct{}{}:
			default:
			}
		}
	}
}

// unreadBytes is about how many bytes the kernel buffers for a client that does not read. The
// default is up to 4 MiB.
const unreadBytes = 256 << 10

// ConnContext limits the memory of a client that does not read until it is dropped. Use it as the
// ConnContext of the http.Server that serves a Server. Without it a thousand stalled readers take
// gigabytes.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetWriteBuffer(unreadBytes) // best effort
	}
	return ctx
}

// keepAliveEvent is the keep-alive of the binary framing, which has no comments: an empty frame
// breaks the stock client, and one it does not know makes it warn.
var keepAliveEvent = func() []byte {
	frame, err := agui.AppendProto(nil, "",
		fmt.Appendf(nil, `{"type":"CUSTOM","name":%q,"value":null}`, agui.ReservedPrefix+"keep-alive"))
	if err != nil {
		panic(err)
	}
	return frame
}()

// beat keeps an idle stream open. In the binary framing it is an event, legal only inside a run;
// outside, it only makes sure that the headers are sent.
func (o *output) beat() bool {
	switch {
	case !o.binary:
		return o.send(keepAlive)
	case o.inRun:
		return o.send(keepAliveEvent)
	}
	return o.send(nil)
}

// comment sends what is besides the events. The binary framing has no way to say it.
func (o *output) comment(text []byte) {
	if !o.binary {
		o.send(text)
	}
}
