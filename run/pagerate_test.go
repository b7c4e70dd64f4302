package run

import (
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// TestRateOfPageTools: beyond its rate the page does not get a call of its tool to run, and the
// model is told why. Another user's calls, and other tools, do not count.
func TestRateOfPageTools(t *testing.T) {
	model := &steps{}
	a := agentWith(t, model)
	a.PageTools = map[string]agent.PageTool{"paint": {Calls: tool.NewLimiter(limit.PerMinute(2))}}
	f := managerWith(t, temp.Store(t), a, nil)
	run := func(p auth.Principal, thread, name string) (handed, refused int) {
		t.Helper()
		model.mu.Lock()
		model.play = []step{call("c", name, "{}", name, "{}", name, "{}"), say("done")}
		model.mu.Unlock()
		in := f.input(thread, "go on")
		in.Tools = []agui.Tool{{Name: name, Description: "Of the page."}}
		r := value(f.Start(t.Context(), Request{Principal: p, Agent: "default", Input: in, Fingerprint: in.RunID}))(t)
		all := events(t, r, false)
		legal(t, all)
		for _, e := range all {
			switch e := e.(type) {
			case *agui.ToolCallResult:
				if tool.ErrorCode(e.Content.Text()) == tool.CodeRateLimited {
					refused++
				}
			case *agui.RunFinished:
				if e.Outcome != nil {
					handed = len(e.Outcome.PendingToolCallIDs)
				}
			}
		}
		return handed, refused
	}
	if handed, refused := run(adaPrincipal, "t1", "paint"); handed != 2 || refused != 1 {
		t.Errorf("the page gets %d calls, and %d are refused", handed, refused)
	}
	if handed, refused := run(adaPrincipal, "t2", "paint"); handed != 0 || refused != 3 {
		t.Errorf("on another thread the page gets %d calls, and %d are refused", handed, refused)
	}
	if handed, refused := run(auth.Principal{Tenant: "t", Subject: "bob"}, "t3", "paint"); handed != 2 || refused != 1 {
		t.Errorf("another user's page gets %d calls, and %d are refused", handed, refused)
	}
	if handed, refused := run(adaPrincipal, "t4", "scroll"); handed != 3 || refused != 0 {
		t.Errorf("of another tool the page gets %d calls, and %d are refused", handed, refused)
	}
}
