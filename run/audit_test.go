package run

import (
	"context"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
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
