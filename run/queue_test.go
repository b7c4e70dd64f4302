package run

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
)

// TestDrainBesideStarts: when Drain returns, no run is left and none begins any more.
func TestDrainBesideStarts(t *testing.T) {
	for range 20 {
		var closed, late atomic.Bool
		st := faulty.Store{Store: temp.Store(t), Do: func(op string, carryOut func() error) error {
			if closed.Load() && faulty.Writes(op) {
				late.Store(true)
			}
			return carryOut()
		}}
		f := newFixture(t, st, nil)
		var all sync.WaitGroup
		for i := range 8 {
			in := f.input(fmt.Sprintf("t%d", i%3), "hello")
			all.Go(func() {
				_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f"})
				if err != nil {
					wantCode(t, err, refusal.Draining)
				}
			})
		}
		runtime.Gosched()
		f.Drain(t.Context())
		closed.Store(true)
		all.Wait()
		if late.Load() {
			t.Fatal("a run used the store after Drain had returned")
		}
	}
}
