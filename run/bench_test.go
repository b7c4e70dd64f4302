package run

import (
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// BenchmarkWriter is what a token costs between the agent and the readers: each delta is flushed,
// as when the model pauses after it.
func BenchmarkWriter(b *testing.B) {
	for name, flush := range map[string]int{"each token": 1, "every tenth": 10} {
		b.Run(name, func(b *testing.B) {
			m := &Manager{cfg: Config{Store: &nowhere{}, Ring: 1 << 20, MaxSize: 1 << 40}}
			r := m.newRun(ada, "r1", "t1", "")
			w := newWriter(r, 1, 0, agui.NewTranscript(nil), agui.NewVerifier())
			for _, e := range []agui.Event{&agui.RunStarted{ThreadID: "t1", RunID: "r1"}, &agui.TextMessageStart{MessageID: "m1"}} {
				if err := w.Emit(e); err != nil {
					b.Fatal(err)
				}
			}
			e := &agui.TextMessageContent{MessageID: "m1", Delta: "word "}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if err := w.Emit(e); err != nil {
					b.Fatal(err)
				}
				if n++; n%flush == 0 {
					_ = w.Flush()
				}
			}
		})
	}
}

// nowhere is a store that has everything at once.
type nowhere struct{ store.Store }

func (*nowhere) AppendEvents(_ store.Owner, _ store.Batch, done func(error)) { done(nil) }
