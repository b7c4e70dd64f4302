package run

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store/storetest/temp"
	_ "github.com/pageside/pageside/test/chance"
)

func inBinary(t testing.TB, frames string) string {
	t.Helper()
	out, _, err := appendBinary(nil, nil, []byte(frames))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
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

// TestBinaryHidesNotes: the server's notes are empty events, as in the other framing; text that
// looks like a note is text.
func TestBinaryHidesNotes(t *testing.T) {
	note, err := agui.MarshalEvent(&agui.ActivitySnapshot{MessageID: "m", ActivityType: agui.NoteType, Content: []byte(`{"secret":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	text := `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\"activityType\":\"` + agui.NoteType + `\""}`
	got := inBinary(t, fmt.Sprintf("id: r:1.1\ndata: %s\n\nid: r:1.2\ndata: %s\n\n", note, text))
	want := inBinary(t, fmt.Sprintf("id: r:1.1\ndata: %s\n\n", emptyNote)) + inBinary(t, fmt.Sprintf("id: r:1.2\ndata: %s\n\n", text))
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBinaryIsShared: readers at the same position get the same bytes, not copies.
func TestBinaryIsShared(t *testing.T) {
	r := &Run{m: &Manager{}, log: newEventLog(1<<20, 0)}
	r.log.publish(append(testFrame(1, 10), testFrame(2, 10)...), 2, true)
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

// TestBinaryLog: whatever the batches and wherever a reader stands, what after returns is the same
// in the binary framing.
func TestBinaryLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		begin := rapid.Int64Range(0, 5).Draw(t, "begin")
		l := newEventLog(rapid.SampledFrom([]int{0, blockSize, 1 << 20}).Draw(t, "limit"), begin)
		last := begin
		at := position{seq: begin}
		for range rapid.IntRange(1, 20).Draw(t, "batches") {
			var batch []byte
			n := rapid.IntRange(1, 6).Draw(t, "frames")
			for range n {
				last++
				batch = append(batch, testFrame(last, rapid.SampledFrom([]int{0, 50, blockSize - 60, blockSize}).Draw(t, "size"))...)
			}
			l.publish(batch, n, false)
			for range rapid.IntRange(0, 3).Draw(t, "reads") {
				if rapid.Bool().Draw(t, "elsewhere") {
					at = position{seq: rapid.Int64Range(begin, last).Draw(t, "seq")}
				}
				frames, next, held, _ := l.after(at)
				if !held || len(frames) == 0 {
					at = position{seq: last}
					continue
				}
				got, err := l.binary(frames, at.seq, next)
				want, _, _ := appendBinary(nil, nil, frames)
				if err != nil || !bytes.Equal(got, want) {
					t.Fatalf("after %d: %q, %v, want %q", at.seq, got, err, want)
				}
				at = next
			}
		}
	})
}

// TestBinaryReadersBesideTheWriter: readers of both framings are never handed bytes that change
// later.
func TestBinaryReadersBesideTheWriter(t *testing.T) {
	const batches = 500
	r := &Run{m: &Manager{}, log: newEventLog(1<<20, 0)}
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
			if string(wholeOf(reader)) != binary {
				t.Error("a reader got something else than what was published")
			}
		})
	}
	for i := range batches {
		r.log.publish(testFrame(int64(i+1), 0), 1, i == batches-1)
	}
	all.Wait()
}
