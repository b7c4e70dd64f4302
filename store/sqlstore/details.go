package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// found is a message of a thread, looked up by its id.
type found struct {
	store.StoredMessage
	number    int64
	inHistory bool // it has no row of its own
}

// find looks up a message of a thread that is not deleted, on any branch.
func find(c *conn, o store.Owner, threadID, messageID string) (f found, err error) {
	if f.number, err = numberOf(c, o, threadID); err != nil {
		return f, err
	}
	ok := false
	err = c.each(selectMessage, []any{o.Tenant, o.Subject, threadID, messageID}, func(r row) error {
		ok = true
		f.StoredMessage, err = scanMessage(r)
		return err
	})
	if err != nil || ok {
		return f, err
	}
	return f, f.findInHistory(c, o, threadID, messageID)
}

// numberOf returns the number of a thread that is not deleted.
func numberOf(c *conn, o store.Owner, threadID string) (number int64, err error) {
	var head string
	var deleted bool
	err = c.row(selectHead, []any{o.Tenant, o.Subject, threadID}, &head, &number, &deleted)
	if errors.Is(err, sql.ErrNoRows) || err == nil && deleted {
		err = store.ErrNotFound
	}
	return number, err
}

func (f *found) findInHistory(c *conn, o store.Owner, threadID, messageID string) error {
	ids, err := historyIDsOf(c, o, threadID)
	if err != nil {
		return err
	}
	seq, ok := ids.seq(messageID)
	if !ok {
		return store.ErrNotFound
	}
	var h history
	if err := c.each(selectHistory, []any{o.Tenant, o.Subject, threadID}, h.scan); err != nil {
		return err
	}
	for _, m := range h.messages {
		if m.Seq == seq {
			f.StoredMessage, f.inHistory = m, true
			return nil
		}
	}
	return store.ErrNotFound
}

// MessageRun implements store.Store.
func (s *threadStore) MessageRun(ctx context.Context, o store.Owner, threadID, messageID string) (run store.Run, err error) {
	err = s.reading.view(ctx, func(c *conn) error {
		id, err := runOf(c, o, threadID, messageID)
		if err != nil {
			return err
		}
		return c.each(selectRun, []any{o.Tenant, o.Subject, id}, func(r row) error { return scanWhole(r, &run) })
	})
	return run, explain("run of message", messageID, err)
}

// runOf returns the run of a message, without reading the message.
func runOf(c *conn, o store.Owner, threadID, messageID string) (runID string, err error) {
	if _, err = numberOf(c, o, threadID); err != nil {
		return "", err
	}
	err = c.row(selectMessageRun, []any{o.Tenant, o.Subject, threadID, messageID}, &runID)
	if !errors.Is(err, sql.ErrNoRows) {
		return runID, err
	}
	ids, err := historyIDsOf(c, o, threadID)
	if _, ok := ids.seq(messageID); err == nil && !ok {
		err = store.ErrNotFound
	}
	return ids.runID, err
}

// HasMessages implements store.Store.
func (s *threadStore) HasMessages(
	ctx context.Context, o store.Owner, threadID string, ids []string,
) (has map[string]bool, err error) {
	err = s.reading.view(ctx, func(c *conn) error {
		has, err = hasMessages(c, o, threadID, ids)
		return err
	})
	return has, explain("messages of thread", threadID, err)
}

func hasMessages(c *conn, o store.Owner, threadID string, ids []string) (map[string]bool, error) {
	if _, err := numberOf(c, o, threadID); err != nil {
		return nil, err
	}
	old, err := historyIDsOf(c, o, threadID)
	if err != nil {
		return nil, err
	}
	has := make(map[string]bool, len(ids))
	for _, id := range ids {
		_, ok := old.seq(id)
		if !ok {
			err := c.row(selectMessageRun, []any{o.Tenant, o.Subject, threadID, id}, new(string))
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return nil, err
			}
			ok = err == nil
		}
		if ok {
			has[id] = true
		}
	}
	return has, nil
}

// SetMessageMetadata implements store.Store.
func (s *threadStore) SetMessageMetadata(
	ctx context.Context, o store.Owner, threadID, messageID string,
	change func(agui.Message) (json.RawMessage, error),
) error {
	const doing = "set metadata of message"
	if err := o.Check(); err != nil {
		return explain(doing, messageID, err)
	}
	return s.write(ctx, doing, messageID, 0, func(t *txn) error {
		f, err := find(t.conn, o, threadID, messageID)
		if err != nil {
			return err
		}
		body, err := store.WithMetadata(f.Message, change)
		if err != nil {
			return err
		}
		t.kept.drop(threadKey{o, threadID})
		if f.inHistory {
			_, err = t.exec(replaceHistory, o.Tenant, o.Subject, threadID, f.Seq, messageID, body.JSON)
			return err
		}
		_, err = t.exec(setBody, o.Tenant, o.Subject, threadID, messageID, body.JSON)
		return err
	})
}

// SetFeedback implements store.Store.
func (s *threadStore) SetFeedback(ctx context.Context, o store.Owner, threadID string, f store.Feedback) error {
	const doing = "set feedback on message"
	feedback, err := store.NewFeedback(f, s.now())
	if err = cmp.Or(o.Check(), err); err != nil {
		return explain(doing, f.MessageID, err)
	}
	return s.write(ctx, doing, f.MessageID, len(f.Comment), func(t *txn) error {
		if _, err := find(t.conn, o, threadID, f.MessageID); err != nil {
			return err
		}
		if feedback == nil {
			_, err := t.exec(deleteFeedback, o.Tenant, o.Subject, threadID, f.MessageID)
			return err
		}
		_, err := t.exec(putFeedback, o.Tenant, o.Subject, threadID, f.MessageID, feedback.Rating,
			feedback.Reason, feedback.Comment, feedback.At.UnixMilli())
		return err
	})
}

// addFeedback adds the user's ratings to the messages.
func addFeedback(c *conn, o store.Owner, threadID string, messages []store.StoredMessage) error {
	all := map[string]*store.Feedback{}
	err := c.each(selectFeedback, []any{o.Tenant, o.Subject, threadID}, func(r row) error {
		var f store.Feedback
		var at int64
		err := r.Scan(&f.MessageID, &f.Rating, &f.Reason, &f.Comment, &at)
		f.At = store.FromMillis(at)
		all[f.MessageID] = &f
		return err
	})
	for i := range messages {
		messages[i].Feedback = all[messages[i].Message.ID]
	}
	return err
}

// PutInstructions implements store.Store.
func (s *settingStore) PutInstructions(ctx context.Context, o store.Owner, in store.Instructions) error {
	const doing = "put instructions of"
	scope := in.Kind + ":" + in.ID
	if err := cmp.Or(o.Check(), store.CheckInstructions(in)); err != nil {
		return explain(doing, scope, err)
	}
	now := s.now().UnixMilli()
	return s.write(ctx, doing, scope, len(in.Text), func(t *txn) (err error) {
		if in.Text == "" {
			_, err = t.exec(deleteInstructions, o.Tenant, in.Kind, in.ID)
		} else {
			_, err = t.exec(putInstructions, o.Tenant, in.Kind, in.ID, in.Text, now, o.Subject)
		}
		return err
	})
}

// Instructions implements store.Store.
func (s *settingStore) Instructions(ctx context.Context, o store.Owner, kind, id string) (in store.Instructions, err error) {
	err = s.reading.some(ctx, selectInstructions, []any{o.Tenant, kind, id}, func(r row) error {
		var at int64
		err := r.Scan(&in.Kind, &in.ID, &in.Text, &at, &in.UpdatedBy)
		in.UpdatedAt = store.FromMillis(at)
		return err
	})
	return in, explain("instructions of", kind+":"+id, err)
}
