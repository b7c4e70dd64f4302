package run

import (
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// TestPinnedResumeAtOnce: however often and closely together a body is posted, it is one run.
func TestPinnedResumeAtOnce(t *testing.T) {
	o := newOffice(t, temp.Store(t), nil)
	asked := o.wantAsked("to pay", o.ask("t1", "pay", "{}"))
	in := o.input("t1", "")
	in.RunID, in.Resume = "run1", []agui.ResumeEntry{answerTo(asked, `{"approved":true}`)}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := o.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "answer"})
			if err != nil || r.ID != "run1~2" {
				t.Errorf("%+v, %v", r, err)
				return
			}
			readAll(t, r.Read(false))
		})
	}
	all.Wait()
	o.wantRan("approved", "pay{}")
	must.Be(t, o.model.calls(), 2, "how often the model was asked")
}
