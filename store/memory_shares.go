package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"
)

// PutShare implements Store.
func (m *Memory) PutShare(ctx context.Context, o Owner, s Share) error {
	return m.write(ctx, "put share", s.ID, o, nil, func(own *ownerData, _ []Body, now time.Time) error {
		s, err := NewShare(s, now)
		if err != nil {
			return err
		}
		t, err := own.thread(s.ThreadID)
		if err != nil {
			return err
		}
		open := slices.DeleteFunc(slices.Clone(t.shares), func(old Share) bool { return old.expired(now) })
		switch {
		case len(open) >= MaxShares:
			return ErrTooMany
		case slices.ContainsFunc(open, func(old Share) bool { return old.ID == s.ID }) || m.hasShare(s.TokenHash):
			return ErrConflict
		}
		t.shares = append(open, s)
		return nil
	})
}

func (s Share) expired(now time.Time) bool { return !s.ExpiresAt.After(now) }

// hasShare reports whether anybody has a share with a hash. Requires m.mu.
func (m *Memory) hasShare(tokenHash string) bool {
	for _, own := range m.owners {
		for _, t := range own.threads {
			if slices.ContainsFunc(t.shares, func(s Share) bool { return s.TokenHash == tokenHash }) {
				return true
			}
		}
	}
	return false
}

// Shares implements Store.
func (m *Memory) Shares(ctx context.Context, o Owner, threadID string) (all []Share, err error) {
	now := m.now()
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		for _, s := range t.shares {
			if !s.expired(now) {
				all = append(all, Share{ID: s.ID, ThreadID: s.ThreadID, Title: s.Title, CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt})
			}
		}
		SortShares(all)
		return nil
	})
	return all, err
}

// DeleteShare implements Store.
func (m *Memory) DeleteShare(ctx context.Context, o Owner, threadID, id string) error {
	return m.write(ctx, "delete share", id, o, nil, func(own *ownerData, _ []Body, now time.Time) error {
		t, err := own.thread(threadID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(t.shares, func(s Share) bool { return s.ID == id && !s.expired(now) })
		if i < 0 {
			return ErrNotFound
		}
		t.shares = slices.Delete(t.shares, i, i+1)
		return nil
	})
}

// OpenShare implements Store.
func (m *Memory) OpenShare(ctx context.Context, tenant, tokenHash string) (found OwnedShare, err error) {
	err = m.aboutAll(ctx, func(o Owner, t *memThread, now time.Time) {
		for _, s := range t.shares {
			if o.Tenant == tenant && s.TokenHash == tokenHash && !s.expired(now) && t.DeletedAt.IsZero() {
				s.Messages = bytes.Clone(s.Messages)
				found = OwnedShare{o, s}
			}
		}
	})
	if err == nil && found.Share.ID == "" {
		err = fmt.Errorf("store: open share: %w", ErrNotFound)
	}
	return found, err
}

// aboutAll calls do with the threads of all owners.
func (m *Memory) aboutAll(ctx context.Context, do func(Owner, *memThread, time.Time)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return ErrClosed
	}
	now := m.now()
	for o, own := range m.owners {
		for _, t := range own.threads {
			do(o, t, now)
		}
	}
	return nil
}

// PurgeShares implements Store.
func (m *Memory) PurgeShares(ctx context.Context, before time.Time) (n int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	err = m.alone(func() error {
		for _, own := range m.owners {
			for _, t := range own.threads {
				left := slices.DeleteFunc(t.shares, func(s Share) bool { return s.ExpiresAt.Before(before) })
				n += len(t.shares) - len(left)
				t.shares = left
			}
		}
		return nil
	})
	return n, err
}
