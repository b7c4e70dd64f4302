package run

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

// runJournal stores what became of a run's tool calls. It implements agent.Journal.
type runJournal struct {
	runs store.Runs
	run  *Run

	mu    sync.Mutex
	reads map[string]bool // calls of read-only tools
}

// Taint implements agent.Journal.
func (j *runJournal) Taint(ctx context.Context) error {
	if err := j.run.w.sealedBy(); err != nil {
		return err
	}
	return storeError(j.runs.TaintRun(ctx, j.run.owner, j.run.ID))
}

// Plan implements agent.Journal. It makes the events of the calls durable before the journal
// records them. Otherwise, after a crash, a model that counts its calls could reuse the id of a
// call that only the journal knows.
func (j *runJournal) Plan(ctx context.Context, calls []journal.ToolCall) error {
	if err := j.run.w.sealedBy(); err != nil {
		return err
	}
	if err := j.run.w.Commit(ctx); err != nil {
		return err
	}
	j.mu.Lock()
	for _, c := range calls {
		if c.Effect == string(tool.Read) {
			if j.reads == nil {
				j.reads = make(map[string]bool)
			}
			j.reads[c.ID] = true
		}
	}
	j.mu.Unlock()
	return storeError(j.runs.PlanCalls(ctx, j.run.owner, j.run.ID, calls, false))
}

// Start implements agent.Journal. Once it has returned, the next process knows that the call may
// have had its effect. Calls of read-only tools do not wait.
func (j *runJournal) Start(ctx context.Context, callID string) error {
	if err := j.run.w.sealedBy(); err != nil {
		return err
	}
	j.mu.Lock()
	reads := j.reads[callID]
	j.mu.Unlock()
	if err := storeError(j.runs.StartCall(ctx, j.run.owner, j.run.ID, callID, !reads)); err != nil || reads {
		return err
	}
	if err := j.run.w.sealedBy(); err != nil {
		return err // stopped while the store was writing: do not start the tool
	}
	return context.Cause(ctx)
}

// Finish implements agent.Journal. It works even after the run is over: any outcome is worth
// keeping.
func (j *runJournal) Finish(ctx context.Context, callID string, c journal.ToolCall) error {
	c.ID = callID
	return storeError(j.runs.FinishCall(ctx, j.run.owner, j.run.ID, c, false))
}

// Result implements agent.Journal.
func (j *runJournal) Result(ctx context.Context, callID string) (string, error) {
	c, err := j.runs.ToolCall(ctx, j.run.owner, j.run.ThreadID, callID)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && c.State != journal.Finished:
		return "", fmt.Errorf("no result of a call %q is kept", callID)
	case err != nil:
		return "", errors.New("the result could not be read")
	}
	return c.Result, nil
}

// storeError marks an error as a store error.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", refusal.ErrStore, err)
}

// journalCalls returns the journal's entries for the run's calls, by id.
func (r *Run) journalCalls(ctx context.Context) (map[string]journal.ToolCall, error) {
	entries, err := r.m.cfg.Store.ToolCalls(ctx, r.owner, r.ID)
	if err != nil {
		return nil, err
	}
	calls := make(map[string]journal.ToolCall, len(entries))
	for _, c := range entries {
		calls[c.ID] = c
	}
	return calls, nil
}
