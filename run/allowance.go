package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// maxAllowances is how many standing approvals a thread may have at a time. Beyond that, an
// approval is good for one call only.
const maxAllowances = 200

// allowances gives a run the standing approvals on its branch. It implements agent.Allowances.
type allowances struct {
	m     *Manager
	store store.Settings
	run   *Run
	agent string
}

// Find implements agent.Allowances. It asks the store each time: a call whose allowance has just
// been revoked must not run.
func (a *allowances) Find(ctx context.Context, tool, definition, argsHash string) (string, error) {
	like := store.Allowance{Agent: a.agent, Tool: tool, Definition: definition, ArgsHash: argsHash}
	found, err := a.store.FindAllowances(ctx, a.run.owner, a.run.ThreadID, like)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", nil // the thread was deleted
	case err != nil:
		return "", err
	}
	for _, held := range found {
		if here, err := a.m.leadsTo(ctx, a.run, held.RunID, a.run.ID); here || err != nil {
			return held.ID, err
		}
	}
	return "", nil
}

// Give implements agent.Allowances. After a crash it is called again with the same answer: an
// existing allowance is not stored twice. Beyond maxAllowances nothing is stored: this call runs,
// and the next one asks.
func (a *allowances) Give(ctx context.Context, given agent.Allowance) error {
	if id, err := a.Find(ctx, given.Tool, given.Definition, given.ArgsHash); err != nil || id != "" {
		return err
	}
	held, err := a.store.Allowances(ctx, a.run.owner, a.run.ThreadID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if len(held) >= maxAllowances {
		a.m.log.Warn("no allowance was stored: the thread has too many", "run", a.run.ID, "thread", a.run.ThreadID, "tool", given.Tool, "count", len(held))
		return nil
	}
	row := store.Allowance{
		ID: newID("alw"), RunID: a.run.ID, Agent: a.agent, Tool: given.Tool, Definition: given.Definition,
		Args: given.Args, ArgsHash: given.ArgsHash, ExpiresAt: given.ExpiresAt,
	}
	if err := a.store.GiveAllowance(ctx, a.run.owner, row); err != nil {
		return fmt.Errorf("%w: %w", errStore, err)
	}
	a.m.log.Info("an allowance was given", "run", a.run.ID, "thread", a.run.ThreadID, "tool", given.Tool, "argsHash", given.ArgsHash, "allowance", row.ID)
	a.m.auditAllowance(ctx, a.run, row.ID, given.Tool, given.ArgsHash)
	return nil
}

// Allowance is a standing approval of a thread. Active reports whether it applies to the shown
// branch: it was given there, and its tool has not changed.
type Allowance struct {
	store.Allowance
	Active bool
}

// Allowances returns the standing approvals of a thread. Errors are *Error.
func (m *Manager) Allowances(ctx context.Context, o store.Owner, threadID string) ([]Allowance, error) {
	held, err := m.cfg.Store.Allowances(ctx, o, threadID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, noThread(threadID)
	case err != nil:
		return nil, unavailable("the allowances could not be read", err)
	case len(held) == 0:
		return nil, nil
	}
	thread, err := m.cfg.Store.Thread(ctx, o, threadID)
	if err != nil {
		return nil, unavailable("the thread could not be looked up", err)
	}
	all := make([]Allowance, len(held))
	for i, a := range held {
		all[i].Allowance = a
		if !m.isDefined(a) {
			continue
		}
		if all[i].Active, err = m.leadsTo(ctx, &Run{owner: o, ThreadID: threadID}, a.RunID, thread.Head); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// isDefined reports whether an allowance's tool is still the one the user agreed to.
func (m *Manager) isDefined(a store.Allowance) bool {
	by := m.Agent(a.Agent)
	if by == nil {
		return false
	}
	t, ok := by.Pages.Tools().Get(a.Tool)
	return ok && t.Definition() == a.Definition
}

// RevokeAllowance ends an allowance: the user is asked again. Calls that have begun continue.
// Errors are *Error.
func (m *Manager) RevokeAllowance(ctx context.Context, o store.Owner, threadID, id string) error {
	err := m.cfg.Store.RevokeAllowance(ctx, o, threadID, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &Error{Code: CodeNotFound, Message: fmt.Sprintf("thread %q has no allowance %q", threadID, id)}
	case err != nil:
		return unavailable("the allowance could not be revoked", err)
	}
	m.log.Info("an allowance was revoked", "thread", threadID, "allowance", id)
	return nil
}

// checkResume refuses answers to open interrupts that ask for more than was offered.
func checkResume(open []agent.Interrupt, sent []agui.ResumeEntry) error {
	for n, entry := range sent {
		i := slices.IndexFunc(open, func(i agent.Interrupt) bool { return i.ID == entry.InterruptID })
		if i < 0 || entry.Status != agui.ResumeResolved {
			continue
		}
		err := open[i].CheckAnswer(entry.Payload)
		if e, ok := errors.AsType[*agent.InputError](err); ok {
			field := fmt.Sprintf("resume[%d].payload.%s", n, e.Field)
			return &Error{Code: CodeInvalid, Field: field, Message: field + ": " + e.Err.Error()}
		}
	}
	return nil
}
