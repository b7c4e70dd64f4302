package eventlog

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// testFrame is a frame of about the given size.
func testFrame(n int64, size int) []byte {
	return fmt.Appendf(nil, "id: r:1.%d\ndata: {\"type\":\"CUSTOM\",\"name\":\"%s\",\"value\":null}\n\n", n, bytes.Repeat([]byte("."), size))
}

// TestLogHoldsTheNewest: whatever the batches and wherever a reader stands, it is given every frame
// After its place once and in order, or told that the log holds it no more; and the log never holds
// much more than its limit.
func TestLogHoldsTheNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		begin := rapid.Int64Range(0, 5).Draw(t, "begin")
		limit := rapid.SampledFrom([]int{0, blockSize, 5 * blockSize, 1 << 20}).Draw(t, "limit")
		l := New(limit, begin)
		var all [][]byte
		at := Position{Seq: begin}
		for range rapid.IntRange(1, 30).Draw(t, "batches") {
			var batch []byte
			n := rapid.IntRange(1, 6).Draw(t, "frames")
			for range n {
				frame := testFrame(begin+int64(len(all))+1, rapid.SampledFrom([]int{0, 1, 50, blockSize - 60, blockSize, 3 * blockSize}).Draw(t, "size"))
				all, batch = append(all, frame), append(batch, frame...)
			}
			l.Publish(batch, n, false)
			for range rapid.IntRange(0, 4).Draw(t, "reads") {
				if rapid.IntRange(0, 2).Draw(t, "elsewhere") == 0 {
					at = Position{Seq: begin + rapid.Int64Range(0, int64(len(all))).Draw(t, "seq")}
				}
				frames, next, held, _ := l.After(at)
				if !held {
					if len(all) == 0 || l.blocks[0].first <= at.Seq+1 {
						t.Fatalf("event %d is held and not given", at.Seq+1)
					}
					at = Position{Seq: begin + int64(len(all))}
					continue
				}
				if want := bytes.Join(all[at.Seq-begin:next.Seq-begin], nil); !bytes.Equal(frames, want) {
					t.Fatalf("after %d: %d bytes that are not those of %d to %d", at.Seq, len(frames), at.Seq+1, next.Seq)
				}
				at = next
			}
			if len(l.blocks) > 1 && l.Size()-cap(l.blocks[len(l.blocks)-1].data) > limit {
				t.Fatalf("holds %d bytes, the limit is %d", l.Size(), limit)
			}
		}
	})
}

// TestFormsAreShared: what readers want instead of frames is made once for all of them, and only if
// one asks.
func TestFormsAreShared(t *testing.T) {
	l := New(1<<20, 0)
	l.Publish(append(testFrame(1, 10), testFrame(2, 10)...), 2, true)
	frames, after, _, _ := l.After(Position{})
	p := Piece{Frames: frames, Log: l, After: after}
	if _, err := p.Shown(false, false); err != nil || l.blocks[0].forms != nil {
		t.Errorf("events were decoded for a reader of frames: %v", err)
	}
	events := func() []Event {
		all, err := p.Events(false)
		if err != nil || len(all) != 2 {
			t.Fatalf("%v, %v", all, err)
		}
		return all
	}
	if first := events(); first[0].Event != events()[0].Event {
		t.Error("each reader has decoded the events for itself")
	}
	if l.DropForms(); l.blocks[0].forms != nil {
		t.Error("an ended run is kept in two forms")
	}
}

// TestUnwatch: who does not watch any more is not woken.
func TestUnwatch(t *testing.T) {
	l, wake := New(1<<20, 0), make(chan struct{}, 1)
	l.Watch(wake)
	l.Unwatch(wake)
	if l.Publish(testFrame(1, 0), 1, true); len(wake) != 0 {
		t.Error("it is woken all the same")
	}
}
