package store

import (
	"bytes"
	"context"
	"slices"
	"time"
)

// GiveAllowance implements Store.
func (m *Memory) GiveAllowance(ctx context.Context, o Owner, a Allowance) error {
	return m.write(ctx, "give allowance", a.ID, o, nil, func(own *ownerData, _ []Body, now time.Time) error {
		a, err := NewAllowance(a, now)
		if err != nil {
			return err
		}
		r, err := own.liveRun(a.RunID)
		if err != nil {
			return err
		}
		t := own.threads[r.ThreadID]
		held := slices.DeleteFunc(slices.Clone(t.allowances), func(old Allowance) bool { return !now.Before(old.ExpiresAt) })
		if slices.ContainsFunc(held, func(old Allowance) bool { return old.ID == a.ID }) {
			return ErrConflict
		}
		a.ThreadID = r.ThreadID
		t.allowances = append(held, a)
		return nil
	})
}

// Allowances implements Store.
func (m *Memory) Allowances(ctx context.Context, o Owner, threadID string) (all []Allowance, err error) {
	now := m.now()
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		for _, a := range t.allowances {
			if now.Before(a.ExpiresAt) {
				a.Args = bytes.Clone(a.Args)
				all = append(all, a)
			}
		}
		return nil
	})
	SortAllowances(all)
	return all, err
}

// FindAllowances implements Store.
func (m *Memory) FindAllowances(ctx context.Context, o Owner, threadID string, like Allowance) (found []Allowance, err error) {
	now := m.now()
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		for _, a := range t.allowances {
			if now.Before(a.ExpiresAt) && a.Matches(like) {
				a.Args = nil
				found = append(found, a)
			}
		}
		return nil
	})
	SortAllowances(found)
	return found, err
}

// RevokeAllowance implements Store.
func (m *Memory) RevokeAllowance(ctx context.Context, o Owner, threadID, id string) error {
	return m.write(ctx, "revoke allowance", id, o, nil, func(own *ownerData, _ []Body, now time.Time) error {
		t, err := own.thread(threadID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(t.allowances, func(a Allowance) bool { return a.ID == id && now.Before(a.ExpiresAt) })
		if i < 0 {
			return ErrNotFound
		}
		t.allowances = slices.Delete(t.allowances, i, i+1)
		return nil
	})
}

// PutInstructions implements Store.
func (m *Memory) PutInstructions(ctx context.Context, o Owner, in Instructions) error {
	return m.write(ctx, "put instructions of", in.Kind+":"+in.ID, o, nil, func(_ *ownerData, _ []Body, now time.Time) error {
		if err := CheckInstructions(in); err != nil {
			return err
		}
		key := scopeKey{o.Tenant, in.Kind, in.ID}
		if in.Text == "" {
			delete(m.instructions, key)
			return nil
		}
		if m.instructions == nil {
			m.instructions = map[scopeKey]Instructions{}
		}
		in.UpdatedAt, in.UpdatedBy = now, o.Subject
		m.instructions[key] = in
		return nil
	})
}

// Instructions implements Store.
func (m *Memory) Instructions(ctx context.Context, o Owner, kind, id string) (in Instructions, err error) {
	err = m.read(ctx, "instructions of", kind+":"+id, o, func(*ownerData) error {
		stored, ok := m.instructions[scopeKey{o.Tenant, kind, id}]
		if !ok {
			return ErrNotFound
		}
		in = stored
		return nil
	})
	return in, err
}
