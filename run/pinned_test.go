package run

import (
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// TestPinnedResumeAtOnce: however often and closely together a body is posted, it is one run.
func TestPinnedResumeAtOnce(t *testing.T) {
	world, model := newLedger(), &steps{play: []step{call("c", "pay", "{}")}}
	pay := world.tool("pay", tool.Write, faulty.NewMortal(nil), "")
	pay.Policy.Approval = tool.ApprovalAlways
	f := managerWith(t, temp.Store(t), agentWith(t, model, pay), nil)
	asked := f.tell("t1", "u1", "")
	must.Be(t, endOf(asked), agui.OutcomeInterrupt, "the run that wants to pay ends with")
	in := f.input("t1", "")
	in.RunID, in.Resume = "run1", []agui.ResumeEntry{{
		InterruptID: asked[len(asked)-1].(*agui.RunFinished).Outcome.Interrupts[0].ID,
		Status:      agui.ResumeResolved, Payload: rawJSON(`{"approved":true}`),
	}}
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
	must.Be(t, world.count("pay"), 1, "payments")
	must.Be(t, model.calls(), 2, "how often the model was asked")
}
