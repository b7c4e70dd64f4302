package store

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"time"
)

// OfferApproval implements Store.
func (m *Memory) OfferApproval(ctx context.Context, o Owner, a ActionApproval) error {
	return m.write(ctx, "offer approval", a.ID, o, nil, func(own *ownerData, _ []Body, now time.Time) error {
		if err := CheckApproval(a); err != nil {
			return err
		}
		maps.DeleteFunc(own.approvals, func(_ string, old ActionApproval) bool { return !now.Before(old.ExpiresAt) })
		if _, taken := own.approvals[a.ID]; taken {
			return ErrConflict
		}
		if own.approvals == nil {
			own.approvals = map[string]ActionApproval{}
		}
		a.ExpiresAt = FromMillis(a.ExpiresAt.UnixMilli())
		own.approvals[a.ID] = a
		return nil
	})
}

// BeginAction implements Store.
func (m *Memory) BeginAction(ctx context.Context, o Owner, a Action, approvalID string) (earlier *Action, err error) {
	err = m.write(ctx, "begin action", a.Key, o, nil, func(own *ownerData, _ []Body, now time.Time) error {
		a, err := NewAction(a, now)
		if err != nil {
			return err
		}
		maps.DeleteFunc(own.actions, func(_ string, old Action) bool { return !now.Before(old.ExpiresAt) })
		if old, known := own.actions[a.Key]; known {
			old.Result = bytes.Clone(old.Result)
			earlier = &old
			return nil
		}
		if approvalID != "" {
			given, ok := own.approvals[approvalID]
			if !ok || given.Fingerprint != a.Fingerprint || !now.Before(given.ExpiresAt) {
				return ErrNotFound
			}
			delete(own.approvals, approvalID)
		}
		if own.actions == nil {
			own.actions = map[string]Action{}
		}
		own.actions[a.Key] = a
		return nil
	})
	return earlier, err
}

// EndAction implements Store.
func (m *Memory) EndAction(ctx context.Context, o Owner, key string, result json.RawMessage) error {
	return m.write(ctx, "end action", key, o, nil, func(own *ownerData, _ []Body, _ time.Time) error {
		a, ok := own.actions[key]
		switch err := CheckResult(result); {
		case err != nil:
			return err
		case !ok:
			return ErrNotFound
		}
		a.Result = bytes.Clone(result)
		own.actions[key] = a
		return nil
	})
}
