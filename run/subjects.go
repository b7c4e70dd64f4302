package run

import (
	"context"

	"github.com/pageside/pageside/store"
)

// Forget deletes everything of an owner: it cancels the owner's runs, waits for their ends, and
// deletes the rest from the store and from memory. Runs that the owner starts during it may
// survive.
func (m *Manager) Forget(ctx context.Context, o store.Owner) error {
	runs := m.cache.of(o)
	for _, r := range runs {
		r.cancel(errCancelled)
	}
	for _, r := range runs {
		if err := r.ended(ctx); err != nil {
			return err
		}
	}
	if err := m.cfg.Store.Forget(ctx, o); err != nil {
		return unavailable("the data could not be deleted", err)
	}
	for _, r := range m.cache.drop(o) {
		m.followers.forget(r)
	}
	return nil
}

// Holdings counts what Forget would delete.
func (m *Manager) Holdings(ctx context.Context, o store.Owner) (store.Holdings, error) {
	h, err := m.cfg.Store.Holdings(ctx, o)
	if err != nil {
		return h, unavailable("the data could not be counted", err)
	}
	return h, nil
}

// ended waits until the run was refused or has ended.
func (r *Run) ended(ctx context.Context) error {
	select {
	case <-r.over:
		return nil
	case <-r.decided:
		if r.refused != nil {
			return nil
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-r.over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
