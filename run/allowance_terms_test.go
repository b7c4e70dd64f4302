package run

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// lastWords is the store of a process that dies when it starts a call: before the journal has that,
// or after.
func lastWords(st store.Store, started bool) store.Store {
	dying := faulty.NewMortal(st)
	return faulty.Store{Store: dying, Do: func(op string, carryOut func() error) error {
		if op != "StartCall" {
			return carryOut()
		}
		if started {
			if err := carryOut(); err != nil {
				return err
			}
		}
		dying.Die()
		return faulty.ErrDead
	}}
}

// TestAllowanceRevokedBeforeACrashIsOver: a call that an allowance let through, and that was
// planned or begun before a crash, runs after it only if the allowance still holds and the tool is
// the one that was judged.
func TestAllowanceRevokedBeforeACrashIsOver(t *testing.T) {
	for name, want := range map[string]struct {
		started bool
		change  func(t *testing.T, st store.Store, tools []*tool.Tool)
		ran     []string
		told    string
	}{
		"planned, nothing has changed": {ran: []string{"create{}"}, told: "done"},
		"begun, nothing has changed":   {started: true, ran: []string{"create{}"}, told: "done"},
		"planned, revoked":             {change: revoked, told: "no longer holds"},
		"begun, revoked":               {started: true, change: revoked, told: "unknown_outcome"},
		"planned, another tool":        {change: redirected, told: "before it began"},
		"begun, another tool":          {started: true, change: redirected, told: "unknown_outcome"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			st := temp.Store(t)
			repeatable := func(tools []*tool.Tool) []*tool.Tool { tools[0].Effect = tool.Idempotent; return tools }
			o := newOffice(t, st, repeatable)
			o.allow("t1", "create", `{}`)
			crashing := newOffice(t, lastWords(st, want.started), repeatable)
			crashing.n = 100
			in := crashing.input("t1", "go on")
			in.Context = []agui.ContextItem{{Description: "rows", Value: "seven"}}
			crashing.model.play = []step{call("x", "create", "{}")}
			readAll(t, crashing.start(in).Read(false))
			handOver(crashing)
			crashing.wantRan("before the crash")

			next := newOffice(t, st, func(tools []*tool.Tool) []*tool.Tool {
				if repeatable(tools); want.change != nil {
					want.change(t, st, tools)
				}
				return tools
			})
			next.admission.Wait()
			next.wantRan("after the crash", want.ran...)
			if got := next.thread("t1"); !strings.Contains(got, want.told) || !strings.HasSuffix(got, "assistant=done") {
				t.Errorf("the thread ends with %q, want %q", got, want.told)
			}
		})
	}
}

// revoked revokes the thread's allowance.
func revoked(t *testing.T, st store.Store, _ []*tool.Tool) {
	t.Helper()
	all, err := st.Allowances(t.Context(), ada, "t1")
	if err != nil || len(all) != 1 {
		t.Fatalf("allowances are %+v, %v", all, err)
	}
	must.Do(t, st.RevokeAllowance(t.Context(), ada, "t1", all[0].ID))
}

// redirected makes the tool reach something else.
func redirected(_ *testing.T, _ store.Store, tools []*tool.Tool) { tools[0].Target = "elsewhere" }
