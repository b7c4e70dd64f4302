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
		list := &own.threads[r.ThreadID].allowances
		if a.UserWide {
			list = &own.allowances
		}
		held := slices.DeleteFunc(slices.Clone(*list), func(old Allowance) bool { return !now.Before(old.ExpiresAt) })
		if slices.ContainsFunc(held, func(old Allowance) bool { return old.ID == a.ID }) {
			return ErrConflict
		}
		a.ThreadID = r.ThreadID
		*list = append(held, a)
		return nil
	})
}

// Allowances implements Store.
func (m *Memory) Allowances(ctx context.Context, o Owner, threadID string) (all []Allowance, err error) {
	now := m.now()
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		all = valid(t.allowances, now)
		return nil
	})
	SortAllowances(all)
	return all, err
}

// UserAllowances implements Store.
func (m *Memory) UserAllowances(ctx context.Context, o Owner) (all []Allowance, err error) {
	now := m.now()
	err = m.read(ctx, "user allowances of", o.Subject, o, func(own *ownerData) error {
		all = valid(own.allowances, now)
		return nil
	})
	SortAllowances(all)
	return all, err
}

// valid returns copies of the allowances that have not expired.
func valid(list []Allowance, now time.Time) (all []Allowance) {
	for _, a := range list {
		if now.Before(a.ExpiresAt) {
			a.Args, a.OpenArgs = bytes.Clone(a.Args), slices.Clone(a.OpenArgs)
			all = append(all, a)
		}
	}
	return all
}

// FindAllowances implements Store.
func (m *Memory) FindAllowances(ctx context.Context, o Owner, threadID string, like Allowance) (found []Allowance, err error) {
	now := m.now()
	err = m.read(ctx, "allowances of thread", threadID, o, func(own *ownerData) error {
		t, err := own.thread(threadID)
		if err != nil {
			return err
		}
		for _, a := range append(valid(t.allowances, now), valid(own.allowances, now)...) {
			if a.IsFor(like) {
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
		list := &own.allowances
		if threadID != "" {
			t, err := own.thread(threadID)
			if err != nil {
				return err
			}
			list = &t.allowances
		}
		i := slices.IndexFunc(*list, func(a Allowance) bool { return a.ID == id && now.Before(a.ExpiresAt) })
		if i < 0 {
			return ErrNotFound
		}
		*list = slices.Delete(*list, i, i+1)
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
