package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// messageBatch is the messages that one write brings to a thread.
type messageBatch struct {
	owner           store.Owner
	threadID, runID string
	now             int64
	bodies          []store.Body
}

// add appends the messages the thread does not have yet, in the places up to last. A thread that this write has made says
// already that it has changed.
func (b *messageBatch) add(t *txn, last int64, isNew bool) error {
	added, err := b.write(t, insertMessage, last)
	if err != nil || added == 0 || isNew {
		return err
	}
	_, err = b.reserve(t, 0)
	return err
}

// put appends the messages the thread does not have yet and replaces the others where they are.
func (b *messageBatch) put(t *txn) error {
	if len(b.bodies) == 0 {
		return nil
	}
	last, err := b.reserve(t, len(b.bodies))
	if err != nil {
		return err
	}
	_, err = b.write(t, upsertMessage, last)
	return err
}

// save is put for a run that must be live.
func (b *messageBatch) save(t *txn) error {
	var last int64
	err := t.row(reserveLive, []any{b.owner.Tenant, b.owner.Subject, b.threadID, len(b.bodies), b.now, b.runID}, &last)
	if errors.Is(err, sql.ErrNoRows) {
		return notLive(t, b.owner, b.threadID, b.runID)
	}
	if err != nil {
		return err
	}
	_, err = b.write(t, upsertMessage, last)
	return err
}

func (b *messageBatch) reserve(t *txn, places int) (last int64, err error) {
	err = t.row(reserve, []any{b.owner.Tenant, b.owner.Subject, b.threadID, places, b.now}, &last)
	if errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	return last, err
}

func (b *messageBatch) write(t *txn, statement string, last int64) (written int64, err error) {
	seq := last - int64(len(b.bodies))
	for _, body := range b.bodies {
		seq++
		n, err := t.exec(statement, b.owner.Tenant, b.owner.Subject, b.threadID, seq, body.ID, b.runID, b.now, body.JSON)
		if err != nil {
			return 0, fmt.Errorf("message %q: %w", body.ID, err)
		}
		written += n
	}
	return written, nil
}

// Transcript implements store.Store.
func (s *Store) Transcript(ctx context.Context, o store.Owner, threadID string) ([]agui.Message, error) {
	messages, err := s.transcript(ctx, o, threadID)
	return messages, explain("transcript of thread", threadID, err)
}

func (s *Store) transcript(ctx context.Context, o store.Owner, threadID string) ([]agui.Message, error) {
	messages := []agui.Message{}
	err := s.reading.each(ctx, selectTranscript, []any{o.Tenant, o.Subject, threadID}, func(r row) error {
		var body messageColumn
		err := r.Scan(&body)
		messages = append(messages, body.Message)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return messages, s.mustExist(ctx, o, threadID)
	}
	return messages, nil
}

// Messages implements store.Store.
func (s *Store) Messages(ctx context.Context, o store.Owner, threadID string, before int64, limit int) (store.Page[store.StoredMessage], error) {
	page, err := s.messages(ctx, o, threadID, before, store.PageSize(limit))
	return page, explain("messages of thread", threadID, err)
}

func (s *Store) messages(ctx context.Context, o store.Owner, threadID string, before int64, limit int) (page store.Page[store.StoredMessage], err error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	// One more than asked for tells whether there is another page.
	args := []any{o.Tenant, o.Subject, threadID, before, limit + 1}
	err = s.reading.each(ctx, selectMessagesBefore, args, func(r row) error {
		var m store.StoredMessage
		var created int64
		var body messageColumn
		err := r.Scan(&m.Seq, &m.RunID, &created, &body)
		m.CreatedAt, m.Message = store.FromMillis(created), body.Message
		page.Items = append(page.Items, m)
		return err
	})
	if err == nil && len(page.Items) == 0 {
		err = s.mustExist(ctx, o, threadID)
	}
	if err != nil {
		return store.Page[store.StoredMessage]{}, err
	}
	if len(page.Items) > limit {
		page.Items = slices.Clip(page.Items[:limit])
		page.Next = store.BeforeCursor(page.Items[limit-1].Seq)
	}
	slices.Reverse(page.Items)
	return page, nil
}

func (s *Store) mustExist(ctx context.Context, o store.Owner, threadID string) error {
	_, err := s.thread(ctx, o, threadID)
	return err
}

// messageColumn scans a body.
type messageColumn struct{ agui.Message }

// Scan implements sql.Scanner.
func (c *messageColumn) Scan(value any) (err error) {
	var body []byte
	switch v := value.(type) {
	case string:
		body = []byte(v)
	case []byte:
		body = slices.Clone(v)
	default:
		return fmt.Errorf("message body is %T", value)
	}
	if c.Message, err = agui.UnmarshalMessage(body); err != nil {
		return fmt.Errorf("message body: %w", err)
	}
	return nil
}
