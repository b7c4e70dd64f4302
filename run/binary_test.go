package run

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/run/eventlog"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// frameEnd ends each frame of a stream.
const frameEnd = "\n\n"

// nextFrame splits off the first frame of a stream, and frameID is its id.
func nextFrame(frames []byte) (frame, rest []byte) {
	if i := bytes.Index(frames, []byte(frameEnd)); i >= 0 {
		return frames[:i+len(frameEnd)], frames[i+len(frameEnd):]
	}
	return frames, nil
}

func frameID(frame []byte) string {
	for id := range eventlog.Frames(frame) {
		return id
	}
	return ""
}

func inBinary(t testing.TB, frames string) string {
	t.Helper()
	out := must.Get(eventlog.Piece{Frames: []byte(frames)}.Shown(true, false))(t)
	return string(out)
}

// testFrame is a frame of about the given size.
func testFrame(n int64, size int) []byte {
	return fmt.Appendf(nil, "id: r:1.%d\ndata: {\"type\":\"CUSTOM\",\"name\":\"%s\",\"value\":null}\n\n", n, bytes.Repeat([]byte("."), size))
}

// wholeOf reads to the end. It keeps what it is handed, and copies it only then: bytes that change
// meanwhile are seen.
func wholeOf(r *Reader) []byte {
	var pieces [][]byte
	for {
		frames, done := r.Next()
		switch {
		case len(frames) > 0:
			pieces = append(pieces, frames)
		case done:
			return bytes.Join(pieces, nil)
		default:
			<-r.Wake()
		}
	}
}

// readBinary is readAll in the binary framing.
func readBinary(t *testing.T, reader *Reader) string {
	t.Helper()
	if !reader.Binary(false) {
		t.Fatal("the reader does not read the binary framing")
	}
	return readAll(t, reader)
}

// TestBinaryIsShared: readers at the same position get the same bytes, not copies.
func TestBinaryIsShared(t *testing.T) {
	r := &Run{m: &Manager{}, log: eventlog.New(1<<20, 0)}
	r.log.Publish(append(testFrame(1, 10), testFrame(2, 10)...), 2, true)
	var first [2][]byte
	for i := range first {
		reader := r.Read(false)
		reader.Binary(true)
		first[i], _ = reader.Next()
		reader.Close()
	}
	if len(first[0]) == 0 || &first[0][0] != &first[1][0] {
		t.Error("each reader has encoded the events for itself")
	}
}

// TestReadersBesideTheWriter: readers of both framings that wait are woken, and none of them is
// ever handed bytes that change later.
func TestReadersBesideTheWriter(t *testing.T) {
	const batches = 2000
	r := &Run{m: &Manager{}, log: eventlog.New(1<<20, 0)}
	var frames strings.Builder
	for i := range batches {
		frames.Write(testFrame(int64(i+1), 0))
	}
	var all sync.WaitGroup
	for i := range 8 {
		reader, binary, want := r.Read(false), i%2 == 0, frames.String()
		if binary {
			reader.Binary(true)
			want = inBinary(t, want)
		}
		all.Go(func() {
			defer reader.Close()
			must.Be(t, string(wholeOf(reader)) == want, true, "whether a reader got everything, binary %t", binary)
		})
	}
	for i := range batches {
		r.log.Publish(testFrame(int64(i+1), 0), 1, i == batches-1)
	}
	all.Wait()
}
