package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/pageside/pageside/store"
)

// PutShare implements store.Store.
func (s *threadStore) PutShare(ctx context.Context, o store.Owner, share store.Share) error {
	const doing = "put share"
	id, now := share.ID, s.now()
	share, err := store.NewShare(share, now)
	if err = cmp.Or(o.Check(), err); err != nil {
		return explain(doing, id, err)
	}
	return s.write(ctx, doing, id, len(share.Messages), func(t *txn) error {
		thread, err := threadIn(t.conn, o, share.ThreadID)
		if err != nil {
			return err
		}
		if !thread.DeletedAt.IsZero() {
			return store.ErrNotFound
		}
		if err := roomForShare(t, o, share.ThreadID, now); err != nil {
			return err
		}
		return t.change(store.ErrConflict, insertShare,
			o.Tenant, o.Subject, share.ThreadID, share.ID, share.TokenHash,
			share.CreatedAt.UnixMilli(), share.ExpiresAt.UnixMilli(),
			share.Title, string(share.Messages))
	})
}

// roomForShare removes the expired shares of a thread, and returns store.ErrTooMany if it has as
// many others as it may have.
func roomForShare(t *txn, o store.Owner, threadID string, now time.Time) error {
	if _, err := t.exec(forgetShares, o.Tenant, o.Subject, threadID, now.UnixMilli()); err != nil {
		return err
	}
	var n int
	err := t.conn.row(countShares, []any{o.Tenant, o.Subject, threadID}, &n)
	if err == nil && n >= store.MaxShares {
		err = store.ErrTooMany
	}
	return err
}

// Shares implements store.Store.
func (s *threadStore) Shares(ctx context.Context, o store.Owner, threadID string) (all []store.Share, err error) {
	args := []any{o.Tenant, o.Subject, threadID, s.now().UnixMilli()}
	err = s.reading.some(ctx, selectShares, args, func(r row) error {
		var id, title sql.NullString
		var created, expires sql.NullInt64
		err := r.Scan(&id, &title, &created, &expires)
		if id.Valid {
			all = append(all, store.Share{
				ID: id.String, ThreadID: threadID, Title: title.String,
				CreatedAt: store.FromMillis(created.Int64), ExpiresAt: store.FromMillis(expires.Int64),
			})
		}
		return err
	})
	store.SortShares(all)
	return all, explain("shares of thread", threadID, err)
}

// DeleteShare implements store.Store.
func (s *threadStore) DeleteShare(ctx context.Context, o store.Owner, threadID, id string) error {
	return s.change(ctx, "delete share", id, 0, o.Check(), deleteShare,
		o.Tenant, o.Subject, threadID, id, s.now().UnixMilli())
}

// OpenShare implements store.Store.
func (s *threadStore) OpenShare(ctx context.Context, tenant, tokenHash string) (found store.OwnedShare, err error) {
	args := []any{tenant, tokenHash, s.now().UnixMilli()}
	err = s.reading.some(ctx, openShare, args, func(r row) error {
		var messages string
		var created, expires int64
		o, share := &found.Owner, &found.Share
		err := r.Scan(&o.Tenant, &o.Subject, &share.ThreadID, &share.ID, &share.TokenHash,
			&created, &expires, &share.Title, &messages)
		share.Messages = json.RawMessage(messages)
		share.CreatedAt, share.ExpiresAt = store.FromMillis(created), store.FromMillis(expires)
		return err
	})
	return found, explain("open share", "", err)
}

// PurgeShares implements store.Store.
func (s *threadStore) PurgeShares(ctx context.Context, before time.Time) (int, error) {
	n, err := s.inSteps(ctx, "purge shares", func(t *txn) (int64, error) {
		return t.exec(purgeShares, before.UnixMilli(), purgeAtOnce)
	})
	return int(n), err
}
