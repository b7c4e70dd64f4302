package run

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/store/storetest/temp"
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

// TestBinaryFromEveryPosition: behind each event stands the rest of the log, from memory and from
// the store, in the binary framing.
func TestBinaryFromEveryPosition(t *testing.T) {
	st := temp.Store(t)
	f := managerWith(t, st, agentWith(t, &steps{play: []step{call("c", "paint", "{}"), long(60)}}), func(c *Config) { c.Ring = 4 << 10 })
	r := f.start(f.input("t1", "paint it"))
	if got, want := readBinary(t, r.Read(false)), inBinary(t, readAll(t, r.Read(false))); got != want {
		t.Fatalf("live: %q, want %q", got, want)
	}
	rest := logOf(t, st, r.ID)
	g := managerWith(t, st, agentWith(t, &steps{}), nil) // which has nothing of it in memory
	for after := ""; rest != ""; {
		for _, f := range []*fixture{f, g} {
			if got := readBinary(t, f.follow(t, FollowRequest{RunID: r.ID, After: after})); got != inBinary(t, rest) {
				t.Fatalf("after %q: %q, want %q", after, got, inBinary(t, rest))
			}
		}
		frame, next := nextFrame([]byte(rest))
		after, rest = frameID(frame), string(next)
	}
	thread := FollowRequest{ThreadID: "t1"}
	if got := readBinary(t, f.follow(t, thread)); !agui.ProtoEnds([]byte(got)) {
		t.Errorf("the thread's stream %q does not end a run", got)
	}
	if f.follow(t, FollowRequest{RunID: r.ID, Legacy: true}).Binary(false) {
		t.Error("a 0.x client is given what it does not know")
	}
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

// TestBinaryReadersBesideTheWriter: readers of both framings are never handed bytes that change
// later.
func TestBinaryReadersBesideTheWriter(t *testing.T) {
	const batches = 500
	r := &Run{m: &Manager{}, log: eventlog.New(1<<20, 0)}
	var want bytes.Buffer
	for i := range batches {
		want.Write(testFrame(int64(i+1), 0))
	}
	binary := inBinary(t, want.String())
	var all sync.WaitGroup
	for range 4 {
		reader := r.Read(false)
		reader.Binary(true)
		all.Go(func() {
			defer reader.Close()
			must.Be(t, string(wholeOf(reader)), binary, "what a reader got")
		})
	}
	for i := range batches {
		r.log.Publish(testFrame(int64(i+1), 0), 1, i == batches-1)
	}
	all.Wait()
}

// TestReadersBesideTheWriter: readers that wait are woken, and none of them is ever handed bytes
// that change later.
func TestReadersBesideTheWriter(t *testing.T) {
	const batches = 2000
	r := &Run{m: &Manager{}, log: eventlog.New(1<<20, 0)}
	var want bytes.Buffer
	for i := range batches {
		want.Write(testFrame(int64(i+1), 0))
	}
	var all sync.WaitGroup
	for range 4 {
		reader := r.Read(false)
		all.Go(func() {
			defer reader.Close()
			if !bytes.Equal(wholeOf(reader), want.Bytes()) {
				t.Error("what a reader got")
			}
		})
	}
	for i := range batches {
		r.log.Publish(testFrame(int64(i+1), 0), 1, i == batches-1)
	}
	all.Wait()
}
