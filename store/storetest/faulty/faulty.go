// Package faulty gives tests stores that fail, and processes that die, at an operation.
package faulty

import (
	"context"
	"iter"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
)

// Store is a store whose operations pass through a function of a test, by name and each in the
// goroutine that asks for it. What has no method here goes to the store below.
type Store struct {
	store.Store
	// Do carries out an operation, or does not, and returns what its caller is told. AppendEvents
	// is carried out when the store below has been handed the events.
	Do func(op string, carryOut func() error) error
}

// Writes reports whether an operation of a Store changes what is stored.
func Writes(op string) bool {
	reads := []string{"Thread", "Run", "Transcript", "Instructions", "Events", "FindAllowances"}
	return !slices.Contains(reads, op)
}

// got is Do for an operation that returns something.
func got[T any](s Store, op string, carryOut func() (T, error)) (v T, err error) {
	err = s.Do(op, func() (err error) { v, err = carryOut(); return err })
	return v, err
}

// What follows are the operations of store.Store.

func (s Store) AppendEvents(o store.Owner, b store.Batch, done func(error)) {
	if err := s.Do("AppendEvents", func() error { s.Store.AppendEvents(o, b, done); return nil }); err != nil {
		go done(err)
	}
}

func (s Store) BeginRun(ctx context.Context, o store.Owner, r store.Run, m []agui.Message, first store.Batch) error {
	return s.Do("BeginRun", func() error { return s.Store.BeginRun(ctx, o, r, m, first) })
}

func (s Store) SaveMessages(ctx context.Context, o store.Owner, thread, id string, m []agui.Message) error {
	return s.Do("SaveMessages", func() error { return s.Store.SaveMessages(ctx, o, thread, id, m) })
}

func (s Store) EndRun(ctx context.Context, o store.Owner, r store.Run, m []agui.Message, last store.Batch) error {
	return s.Do("EndRun", func() error { return s.Store.EndRun(ctx, o, r, m, last) })
}

func (s Store) TakeOver(ctx context.Context, o store.Owner, id string) (int, error) {
	return got(s, "TakeOver", func() (int, error) { return s.Store.TakeOver(ctx, o, id) })
}

func (s Store) TaintRun(ctx context.Context, o store.Owner, id string) error {
	return s.Do("TaintRun", func() error { return s.Store.TaintRun(ctx, o, id) })
}

func (s Store) PlanCalls(ctx context.Context, o store.Owner, id string, calls []journal.ToolCall, wait bool) error {
	return s.Do("PlanCalls", func() error { return s.Store.PlanCalls(ctx, o, id, calls, wait) })
}

func (s Store) StartCall(ctx context.Context, o store.Owner, id, callID string, wait bool) error {
	return s.Do("StartCall", func() error { return s.Store.StartCall(ctx, o, id, callID, wait) })
}

func (s Store) FinishCall(ctx context.Context, o store.Owner, id string, c journal.ToolCall, wait bool) error {
	return s.Do("FinishCall", func() error { return s.Store.FinishCall(ctx, o, id, c, wait) })
}

func (s Store) GiveAllowance(ctx context.Context, o store.Owner, a store.Allowance) error {
	return s.Do("GiveAllowance", func() error { return s.Store.GiveAllowance(ctx, o, a) })
}

func (s Store) FindAllowances(
	ctx context.Context, o store.Owner, thread string, like store.Allowance,
) ([]store.Allowance, error) {
	return got(s, "FindAllowances", func() ([]store.Allowance, error) {
		return s.Store.FindAllowances(ctx, o, thread, like)
	})
}

func (s Store) HoldUsage(ctx context.Context, o store.Owner, h store.Hold, q store.Quotas) error {
	return s.Do("HoldUsage", func() error { return s.Store.HoldUsage(ctx, o, h, q) })
}

func (s Store) AddUsage(ctx context.Context, o store.Owner, id string, used store.Amount) error {
	return s.Do("AddUsage", func() error { return s.Store.AddUsage(ctx, o, id, used) })
}

func (s Store) UpdateThread(
	ctx context.Context, o store.Owner, id string, c store.ThreadChange,
) (store.Thread, error) {
	return got(s, "UpdateThread", func() (store.Thread, error) { return s.Store.UpdateThread(ctx, o, id, c) })
}

func (s Store) Thread(ctx context.Context, o store.Owner, id string) (store.Thread, error) {
	return got(s, "Thread", func() (store.Thread, error) { return s.Store.Thread(ctx, o, id) })
}

func (s Store) Run(ctx context.Context, o store.Owner, id string) (store.Run, error) {
	return got(s, "Run", func() (store.Run, error) { return s.Store.Run(ctx, o, id) })
}

func (s Store) Transcript(ctx context.Context, o store.Owner, id, at string) ([]agui.Message, error) {
	return got(s, "Transcript", func() ([]agui.Message, error) { return s.Store.Transcript(ctx, o, id, at) })
}

func (s Store) Instructions(ctx context.Context, o store.Owner, kind, id string) (store.Instructions, error) {
	return got(s, "Instructions", func() (store.Instructions, error) { return s.Store.Instructions(ctx, o, kind, id) })
}

func (s Store) Events(ctx context.Context, o store.Owner, id string, after int64) iter.Seq2[store.Batch, error] {
	all, err := got(s, "Events", func() (iter.Seq2[store.Batch, error], error) {
		return s.Store.Events(ctx, o, id, after), nil
	})
	if err != nil {
		return func(yield func(store.Batch, error) bool) { yield(store.Batch{}, err) }
	}
	return all
}
