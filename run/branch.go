package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
)

// branch is what a run continues, and what is stored of its last run.
type branch struct {
	*history.Branch
	taint bool
	state json.RawMessage
}

// branch reads the branch that the run continues: the thread's head, or what the request names. It
// reads the head only once, since it may move: taint, messages and interrupts must be those of the
// same branch.
func (c *candidate) branch(ctx context.Context) (*branch, error) {
	r := c.run
	thread, err := c.m.cfg.Store.Thread(ctx, r.owner, r.ThreadID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &branch{Branch: &history.Branch{New: true}}, nil
	case err != nil:
		return nil, unavailable("the thread could not be looked up", err)
	case !thread.DeletedAt.IsZero():
		return nil, wasDeleted(r.ThreadID)
	}
	found, err := history.Find(&c.Request, thread.Head, reads{ctx, r})
	if err != nil {
		return nil, err
	}
	last, err := c.m.lastRun(ctx, r.owner, found.Parent)
	if err != nil {
		return nil, err
	}
	asked, err := interruptsOf(last)
	found.Interrupts = history.Open(asked, found.Messages)
	return &branch{found, last.Tainted || found.CopyTainted, last.State}, err
}

// reads looks up a run's thread while its request is read. It implements history.Reads.
type reads struct {
	ctx context.Context
	run *Run
}

// Maker implements history.Reads.
func (s reads) Maker(messageID string) (history.Run, error) {
	row, err := s.run.m.cfg.Store.MessageRun(s.ctx, s.run.owner, s.run.ThreadID, messageID)
	if errors.Is(err, store.ErrNotFound) {
		return history.Run{}, nil
	}
	if err != nil {
		return history.Run{}, unreadable(err)
	}
	return s.known(row), nil
}

// Transcript implements history.Reads.
func (s reads) Transcript(runID string) ([]agui.Message, error) {
	messages, err := s.run.m.cfg.Store.Transcript(s.ctx, s.run.owner, s.run.ThreadID, cmp.Or(runID, store.RootRun))
	if err != nil {
		return nil, unreadable(err)
	}
	return messages, nil
}

// Named implements history.Reads.
func (s reads) Named(id string) (history.Run, error) {
	row, known, err := s.run.named(s.ctx, id)
	if !known || err != nil {
		return history.Run{}, err
	}
	return s.known(row), nil
}

// Has implements history.Reads.
func (s reads) Has(messageIDs []string) (map[string]bool, error) {
	has, err := s.run.m.cfg.Store.HasMessages(s.ctx, s.run.owner, s.run.ThreadID, messageIDs)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, unreadable(err)
	}
	return has, nil
}

// LeadsTo implements history.Reads.
func (s reads) LeadsTo(from, to string) (bool, error) {
	return s.run.m.leadsTo(s.ctx, s.run.owner, s.run.ThreadID, from, to)
}

// known returns what package history needs to know of a run.
func (s reads) known(row store.Run) history.Run {
	here := s.run.m.cache.get(s.run.owner, row.ID)
	k := history.Run{
		ID: row.ID, Parent: row.ParentRunID, Tainted: row.Tainted, Finished: row.Status == store.RunFinished,
		Seen: here == nil || here.seen.Load(),
	}
	if k.Parent == store.RootRun {
		k.Parent = ""
	}
	return k
}

// sawEnd notes that somebody has been shown the end of a run.
func (m *Manager) sawEnd(o store.Owner, runID string) {
	if r := m.cache.get(o, runID); r != nil {
		r.seen.Store(true)
	}
}

// named returns the newest run of the run's thread that a client knows by an id; false if there is
// none.
func (r *Run) named(ctx context.Context, id string) (row store.Run, known bool, err error) {
	if id, err = r.m.newest(ctx, r.owner, id); err != nil {
		return row, false, err
	}
	row, err = r.m.cfg.Store.Run(ctx, r.owner, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return row, false, nil
	case err != nil:
		return row, false, unavailable("the parent run could not be looked up", err)
	}
	return row, row.ThreadID == r.ThreadID, nil
}

// interruptsOf returns the interrupts that a run ended with.
func interruptsOf(row store.Run) (all []calls.Interrupt, err error) {
	if row.Interrupts == nil {
		return nil, nil
	}
	if err := json.Unmarshal(row.Interrupts, &all); err != nil {
		return nil, fmt.Errorf("read the interrupts of run %s: %w", row.ID, err)
	}
	return all, nil
}
