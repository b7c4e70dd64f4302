//go:build unix

package sqlstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

// prose is 2 KB of the kind of text that threads hold.
var prose = strings.Repeat("The spike at 14:05 is one client: 203.0.113.9 asked for \"/wp-login.php\" 4,120 times — "+
	"nothing else changed in that hour.\n\n- status 404: 4,118\n- status 200: 2\n\n", 13)[:2000]

// history returns n messages of 2 KB.
func history(n int) []agui.Message {
	messages := make([]agui.Message, n)
	for i := range messages {
		id := fmt.Sprintf("message-%05d", i)
		messages[i] = agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(prose)}
	}
	return messages
}

// cpu reports the processor time that an operation takes, in every goroutine. It is what stays the
// same on a busy machine.
func cpu(b *testing.B) func() {
	used := func() time.Duration {
		var u syscall.Rusage
		must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	return func() { b.ReportMetric(float64((used()-before).Microseconds())/float64(b.N), "cpu-µs/op") }
}

// BenchmarkRun stores a run's beginning with a question and its end with an answer.
func BenchmarkRun(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			s := open(b, newPath(b))
			question, answer := history(1), history(2)[1:]
			var n atomic.Int64
			var all sync.WaitGroup
			defer cpu(b)()
			b.ResetTimer()
			for range writers {
				all.Go(func() {
					for i := n.Add(1); i <= int64(b.N); i = n.Add(1) {
						id := fmt.Sprint("run-", i)
						err := errors.Join(begun(s, id, id, question...), ended(s, id, store.Batch{}, answer...))
						if err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

// BenchmarkImport begins a run that brings a history of 200 messages of 2 KB.
func BenchmarkImport(b *testing.B) {
	s := open(b, newPath(b))
	messages := history(200)
	b.ReportAllocs()
	defer cpu(b)()
	for i := 0; b.Loop(); i++ {
		id := fmt.Sprint("t", i)
		begin(b, s, id, id, messages...)
	}
}

// BenchmarkTranscript reads 200 messages of 2 KB.
func BenchmarkTranscript(b *testing.B) {
	s := open(b, newPath(b))
	begin(b, s, "r", "t", history(200)...)
	b.ReportAllocs()
	defer cpu(b)()
	for b.Loop() {
		if messages := get(s.Transcript(context.Background(), me, "t", "")); len(messages) != 200 {
			b.Fatal(len(messages))
		}
	}
}

// BenchmarkOpen opens a database and writes to it once, which is what a start of the server waits
// for.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	openOnce := func(path string) {
		s := get(sqlstore.Open(context.Background(), path))
		b.StopTimer()
		defer b.StartTimer()
		must.Do(b, s.Close())
	}
	b.Run("new", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			openOnce(filepath.Join(dir, fmt.Sprintf("%d-%d.db", b.N, i)))
		}
	})
	b.Run("existing", func(b *testing.B) {
		for b.Loop() {
			openOnce(filepath.Join(dir, "existing.db"))
		}
	})
}

// BenchmarkUsage is what a quota costs each model call, alone and beside others.
func BenchmarkUsage(b *testing.B) {
	s := open(b, newPath(b))
	q := store.Quotas{User: store.Amount{Tokens: 1 << 60}}
	n := atomic.Int64{}
	b.RunParallel(func(pb *testing.PB) {
		run := fmt.Sprint("r", n.Add(1))
		for pb.Next() {
			h := store.Hold{RunID: run, Amount: store.Amount{Tokens: 10}, Until: time.Now().Add(time.Hour)}
			must.Do(b, s.HoldUsage(b.Context(), me, h, q), s.AddUsage(b.Context(), me, run, store.Amount{Tokens: 5}))
		}
	})
}

// BenchmarkRecentRuns lists the 10,000 newest runs of somebody who has twice as many.
func BenchmarkRecentRuns(b *testing.B) {
	s := open(b, newPath(b))
	for i := range 20_000 {
		id := fmt.Sprint("r", i)
		run := store.Run{ID: id, ThreadID: fmt.Sprint("t", i/4), Agent: "a"}
		end := store.Run{ID: id, Status: store.RunFinished}
		if i%2 == 0 {
			end.Interrupts = []byte(`[{}]`)
		}
		must.Do(b, s.BeginRun(b.Context(), me, run, nil, store.Batch{}), s.EndRun(b.Context(), me, end, nil, store.Batch{}))
	}
	defer cpu(b)()
	for b.Loop() {
		if runs := get(s.RecentRuns(b.Context(), me, store.RunQuery{Agent: "a", Limit: 10_000})); len(runs) != 10_000 {
			b.Fatal(len(runs))
		}
	}
}

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
					must.Do(b, err)
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
