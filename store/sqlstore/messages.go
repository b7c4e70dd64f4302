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
	history         string // the bodies as lines, where they are to be the thread's history if it is new
}

// known says what becomes of a message whose id the thread has.
type known bool

const (
	keep    known = false // it stays as it is
	replace known = true  // the new one takes its place
)

// place is what a write learns about its thread: the last of the places reserved for it, and how many the history takes.
type place struct{ last, history int64 }

// add appends the messages the thread does not have yet. A thread that this write has made has no other places, and says
// already that it has changed.
func (b *messageBatch) add(t *txn, p place) error {
	isNew := p.last == int64(b.places())
	if isNew && p.history > 0 {
		return b.insertHistory(t)
	}
	added, err := b.write(t, p, keep)
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
	p, err := b.reserve(t, len(b.bodies))
	if err != nil {
		return err
	}
	_, err = b.write(t, p, replace)
	return err
}

// save is put for a run that must be live.
func (b *messageBatch) save(t *txn) error {
	var p place
	err := t.row(reserveLive, []any{b.owner.Tenant, b.owner.Subject, b.threadID, len(b.bodies), b.now, b.runID}, &p.last, &p.history)
	if errors.Is(err, sql.ErrNoRows) {
		return notLive(t, b.owner, b.threadID, b.runID)
	}
	if err != nil {
		return err
	}
	_, err = b.write(t, p, replace)
	return err
}

func (b *messageBatch) reserve(t *txn, places int) (p place, err error) {
	err = t.row(reserve, []any{b.owner.Tenant, b.owner.Subject, b.threadID, places, b.now}, &p.last, &p.history)
	if errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	return p, err
}

func (b *messageBatch) write(t *txn, p place, k known) (written int64, err error) {
	ids, err := b.historyIDs(t, p.history)
	if err != nil {
		return 0, err
	}
	seq := p.last - int64(len(b.bodies))
	for _, body := range b.bodies {
		seq++
		n, err := b.writeOne(t, seq, body, ids, k)
		if err != nil {
			return 0, fmt.Errorf("message %q: %w", body.ID, err)
		}
		written += n
	}
	return written, nil
}

func (b *messageBatch) writeOne(t *txn, seq int64, body store.Body, ids historyIDs, k known) (int64, error) {
	if at, ok := ids.seq(body.ID); ok {
		if k == keep {
			return 0, nil
		}
		return t.exec(replaceHistory, b.owner.Tenant, b.owner.Subject, b.threadID, at, body.ID, body.JSON)
	}
	statement := upsertMessage
	if k == keep {
		statement = insertMessage
	}
	return t.exec(statement, b.owner.Tenant, b.owner.Subject, b.threadID, seq, body.ID, b.runID, b.now, body.JSON)
}

// Transcript implements store.Store.
func (s *Store) Transcript(ctx context.Context, o store.Owner, threadID string) ([]agui.Message, error) {
	messages, err := s.transcript(ctx, o, threadID)
	return messages, explain("transcript of thread", threadID, err)
}

func (s *Store) transcript(ctx context.Context, o store.Owner, threadID string) ([]agui.Message, error) {
	h, err := s.history(ctx, o, threadID)
	if err != nil {
		return nil, err
	}
	later := []agui.Message{}
	err = s.reading.each(ctx, selectTranscript, []any{o.Tenant, o.Subject, threadID}, func(r row) error {
		var seq int64
		var body messageColumn
		if err := r.Scan(&seq, &body); err != nil {
			return err
		}
		if h.has(seq) {
			h.replace(seq, body.Message)
		} else {
			later = append(later, body.Message)
		}
		return nil
	})
	if err != nil || len(h.messages) == 0 {
		return later, err
	}
	messages := make([]agui.Message, 0, len(h.messages)+len(later))
	for i := range h.messages {
		messages = append(messages, h.messages[i].Message)
	}
	return append(messages, later...), nil
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
	h, err := s.history(ctx, o, threadID)
	if err != nil {
		return page, err
	}
	// One more than asked for tells whether there is another page.
	args := []any{o.Tenant, o.Subject, threadID, before, limit + 1}
	err = s.reading.each(ctx, selectMessagesBefore, args, func(r row) error {
		m, err := scanMessage(r)
		if err == nil && h.has(m.Seq) {
			h.replace(m.Seq, m.Message)
		} else {
			page.Items = append(page.Items, m)
		}
		return err
	})
	if err != nil {
		return store.Page[store.StoredMessage]{}, err
	}
	page.Items = append(page.Items, h.last(before, limit+1-len(page.Items))...)
	if len(page.Items) > limit {
		page.Items = slices.Clip(page.Items[:limit])
		page.Next = store.BeforeCursor(page.Items[limit-1].Seq)
	}
	slices.Reverse(page.Items)
	return page, nil
}

func scanMessage(r row) (m store.StoredMessage, err error) {
	var created int64
	var body messageColumn
	err = r.Scan(&m.Seq, &m.RunID, &created, &body)
	m.CreatedAt, m.Message = store.FromMillis(created), body.Message
	return m, err
}

// messageColumn scans a body.
type messageColumn struct{ agui.Message }

// Scan implements sql.Scanner.
func (c *messageColumn) Scan(value any) (err error) {
	var body string
	if err := scanColumn(value, &body); err != nil {
		return err
	}
	c.Message, err = readBody([]byte(body))
	return err
}

// readBody reads a message as store.Bodies has written it.
func readBody(body []byte) (agui.Message, error) {
	m, err := agui.ReadStoredMessage(body)
	if err != nil {
		return m, fmt.Errorf("message body: %w", err)
	}
	return m, nil
}
