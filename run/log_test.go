package run

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// testFrame is a frame of about the given size.
func testFrame(n int64, size int) []byte {
	return fmt.Appendf(nil, "id: r:1.%d\ndata: {\"type\":\"CUSTOM\",\"name\":\"%s\",\"value\":null}\n\n", n, bytes.Repeat([]byte("."), size))
}

// TestLogHoldsTheNewest: whatever the batches and wherever a reader stands, it is given every frame
// after its place once and in order, or told that the log holds it no more; and the log never holds
// much more than its limit.
func TestLogHoldsTheNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		begin := rapid.Int64Range(0, 5).Draw(t, "begin")
		limit := rapid.SampledFrom([]int{0, blockSize, 5 * blockSize, 1 << 20}).Draw(t, "limit")
		l := newEventLog(limit, begin)
		var all [][]byte
		at := position{seq: begin}
		for range rapid.IntRange(1, 30).Draw(t, "batches") {
			var batch []byte
			n := rapid.IntRange(1, 6).Draw(t, "frames")
			for range n {
				frame := testFrame(begin+int64(len(all))+1, rapid.SampledFrom([]int{0, 1, 50, blockSize - 60, blockSize, 3 * blockSize}).Draw(t, "size"))
				all, batch = append(all, frame), append(batch, frame...)
			}
			l.publish(batch, n, false)
			for range rapid.IntRange(0, 4).Draw(t, "reads") {
				if rapid.IntRange(0, 2).Draw(t, "elsewhere") == 0 {
					at = position{seq: begin + rapid.Int64Range(0, int64(len(all))).Draw(t, "seq")}
				}
				frames, next, held, _ := l.after(at)
				if !held {
					if len(all) == 0 || l.blocks[0].first <= at.seq+1 {
						t.Fatalf("event %d is held and not given", at.seq+1)
					}
					at = position{seq: begin + int64(len(all))}
					continue
				}
				if want := bytes.Join(all[at.seq-begin:next.seq-begin], nil); !bytes.Equal(frames, want) {
					t.Fatalf("after %d: %d bytes that are not those of %d to %d", at.seq, len(frames), at.seq+1, next.seq)
				}
				at = next
			}
			if len(l.blocks) > 1 && l.size()-cap(l.blocks[len(l.blocks)-1].data) > limit {
				t.Fatalf("holds %d bytes, the limit is %d", l.size(), limit)
			}
		}
	})
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

// TestReadersBesideTheWriter: readers that wait are woken, and none of them is ever handed bytes
// that change later.
func TestReadersBesideTheWriter(t *testing.T) {
	const batches = 2000
	r := &Run{m: &Manager{}, log: newEventLog(1<<20, 0)}
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
				t.Error("a reader got something else than what was published")
			}
		})
	}
	for i := range batches {
		r.log.publish(testFrame(int64(i+1), 0), 1, i == batches-1)
	}
	all.Wait()
	if len(r.log.waiting) != 0 {
		t.Errorf("%d readers are still registered after they closed", len(r.log.waiting))
	}
}
