package run

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/store/storetest/temp"
)

// book is an audit log in memory. The managers and agents of all tests of this package record in
// one: events checks that it has every result.
type book struct {
	mu      sync.Mutex
	entries []audit.Entry
}

func (b *book) Record(_ context.Context, e audit.Entry) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entries = append(b.entries, e)
	return nil
}

func (b *book) all(fits func(audit.Entry) bool) (found []audit.Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.entries {
		if fits(e) {
			found = append(found, e)
		}
	}
	return found
}

// audited makes a manager and its agents record in the same book, unless they have one.
func audited(cfg *Config) {
	if cfg.Audit == nil {
		cfg.Audit = &book{}
	}
	for _, a := range cfg.Agents {
		deskOf(a).Audit = cfg.Audit
	}
}

// wantAudited checks that the results of a run are in its manager's audit log.
func wantAudited(t *testing.T, r *Run, all []agui.Event) {
	t.Helper()
	log, ok := r.m.cfg.Audit.(*book)
	if !ok {
		t.Error("the manager has no audit log")
		return
	}
	for _, e := range all {
		result, ok := e.(*agui.ToolCallResult)
		if !ok {
			continue
		}
		ends := log.all(func(e audit.Entry) bool {
			return e.Kind == audit.ToolCall && e.CallID == result.ToolCallID && e.ThreadID == r.ThreadID && e.Outcome != audit.Begun && e.Outcome != audit.Waiting
		})
		if len(ends) == 0 {
			t.Errorf("the result of call %s of run %s is not in the audit log", result.ToolCallID, r.ID)
		}
	}
}

// brief writes entries as kind/decision/outcome/tool.
func brief(entries []audit.Entry) (lines []string) {
	for _, e := range entries {
		lines = append(lines, strings.Join([]string{string(e.Kind), e.Decision, e.Outcome, e.Tool}, "/"))
	}
	return lines
}

// TestAuditOfAllowances: a standing approval shows when it is given, and each time it is used.
func TestAuditOfAllowances(t *testing.T) {
	o := newOffice(t, temp.Store(t), nil)
	o.allow("t1", "create", `{"n":1}`)
	o.ask("t1", "create", `{"n":1}`)
	log := o.cfg.Audit.(*book)
	given := log.all(func(e audit.Entry) bool { return e.Kind == audit.Allowance })
	if got := brief(given); !slices.Equal(got, []string{"allowance/given/ok/create", "allowance/used/ok/create"}) || given[0].Rule != given[1].Rule || given[0].ArgsHash != given[1].ArgsHash {
		t.Errorf("allowances are recorded as %+v", given)
	}
}
