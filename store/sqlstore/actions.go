package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/pageside/pageside/store"
)

// OfferApproval implements store.Store.
func (s *settingStore) OfferApproval(ctx context.Context, o store.Owner, a store.ActionApproval) error {
	const doing = "offer approval"
	if err := cmp.Or(o.Check(), store.CheckApproval(a)); err != nil {
		return explain(doing, a.ID, err)
	}
	now := s.now().UnixMilli()
	return s.write(ctx, doing, a.ID, 0, func(t *txn) error {
		if _, err := t.exec(forgetApprovals, o.Tenant, o.Subject, now); err != nil {
			return err
		}
		return t.change(store.ErrConflict, insertApproval,
			o.Tenant, o.Subject, a.ID, a.Fingerprint, a.ExpiresAt.UnixMilli())
	})
}

// BeginAction implements store.Store.
func (s *settingStore) BeginAction(
	ctx context.Context, o store.Owner, a store.Action, approvalID string,
) (earlier *store.Action, err error) {
	const doing = "begin action"
	key, now := a.Key, s.now()
	a, err = store.NewAction(a, now)
	if err = cmp.Or(o.Check(), err); err != nil {
		return nil, explain(doing, key, err)
	}
	err = s.write(ctx, doing, key, 0, func(t *txn) error {
		if _, err := t.exec(forgetActions, o.Tenant, o.Subject, now.UnixMilli()); err != nil {
			return err
		}
		if earlier, err = actionIn(t, o, a.Key); err != nil || earlier != nil {
			return err
		}
		if approvalID != "" {
			err := t.change(store.ErrNotFound, useApproval,
				o.Tenant, o.Subject, approvalID, a.Fingerprint, now.UnixMilli())
			if err != nil {
				return err
			}
		}
		_, err := t.exec(insertAction, o.Tenant, o.Subject, a.Key, a.Fingerprint,
			a.CreatedAt.UnixMilli(), a.ExpiresAt.UnixMilli())
		return err
	})
	if err != nil {
		earlier = nil
	}
	return earlier, err
}

// actionIn returns the action with a key, or nil.
func actionIn(t *txn, o store.Owner, key string) (found *store.Action, err error) {
	err = t.each(selectAction, []any{o.Tenant, o.Subject, key}, func(r row) error {
		a := store.Action{Key: key}
		var result []byte
		var created, expires int64
		err := r.Scan(&a.Fingerprint, &result, &created, &expires)
		a.Result, a.CreatedAt, a.ExpiresAt = result, store.FromMillis(created), store.FromMillis(expires)
		found = &a
		return err
	})
	return found, err
}

// EndAction implements store.Store.
func (s *settingStore) EndAction(ctx context.Context, o store.Owner, key string, result json.RawMessage) error {
	invalid := cmp.Or(o.Check(), store.CheckResult(result))
	return s.change(ctx, "end action", key, len(result), invalid, endAction,
		o.Tenant, o.Subject, key, []byte(result))
}
