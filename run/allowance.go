package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

// maxAllowances is how many standing approvals a thread may have at a time, and a user for all
// threads. Beyond that, an approval is good for one call only.
const maxAllowances = 200

// allowances gives a run the standing approvals on its branch. It implements calls.Allowances.
type allowances struct {
	m     *Manager
	store store.Settings
	run   *Run
	agent string
}

// Find implements calls.Allowances. It asks the store each time: a call whose allowance has just
// been revoked must not run.
func (a *allowances) Find(
	ctx context.Context, name, definition string, args json.RawMessage, open []string,
) (string, error) {
	return a.find(ctx, name, definition, func(held store.Allowance) bool { return covers(held, args, open) })
}

// covers reports whether an allowance is for these arguments. open holds the arguments that the
// tool permits to be left open now.
func covers(held store.Allowance, args json.RawMessage, open []string) bool {
	if !isSubset(held.OpenArgs, open) {
		return false
	}
	hash, err := tool.HashExcept(args, held.OpenArgs)
	return err == nil && hash == held.ArgsHash
}

func isSubset(names, of []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(of, name) })
}

// find returns the id of the first allowance that matches and applies on the run's branch, or "".
func (a *allowances) find(
	ctx context.Context, name, definition string, matches func(store.Allowance) bool,
) (string, error) {
	like := store.Allowance{Agent: a.agent, Tool: name, Definition: definition}
	found, err := a.store.FindAllowances(ctx, a.run.owner, a.run.ThreadID, like)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", nil // the thread was deleted
	case err != nil:
		return "", err
	}
	for _, held := range found {
		switch {
		case !matches(held):
			continue
		case held.UserWide:
			return held.ID, nil
		}
		if here, err := a.m.leadsTo(ctx, a.run.owner, a.run.ThreadID, held.RunID, a.run.ID); here || err != nil {
			return held.ID, err
		}
	}
	return "", nil
}

// Give implements calls.Allowances. After a crash it is called again with the same answer: an
// existing allowance is not stored twice. Beyond maxAllowances nothing is stored: this call runs,
// and the next one asks.
func (a *allowances) Give(ctx context.Context, given calls.Allowance) error {
	same := func(held store.Allowance) bool {
		return held.ArgsHash == given.ArgsHash && held.UserWide == given.UserWide &&
			!held.ExpiresAt.Before(given.ExpiresAt.Add(-allowanceSlack))
	}
	if id, err := a.find(ctx, given.Tool, given.Definition, same); err != nil || id != "" {
		return err
	}
	held, err := a.held(ctx, given.UserWide)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if len(held) >= maxAllowances {
		a.m.log.Warn("no allowance was stored: there are too many", "run", a.run.ID, "thread", a.run.ThreadID,
			"tool", given.Tool, "userWide", given.UserWide, "count", len(held))
		return nil
	}
	row := store.Allowance{
		ID: newID("alw"), RunID: a.run.ID, Agent: a.agent, Tool: given.Tool, Definition: given.Definition,
		Args: given.Args, OpenArgs: given.OpenArgs, ArgsHash: given.ArgsHash, UserWide: given.UserWide,
		ExpiresAt: given.ExpiresAt,
	}
	if err := a.store.GiveAllowance(ctx, a.run.owner, row); err != nil {
		return fmt.Errorf("%w: %w", refusal.ErrStore, err)
	}
	a.m.log.Info("an allowance was given", "run", a.run.ID, "thread", a.run.ThreadID, "tool", given.Tool, "argsHash", given.ArgsHash,
		"openArgs", given.OpenArgs, "userWide", given.UserWide, "expires", given.ExpiresAt, "allowance", row.ID)
	a.run.auditAllowance(ctx, row.ID, given.Tool, given.ArgsHash)
	return nil
}

// allowanceSlack is how much longer a new allowance must last to replace an existing one. Without
// it, an answer processed again after a crash, which expires a little later, would replace its own.
const allowanceSlack = time.Hour

// held returns the allowances that count towards maxAllowances.
func (a *allowances) held(ctx context.Context, userWide bool) ([]store.Allowance, error) {
	if userWide {
		return a.store.UserAllowances(ctx, a.run.owner)
	}
	return a.store.Allowances(ctx, a.run.owner, a.run.ThreadID)
}

// Allowance is a standing approval. Active reports whether it applies: its tool has not changed,
// and it holds on all threads or was given on the shown branch.
type Allowance struct {
	store.Allowance
	Active bool
}

// granted shows and revokes standing approvals.
type granted struct {
	*stored
	agents *roster
	log    *slog.Logger
}

// Allowances returns the standing approvals of a thread. Errors are *refusal.Error.
func (g *granted) Allowances(ctx context.Context, o store.Owner, threadID string) ([]Allowance, error) {
	held, err := g.db.Allowances(ctx, o, threadID)
	if err != nil || len(held) == 0 {
		return nil, noneOr(noThread(threadID), "the allowances could not be read", err)
	}
	thread, err := g.db.Thread(ctx, o, threadID)
	if err != nil {
		return nil, unavailable("the thread could not be looked up", err)
	}
	all := make([]Allowance, len(held))
	for i, a := range held {
		all[i].Allowance = a
		if !g.isDefined(a) {
			continue
		}
		if all[i].Active, err = g.leadsTo(ctx, o, threadID, a.RunID, thread.Head); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// isDefined reports whether an allowance's tool is still the one the user agreed to.
func (g *granted) isDefined(a store.Allowance) bool {
	by := g.agents.Settings(a.Agent)
	if by == nil {
		return false
	}
	t, ok := by.Pages.Tools().Get(a.Tool)
	return ok && t.Definition() == a.Definition && isSubset(a.OpenArgs, t.Policy.OpenArgs)
}

// UserAllowances returns the standing approvals that hold on all threads of a user. Errors are
// *refusal.Error.
func (g *granted) UserAllowances(ctx context.Context, o store.Owner) ([]Allowance, error) {
	held, err := g.db.UserAllowances(ctx, o)
	if err != nil {
		return nil, unavailable("the allowances could not be read", err)
	}
	all := make([]Allowance, len(held))
	for i, a := range held {
		all[i] = Allowance{a, g.isDefined(a)}
	}
	return all, nil
}

// RevokeAllowance ends an allowance of a thread, or a user-wide one if threadID is "": the user is
// asked again. Calls that have begun continue. Errors are *refusal.Error.
func (g *granted) RevokeAllowance(ctx context.Context, o store.Owner, threadID, id string) error {
	err := g.db.RevokeAllowance(ctx, o, threadID, id)
	if err != nil {
		of := fmt.Sprintf("thread %q has", threadID)
		if threadID == "" {
			of = "you have"
		}
		none := refusal.None("%s no allowance %q", of, id)
		return noneOr(none, "the allowance could not be revoked", err)
	}
	g.log.Info("an allowance was revoked", "thread", threadID, "allowance", id)
	return nil
}
