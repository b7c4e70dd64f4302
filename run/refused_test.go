package run

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// refusals are requests that a thread refuses which has a run1 that waits for paint, and a live
// run2 beside it.
var refusals = map[string]struct {
	code   refusal.Code
	change func(*agui.RunAgentInput)
}{
	"it replaces nothing":          {refusal.Invalid, replacing("nope")},
	"it replaces a call":           {refusal.Invalid, replacing("a0")},
	"its message's id is too long": {refusal.Invalid, func(in *agui.RunAgentInput) { in.Messages[0].ID = strings.Repeat("u", store.MaxID+1) }},
	"its run's id is reserved":     {refusal.Invalid, func(in *agui.RunAgentInput) { in.RunID = store.RootRun }},
	"a result has an id that is taken": {refusal.Invalid, func(in *agui.RunAgentInput) {
		result := agui.Message{ID: "u0", Role: agui.RoleTool, ToolCallID: "c0", Content: agui.TextContent("red")}
		in.ParentRunID, in.Messages = "run1", append([]agui.Message{result}, in.Messages...)
	}},
}

// TestARefusedRequestEndsNoRun: whoever is refused has taken nothing from anybody, whether the
// request waits for a run nobody reads, or is to take the place of any.
func TestARefusedRequestEndsNoRun(t *testing.T) {
	for name, tt := range refusals {
		for _, policy := range []Policy{PolicyAuto, PolicySupersede} {
			t.Run(strings.ReplaceAll(name, " ", "_")+"/"+string(policy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFixture(t, temp.Store(t), nil)
					first := f.input("t1", "")
					first.Messages = append(messages("u0 a0(c0)"), first.Messages...)
					first.Messages[1].ToolCalls[0].Name = "paint"
					events(t, f.start(first), false)
					live := f.input("t1", "slow")
					replacing("u0")(live)
					unread := f.start(live)
					unread.Read(false).Close()
					in := f.input("t1", "hello")
					tt.change(in)
					_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "x", Policy: policy})
					wantCode(t, err, tt.code)
					all := events(t, unread, false)
					legal(t, all)
					must.Be(t, endOf(all), agui.OutcomeSuccess, "the live run ends with")
					const told = "user=slow | assistant=one two three four five six seven eight"
					must.Be(t, f.thread("t1"), told, "thread")
				})
			})
		}
	}
}

func replacing(messageID string) func(*agui.RunAgentInput) {
	return func(in *agui.RunAgentInput) {
		in.ForwardedProps = rawJSON(`{"pageside":{"replaces":"` + messageID + `"}}`)
	}
}
