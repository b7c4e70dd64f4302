// Package sse reads and writes server-sent events (WHATWG HTML, section 9.2) with little copying.
//
// Reading; Ready reports whether the next frame is there without waiting for the network:
//
//	frames := sse.NewReader(body, sse.MaxFrame)
//	for {
//		frame, err := frames.Next()
//		if err != nil {
//			return err // io.EOF at the end
//		}
//		use(frame.Data)
//		if !frames.Ready() {
//			flush()
//		}
//	}
//
// Writing is appending to a buffer the caller sends:
//
//	buf = sse.AppendFrame(buf, "run1:0.7", json)
//
// The caller decides what a frame means, when to flush and how to handle a lost connection.
package sse
