package run

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestEveryReaderReadsTheWholeLog: whatever the batches, and whenever a reader looks, it reads every frame once and in order,
// a 0.x reader with the variants in the places of the frames they stand for.
func TestEveryReaderReadsTheWholeLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &Run{log: &eventLog{}}
		readers := map[bool]*Reader{false: r.Read(false), true: r.Read(true)}
		got := map[bool]*bytes.Buffer{false: {}, true: {}}
		want := map[bool]*bytes.Buffer{false: {}, true: {}}
		read := func(legacy bool) (done bool) {
			frames, done := readers[legacy].Next()
			got[legacy].Write(frames)
			return done && len(frames) == 0
		}
		n := 0
		for range rapid.IntRange(0, 20).Draw(t, "batches") {
			var batch []byte
			var variants []pendingVariant
			for range rapid.IntRange(1, 6).Draw(t, "frames") {
				n++
				frame := fmt.Appendf(nil, "<%d%s>", n, bytes.Repeat([]byte("."), rapid.SampledFrom([]int{0, 1, 50, blockSize - 8, blockSize, 3 * blockSize}).Draw(t, "size")))
				old := frame
				if rapid.IntRange(0, 3).Draw(t, "variant") == 0 {
					old = rapid.SampledFrom([][]byte{nil, []byte("[other]"), bytes.Repeat([]byte("o"), blockSize)}).Draw(t, "other")
					variants = append(variants, pendingVariant{len(batch), len(frame), old})
				}
				batch = append(batch, frame...)
				want[false].Write(frame)
				want[true].Write(old)
			}
			r.log.publish(batch, variants, false)
			for range rapid.IntRange(0, 4).Draw(t, "reads") {
				read(rapid.Bool().Draw(t, "legacy"))
			}
		}
		r.log.publish([]byte("end"), nil, true)
		for _, legacy := range []bool{false, true} {
			want[legacy].WriteString("end")
			for !read(legacy) {
			}
			if !bytes.Equal(got[legacy].Bytes(), want[legacy].Bytes()) {
				t.Fatalf("legacy %v: read %d bytes that differ from the %d published", legacy, got[legacy].Len(), want[legacy].Len())
			}
		}
	})
}

// TestReadersBesideTheWriter: readers that wait are woken, and none of them is ever handed bytes that change later.
func TestReadersBesideTheWriter(t *testing.T) {
	const batches = 2000
	r := &Run{log: &eventLog{}}
	var want bytes.Buffer
	for i := range batches {
		fmt.Fprintf(&want, "frame %d;", i)
	}
	var all sync.WaitGroup
	for range 4 {
		reader := r.Read(false)
		all.Go(func() {
			defer reader.Close()
			var pieces [][]byte
			for {
				frames, done := reader.Next()
				if len(frames) > 0 {
					pieces = append(pieces, frames) // kept, not copied
					continue
				}
				if done {
					break
				}
				<-reader.Wake()
			}
			if !bytes.Equal(bytes.Join(pieces, nil), want.Bytes()) {
				t.Error("a reader got something else than what was published")
			}
		})
	}
	for i := range batches {
		r.log.publish(fmt.Appendf(nil, "frame %d;", i), nil, i == batches-1)
	}
	all.Wait()
	if len(r.log.waiting) != 0 {
		t.Errorf("%d readers are still registered after they closed", len(r.log.waiting))
	}
}
