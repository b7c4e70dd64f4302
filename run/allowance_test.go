package run

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// office is a manager whose model calls tools that need approval, because it has read a page.
type office struct {
	*fixture
	model *steps
	ran   []string // what tools ran with, in order
}

// newOffice makes one. Its tools: create and rename write, drop destroys, send sends away, pay is
// always asked about. change may change them.
func newOffice(t *testing.T, st store.Store, change func([]*tool.Tool) []*tool.Tool) *office {
	t.Helper()
	o := &office{model: &steps{play: []step{say("done")}}} // if it goes on after a crash
	does := func(name string, effect tool.Effect) *tool.Tool {
		return &tool.Tool{
			Name: name, Description: "Does it.", Effect: effect, InputSchema: rawJSON(`{"type":"object"}`),
			Handler: func(_ context.Context, c *tool.Call) (tool.Result, error) {
				o.ran = append(o.ran, c.Tool+string(c.Args))
				return tool.Result{Text: "done"}, nil
			},
		}
	}
	tools := []*tool.Tool{does("create", tool.Write), does("rename", tool.Write), does("drop", tool.Destructive), does("send", tool.Exfil), does("pay", tool.Write)}
	tools[4].Policy.Approval = tool.ApprovalAlways
	if change != nil {
		tools = change(tools)
	}
	a := agentWith(t, o.model, tools...)
	a.Approvals.IgnoreTaint = false
	o.fixture = managerWith(t, st, a, nil)
	return o
}

// ask has the user ask for something, whereupon the model calls a tool.
func (o *office) ask(thread, name, args string, adjust ...func(*agui.RunAgentInput)) []agui.Event {
	o.t.Helper()
	in := o.input(thread, "go on")
	in.Context = []agui.ContextItem{{Description: "rows", Value: "seven"}}
	for _, a := range adjust {
		a(in)
	}
	o.model.play = []step{call(fmt.Sprintf("c%d-", o.n), name, args)}
	return events(o.t, o.start(in), false)
}

// wantAsked fails unless what was asked for needs approval, and returns the interrupt.
func (o *office) wantAsked(what string, all []agui.Event) agui.Interrupt {
	o.t.Helper()
	asked := asks(o.t, all)
	if len(asked) != 1 {
		o.t.Fatalf("%s: the user is asked %d things; the tools ran with %q", what, len(asked), o.ran)
	}
	return asked[0]
}

// wantRan fails unless the tools ran with these since the last time.
func (o *office) wantRan(what string, want ...string) {
	o.t.Helper()
	if !slices.Equal(o.ran, want) {
		o.t.Errorf("%s: tools ran with %q, want %q", what, o.ran, want)
	}
	o.ran = nil
}

// allow has the user approve for good what the model then calls.
func (o *office) allow(thread, name, args string) {
	o.t.Helper()
	asked := o.wantAsked("at first", o.ask(thread, name, args))
	o.resume(thread, "", answerTo(asked, `{"approved":true,"always":true}`))
	o.wantRan("once allowed", name+args)
}

// TestAllowancesAreBounded: where a thread has as many as it may, always is once, until one is
// revoked.
func TestAllowancesAreBounded(t *testing.T) {
	st := temp.Store(t)
	o := newOffice(t, st, nil)
	o.allow("t1", "create", `{"n":1}`)
	given, err := st.Allowances(t.Context(), ada, "t1")
	if err != nil || len(given) != 1 {
		t.Fatalf("allowances are %+v, %v", given, err)
	}
	row := store.Run{ID: "filler", ThreadID: "t1", Agent: "default"}
	must.Do(t, st.BeginRun(t.Context(), ada, row, nil, store.Batch{}))
	for i := range maxAllowances - 1 {
		a := given[0]
		a.ID, a.RunID, a.ArgsHash = fmt.Sprintf("alw%d", i), "filler", fmt.Sprintf("sha256:%d", i)
		must.Do(t, st.GiveAllowance(t.Context(), ada, a))
	}
	row.Status = store.RunFinished
	must.Do(t, st.EndRun(t.Context(), ada, row, nil, store.Batch{}))
	o.ask("t1", "create", `{"n":1}`)
	o.wantRan("what is allowed", `create{"n":1}`)
	o.allow("t1", "create", `{"n":2}`)
	if all, err := st.Allowances(t.Context(), ada, "t1"); err != nil || len(all) != maxAllowances {
		t.Errorf("there are %d allowances, %v", len(all), err)
	}
	o.allow("t1", "create", `{"n":2}`) // asked about again
	must.Do(t, o.RevokeAllowance(t.Context(), ada, "t1", "alw0"))
	o.allow("t1", "create", `{"n":2}`)
	o.ask("t1", "create", `{"n":2}`)
	o.wantRan("what is allowed now", `create{"n":2}`)
}

// TestAllowanceUnknown: where the store does not tell, the user is asked.
func TestAllowanceUnknown(t *testing.T) {
	st := temp.Store(t)
	o := newOffice(t, st, nil)
	o.allow("t1", "create", `{}`)
	sick := newSick(st)
	sick.only, sick.sick = "FindAllowances", store.ErrFull
	blind := newOffice(t, sick, nil)
	blind.n = o.n + 100
	blind.wantAsked("unknown", blind.ask("t1", "create", `{}`))
	blind.wantRan("unknown")
}
