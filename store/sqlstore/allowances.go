package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"

	"github.com/pageside/pageside/store"
)

// GiveAllowance implements store.Store.
func (s *settingStore) GiveAllowance(ctx context.Context, o store.Owner, a store.Allowance) error {
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
		insert := insertAllowance
		if a.UserWide {
			insert = insertUserAllowance
			_, err = t.exec(forgetUserAllowances, o.Tenant, o.Subject, now.UnixMilli())
		} else {
			_, err = t.exec(forgetAllowances, o.Tenant, o.Subject, thread, now.UnixMilli())
		}
		if err != nil {
			return err
		}
		return t.change(store.ErrConflict, insert,
			o.Tenant, o.Subject, thread, a.ID, a.RunID, a.Agent, a.Tool, a.Definition,
			jsonColumn(a.Args), namesColumn(a.OpenArgs), a.ArgsHash,
			a.CreatedAt.UnixMilli(), a.ExpiresAt.UnixMilli())
	})
}

// namesColumn returns names as a JSON list, or nil if there are none.
func namesColumn(names []string) any {
	if len(names) == 0 {
		return nil
	}
	list, _ := json.Marshal(names) // strings: cannot fail
	return string(list)
}

// Allowances implements store.Store.
func (s *settingStore) Allowances(ctx context.Context, o store.Owner, threadID string) ([]store.Allowance, error) {
	return s.allowances(ctx, o, threadID, selectAllowances)
}

// UserAllowances implements store.Store.
func (s *settingStore) UserAllowances(ctx context.Context, o store.Owner) ([]store.Allowance, error) {
	all, err := s.userAllowances(ctx, o, selectUserAllowances)
	return all, explain("user allowances of", o.Subject, err)
}

// FindAllowances implements store.Store.
func (s *settingStore) FindAllowances(
	ctx context.Context, o store.Owner, threadID string, like store.Allowance,
) ([]store.Allowance, error) {
	all, err := s.allowances(ctx, o, threadID, findAllowances, like.Agent, like.Tool, like.Definition)
	if err != nil {
		return nil, err
	}
	wide, err := s.userAllowances(ctx, o, findUserAllowances, like.Agent, like.Tool, like.Definition)
	if err != nil {
		return nil, explain("allowances of thread", threadID, err)
	}
	all = append(all, wide...)
	store.SortAllowances(all)
	return all, nil
}

// allowances runs selectAllowances or findAllowances.
func (s *settingStore) allowances(
	ctx context.Context, o store.Owner, threadID, query string, like ...any,
) (all []store.Allowance, err error) {
	args := append([]any{o.Tenant, o.Subject, threadID, s.now().UnixMilli()}, like...)
	err = s.reading.some(ctx, query, args, func(r row) error {
		a, ok, err := scanAllowance(r)
		if ok {
			all = append(all, a)
		}
		return err
	})
	store.SortAllowances(all)
	return all, explain("allowances of thread", threadID, err)
}

// userAllowances runs selectUserAllowances or findUserAllowances.
func (s *settingStore) userAllowances(
	ctx context.Context, o store.Owner, query string, like ...any,
) (all []store.Allowance, err error) {
	args := append([]any{o.Tenant, o.Subject, s.now().UnixMilli()}, like...)
	err = s.reading.each(ctx, query, args, func(r row) error {
		a, _, err := scanAllowance(r)
		a.UserWide = true
		all = append(all, a)
		return err
	})
	store.SortAllowances(all)
	return all, err
}

// scanAllowance reads an allowance; ok is false for the row of a thread without allowances.
func scanAllowance(r row) (a store.Allowance, ok bool, err error) {
	var id, run, agent, tool, definition, args, open, hash, thread sql.NullString
	var created, expires sql.NullInt64
	err = r.Scan(&id, &run, &agent, &tool, &definition, &args, &open, &hash, &created, &expires, &thread)
	if err != nil {
		return a, false, err
	}
	a = store.Allowance{
		ID: id.String, ThreadID: thread.String, RunID: run.String,
		Agent: agent.String, Tool: tool.String, Definition: definition.String,
		Args: rawJSON(args), ArgsHash: hash.String,
		CreatedAt: store.FromMillis(created.Int64), ExpiresAt: store.FromMillis(expires.Int64),
	}
	if open.Valid {
		err = json.Unmarshal([]byte(open.String), &a.OpenArgs)
	}
	return a, id.Valid, err
}

// RevokeAllowance implements store.Store.
func (s *settingStore) RevokeAllowance(ctx context.Context, o store.Owner, threadID, id string) error {
	statement, args := deleteAllowance, []any{o.Tenant, o.Subject, threadID, id}
	if threadID == "" {
		statement, args = deleteUserAllowance, []any{o.Tenant, o.Subject, id}
	}
	args = append(args, s.now().UnixMilli())
	return s.change(ctx, "revoke allowance", id, 0, o.Check(), statement, args...)
}
