//go:build unix

package sqlstore_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// wire is an event of the usual size as it goes over the wire.
var wire = append(bytes.Repeat([]byte("x"), 148), "\n\n"...)

// BenchmarkAppendEvents appends events of 150 bytes to runs that have one batch in flight each. An
// operation is one event.
func BenchmarkAppendEvents(b *testing.B) {
	for _, runs := range []int{1, 64, 500} {
		b.Run(fmt.Sprint("runs=", runs), func(b *testing.B) {
			s := open(b, newPath(b))
			beginMany(b, s, "r", runs)
			commits := s.Commits()
			b.ReportAllocs()
			defer cpu(b)()
			b.ResetTimer()
			stream(b, s, runs)
			b.ReportMetric(float64(s.Commits()-commits)/b.Elapsed().Seconds(), "commits/s")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// stream appends b.N events, in turn from all runs, each of which goes on when its last batch is
// durable.
func stream(b *testing.B, s store.Store, runs int) {
	var left atomic.Int64
	left.Store(int64(b.N))
	var all sync.WaitGroup
	for i := range runs {
		ready := make(chan error, 1)
		done := func(err error) { ready <- err }
		all.Go(func() {
			batch := store.Batch{RunID: fmt.Sprint("r", i), Epoch: 1, First: 1, Count: 1, Frames: wire}
			for ; left.Add(-1) >= 0; batch.First++ {
				s.AppendEvents(me, batch, done)
				if err := <-ready; err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkEvents reads one run of 200 events whose rows it shares with so many others. An
// operation is the whole run.
func BenchmarkEvents(b *testing.B) {
	for _, runs := range []int{1, 64, 500} {
		b.Run(fmt.Sprint("runs=", runs), func(b *testing.B) {
			s := open(b, newPath(b))
			beginMany(b, s, "r", runs)
			for n := range int64(200) {
				var all sync.WaitGroup
				all.Add(runs)
				for i := range runs {
					batch := store.Batch{RunID: fmt.Sprint("r", i), Epoch: 1, First: n + 1, Count: 1, Frames: wire}
					s.AppendEvents(me, batch, func(error) { all.Done() })
				}
				all.Wait()
			}
			b.ReportAllocs()
			for b.Loop() {
				last := int64(0)
				for batch, err := range s.Events(context.Background(), me, "r0", 0) {
					if err != nil {
						b.Fatal(err)
					}
					last = batch.Last()
				}
				if last != 200 {
					b.Fatal(last)
				}
			}
		})
	}
}

// BenchmarkSearch looks for a word in 2,000 threads of 2 KB, which half of them have.
func BenchmarkSearch(b *testing.B) {
	s := open(b, newPath(b))
	for i := range 2000 {
		word := []string{"even", "odd"}[i%2]
		id := fmt.Sprint("t", i)
		begin(b, s, id, id, agui.Message{ID: "m", Role: agui.RoleUser, Content: agui.TextContent(prose + " " + word)})
	}
	for _, text := range []string{"", "odd", "login odd", "spike at 14"} {
		b.Run(fmt.Sprintf("%q", text), func(b *testing.B) {
			for b.Loop() {
				page := get(s.Threads(context.Background(), me, store.ThreadQuery{Text: text, Limit: 20}))
				if len(page.Items) != 20 {
					b.Fatal(len(page.Items))
				}
			}
		})
	}
}
