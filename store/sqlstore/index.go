package sqlstore

import (
	"context"
	"time"

	"github.com/pageside/pageside/store"
)

// A transaction only lists the documents of the search index it has changed. The index itself is
// written when the store is idle and before a search: that takes longer than storing a message, and
// must not delay an answer. See docs/adr/0016.

const (
	// indexAtOnce is how many documents one write indexes. Other writes wait for it.
	indexAtOnce = 100
	// quiet is how long the store must have been idle before the index is written.
	quiet = 300 * time.Millisecond
	// overdue is how long documents wait for an idle store. After that, some are written every
	// indexPace, so that the first search on a busy server need not wait for all of them; other
	// writes have indexRest times as long in between as that took.
	overdue   = 5 * time.Second
	indexPace = 50 * time.Millisecond
	indexRest = 32
	// catchUpTime is how long a search writes the index before it reads it.
	catchUpTime = 100 * time.Millisecond
)

// reindex marks a message of a thread, or its title, as changed since it was indexed.
func (t *txn) reindex(number, seq int64) error {
	id, ok := docID(number, seq)
	if !ok {
		return nil
	}
	t.pending.Store(true)
	t.allIndexed = false
	_, err := t.exec(insertPending, id)
	return err
}

// index marks a new message of a thread as yet to be indexed, if it has any text.
func (t *txn) index(number, seq int64, body store.Body) error {
	if !body.HasText {
		return nil
	}
	return t.reindex(number, seq)
}

// document is a row of the search index to be written.
type document struct {
	id    int64
	words string
}

// indexSome writes some of the pending documents and reports whether there are more. It reads all
// of them before it writes the first, in the order of their ids: otherwise FTS5 would flush its
// buffer again and again.
func (t *txn) indexSome() (more bool, err error) {
	docs, err := pendingDocuments(t.conn)
	if err != nil || len(docs) == 0 {
		t.allIndexed = err == nil
		return false, err
	}
	for _, d := range docs {
		if d.words == "" {
			_, err = t.exec(deleteWords, d.id)
		} else {
			_, err = t.exec(replaceWords, d.id, d.words)
		}
		if err != nil {
			return false, err
		}
	}
	_, err = t.exec(deletePending, docs[len(docs)-1].id)
	t.allIndexed = err == nil && len(docs) < indexAtOnce
	return !t.allIndexed, err
}

// pendingDocuments returns the first pending documents. A document whose message or thread is gone
// has no words.
func pendingDocuments(c *conn) (docs []document, err error) {
	var historyOf string
	var history historyLines
	err = c.each(selectPending, []any{indexAtOnce}, func(r row) error {
		var d document
		var o store.Owner
		var thread, text, body string
		if err := r.Scan(&d.id, &o.Tenant, &o.Subject, &thread, &text, &body); err != nil {
			return err
		}
		if seq := d.id & (1<<seqBits - 1); seq != titleSeq {
			if key := o.Tenant + "\x00" + o.Subject + "\x00" + thread; body == "" && key != historyOf {
				if history, err = historyLinesOf(c, o, thread); err != nil {
					return err
				}
				historyOf = key
			}
			if body == "" {
				body = history.at(seq)
			}
			text = searchText(body)
		}
		d.words = documentWords(o, text)
		docs = append(docs, d)
		return nil
	})
	return docs, err
}

// anyPendingIn reports whether an earlier process has left pending documents.
func anyPendingIn(c *conn) (found bool, err error) {
	err = c.row(anyPending, nil, &found)
	return found, err
}

// indexQuietly writes some of the index while the store is idle, and returns the time to wait until
// the next call.
func (w *writer) indexQuietly() time.Duration {
	if !w.txn.pending.Load() {
		return time.Hour // any write wakes the writer
	}
	op := &operation{do: func(t *txn) error { _, err := t.indexSome(); return err }}
	w.work([]*operation{op})
	if op.err != nil {
		return 10 * time.Second
	}
	return time.Millisecond
}

// indexOverdue writes some of the index if it has waited too long.
func (w *writer) indexOverdue() {
	if began := time.Now(); w.txn.pending.Load() && began.After(w.indexDue) {
		w.indexQuietly()
		w.indexDue = time.Now().Add(max(indexPace, indexRest*time.Since(began)))
	}
}

// index brings the search index up to date for an owner's search, as far as catchUpTime suffices:
// after a burst of writes the search finds what is indexed, and the next one more. Best effort: it
// is the same if this fails, for example on a full disk.
func (s *threadStore) index(ctx context.Context, o store.Owner) {
	bound, stop := context.WithTimeout(ctx, catchUpTime)
	defer stop()
	err := s.noteHistories(ctx, bound, o)
	if err == nil && s.writing.txn.pending.Load() {
		err = s.writeUntil(ctx, bound, "write the search index", (*txn).indexSome)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("the newest messages are not in the search index yet", "error", err)
	}
}

// What one write lists: histories, until they have this many messages.
const (
	historiesAtOnce = 100
	listedAtOnce    = 2000
)

// noteHistories marks those histories of the owner as pending that were never indexed. That waits
// until the first search: few histories are ever searched, and indexing takes longer than storing.
func (s *threadStore) noteHistories(ctx, bound context.Context, o store.Owner) error {
	found := false
	err := s.reading.with(ctx, func(c *conn) error { return c.row(anyHistories, []any{o.Tenant, o.Subject}, &found) })
	if err != nil || !found {
		return err
	}
	return s.writeUntil(ctx, bound, "note histories for the search index", func(t *txn) (bool, error) {
		return noteSomeHistories(t, o)
	})
}

// noteSomeHistories marks some of them and reports whether there are more.
func noteSomeHistories(t *txn, o store.Owner) (more bool, err error) {
	type history struct {
		thread         string
		number, length int64
	}
	var all []history
	err = t.each(selectHistories, []any{o.Tenant, o.Subject, historiesAtOnce}, func(r row) error {
		var h history
		err := r.Scan(&h.thread, &h.number, &h.length)
		all = append(all, h)
		return err
	})
	listed := int64(0)
	for _, h := range all {
		if listed >= listedAtOnce {
			return true, err
		}
		listed += h.length
		for i := range h.length {
			if err == nil {
				err = t.reindex(h.number, historyStart+i)
			}
		}
		if err == nil {
			_, err = t.exec(deleteHistory, o.Tenant, o.Subject, h.thread)
		}
	}
	return len(all) == historiesAtOnce, err
}
