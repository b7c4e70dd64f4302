package run

import (
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store/storetest/temp"
)

const approved = `{"approved":true}`

// TestPinnedResumeAtOnce: however often and closely together a body is posted, it is one run.
func TestPinnedResumeAtOnce(t *testing.T) {
	f, world, model := guardedScene(t, temp.Store(t), "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	in := f.input("t1", "")
	in.RunID, in.Resume = "run1", []agui.ResumeEntry{answerTo(asked[0], approved)}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "answer"})
			if err != nil || r.ID != "run1~2" {
				t.Errorf("%+v, %v", r, err)
				return
			}
			readAll(t, r.Read(false))
		})
	}
	all.Wait()
	wantEffects(t, world, map[string]int{"pay": 1})
	if model.calls() != 2 {
		t.Errorf("the model was asked %d times", model.calls())
	}
}
