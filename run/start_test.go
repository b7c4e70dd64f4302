package run

import (
	"sync"
	"testing"

	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store/storetest/temp"
)

func TestUnknownPolicyIsRefused(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: f.input("t1", "hello"), Policy: "whatever"})
	wantCode(t, err, refusal.Invalid)
	if _, err := NewManager(t.Context(), Config{Store: temp.Store(t), Policy: "whatever"}); err == nil {
		t.Error("a manager with it is made")
	}
	if _, err := NewManager(t.Context(), Config{Store: temp.Store(t), OnDisconnect: "whatever"}); err == nil {
		t.Error("a manager with such a disconnect is made")
	}
}

// TestManyPostsOfOneRunAskTheModelOnce: whoever asks, whenever, in whatever process, one run is one
// run.
func TestManyPostsOfOneRunAskTheModelOnce(t *testing.T) {
	model := &steps{}
	f := managerWith(t, temp.Store(t), agentWith(t, model), func(c *Config) { c.Keep = 1 })
	for i := range 40 {
		in := f.input("t1", "hello")
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() { readAll(t, f.start(in).Read(false)) })
		}
		all.Wait()
		if n := model.calls(); n != i+1 {
			t.Fatalf("after run %d the model was asked %d times", i+1, n)
		}
		_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "other"})
		wantCode(t, err, refusal.RunConflict)
	}
}
