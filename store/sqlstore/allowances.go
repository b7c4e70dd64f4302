package sqlstore

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/pageside/pageside/store"
)

// GiveAllowance implements store.Store.
func (s *Store) GiveAllowance(ctx context.Context, o store.Owner, a store.Allowance) error {
	const doing = "give allowance"
	id, now := a.ID, s.now()
	a, err := store.NewAllowance(a, now)
	if err = cmp.Or(o.Check(), err); err != nil {
		return explain(doing, id, err)
	}
	return s.write(ctx, doing, id, len(a.Args), func(t *txn) error {
		thread, err := liveRun(t, o, "", a.RunID)
		if err != nil {
			return err
		}
		if _, err := t.exec(forgetAllowances, o.Tenant, o.Subject, thread, now.UnixMilli()); err != nil {
			return err
		}
		n, err := t.exec(insertAllowance, o.Tenant, o.Subject, thread, a.ID, a.RunID, a.Agent, a.Tool, a.Definition, jsonColumn(a.Args), a.ArgsHash,
			a.CreatedAt.UnixMilli(), a.ExpiresAt.UnixMilli())
		if err == nil && n == 0 {
			err = store.ErrConflict
		}
		return err
	})
}

// Allowances implements store.Store.
func (s *Store) Allowances(ctx context.Context, o store.Owner, threadID string) ([]store.Allowance, error) {
	return s.allowances(ctx, o, threadID, selectAllowances)
}

// FindAllowances implements store.Store.
func (s *Store) FindAllowances(ctx context.Context, o store.Owner, threadID string, like store.Allowance) ([]store.Allowance, error) {
	return s.allowances(ctx, o, threadID, findAllowances, like.Agent, like.Tool, like.Definition, like.ArgsHash)
}

// allowances runs selectAllowances or findAllowances.
func (s *Store) allowances(ctx context.Context, o store.Owner, threadID, query string, like ...any) (all []store.Allowance, err error) {
	found := false
	args := append([]any{o.Tenant, o.Subject, threadID, s.now().UnixMilli()}, like...)
	err = s.reading.each(ctx, query, args, func(r row) error {
		found = true
		a, ok, err := scanAllowance(r)
		if a.ThreadID = threadID; ok {
			all = append(all, a)
		}
		return err
	})
	if err == nil && !found {
		err = store.ErrNotFound
	}
	store.SortAllowances(all)
	return all, explain("allowances of thread", threadID, err)
}

// scanAllowance reads a row of selectAllowances or findAllowances; ok is false for the row of a
// thread without allowances.
func scanAllowance(r row) (a store.Allowance, ok bool, err error) {
	var id, run, agent, tool, definition, args, hash sql.NullString
	var created, expires sql.NullInt64
	err = r.Scan(&id, &run, &agent, &tool, &definition, &args, &hash, &created, &expires)
	a = store.Allowance{
		ID: id.String, RunID: run.String, Agent: agent.String, Tool: tool.String, Definition: definition.String, Args: rawJSON(args), ArgsHash: hash.String,
		CreatedAt: store.FromMillis(created.Int64), ExpiresAt: store.FromMillis(expires.Int64),
	}
	return a, id.Valid, err
}

// RevokeAllowance implements store.Store.
func (s *Store) RevokeAllowance(ctx context.Context, o store.Owner, threadID, id string) error {
	const doing = "revoke allowance"
	if err := o.Check(); err != nil {
		return explain(doing, id, err)
	}
	now := s.now().UnixMilli()
	return s.write(ctx, doing, id, 0, func(t *txn) error {
		n, err := t.exec(deleteAllowance, o.Tenant, o.Subject, threadID, id, now)
		if err == nil && n == 0 {
			err = store.ErrNotFound
		}
		return err
	})
}
