package sqlstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// What a transaction makes found goes to a table first, as one row. The search index itself is
// written in quiet moments, and before a search: that costs more than storing a message does, and
// nobody who waits for an answer should wait for it.

const (
	// settleAtOnce is how many transactions' worth is put into the index in one write: others wait
	// behind it.
	settleAtOnce = 32
	// quiet is how long nothing must have been written for the index to be written.
	quiet = 300 * time.Millisecond
	// overdue is for how long it may wait for a quiet moment. After that a piece is written every
	// settlePace, whatever else goes on: where it is never quiet, whoever searches first would
	// otherwise wait for all of it.
	overdue    = 5 * time.Second
	settlePace = 50 * time.Millisecond
)

const (
	insertWaiting = `INSERT INTO search_waiting (docs) VALUES ($1)`
	selectWaiting = `SELECT id, docs FROM search_waiting ORDER BY id LIMIT $1`
	deleteWaiting = `DELETE FROM search_waiting WHERE id <= $1`
	anyWaiting    = `SELECT EXISTS (SELECT 1 FROM search_waiting)`
)

// stageDocs keeps what the transaction makes found for the search index.
func (t *txn) stageDocs() error {
	if len(t.docs) == 0 {
		return nil
	}
	t.staged = t.staged[:0]
	for _, d := range t.docs {
		t.staged = strconv.AppendInt(t.staged, d.id, 10)
		if d.replaces {
			t.staged = append(t.staged, "\t1\t"...)
		} else {
			t.staged = append(t.staged, "\t0\t"...)
		}
		t.staged = append(append(t.staged, t.words[d.start:d.end]...), '\n')
	}
	t.unsettled.Store(true)
	_, err := t.exec(insertWaiting, string(t.staged))
	return err
}

// settleSome puts some of what waits into the search index, oldest first, and reports whether there
// is more.
func settleSome(t *txn) (more bool, err error) {
	index := newTxn(t.conn) // what this transaction itself makes found comes later
	rows, last := 0, int64(0)
	err = t.each(selectWaiting, []any{settleAtOnce}, func(r row) error {
		var docs string
		rows++
		if err := r.Scan(&last, &docs); err != nil {
			return err
		}
		return index.unstage(docs)
	})
	if err != nil || rows == 0 {
		return false, err
	}
	if err := index.writeDocs(); err != nil {
		return false, err
	}
	_, err = t.exec(deleteWaiting, last)
	return rows == settleAtOnce, err
}

// unstage takes in a row of what waits.
func (t *txn) unstage(docs string) error {
	for line := range strings.Lines(docs) {
		id, rest, _ := strings.Cut(line, "\t")
		replaces, words, ok := strings.Cut(strings.TrimSuffix(rest, "\n"), "\t")
		number, err := strconv.ParseInt(id, 10, 64)
		if !ok || err != nil {
			return fmt.Errorf("what waits for the search index cannot be read: %.40q", line)
		}
		d := doc{id: number, start: len(t.words), replaces: replaces == "1"}
		t.words = append(t.words, words...)
		d.end = len(t.words)
		t.docs = append(t.docs, d)
	}
	return nil
}

// settleAll is settleSome until nothing waits.
func settleAll(t *txn) error {
	for more := true; more; {
		var err error
		if more, err = settleSome(t); err != nil {
			return err
		}
	}
	return nil
}

// settle puts all that waits into the search index, in small writes. Where that fails, a full disk,
// say, a search finds what is there.
func (s *Store) settle(ctx context.Context) {
	for s.writing.txn.unsettled.Load() && ctx.Err() == nil {
		if err := s.write(ctx, "write the search index", "", 0, s.writing.settle); err != nil {
			s.log.Warn("the newest messages are not in the search index yet", "error", err)
			s.writing.txn.unsettled.Store(true)
			return
		}
	}
}

// settle is settleSome as an operation of the writer.
func (w *writer) settle(t *txn) error {
	more, err := settleSome(t)
	if err == nil {
		t.unsettled.Store(more)
	}
	return err
}

// settleQuietly does some of that while nobody writes anything, and returns when to go on: the
// sooner, the more is left.
func (w *writer) settleQuietly() (wait time.Duration) {
	if !w.txn.unsettled.Load() {
		return time.Hour // whatever is written wakes the writer
	}
	wait = time.Millisecond
	w.work([]*operation{{do: w.settle, answer: func(err error) {
		if err != nil {
			w.txn.unsettled.Store(true)
			wait = 10 * time.Second
		}
	}}})
	return wait
}

// settleOverdue writes a piece of the index where it has waited too long for a quiet moment.
func (w *writer) settleOverdue() {
	if w.txn.unsettled.Load() && time.Since(w.settled) < overdue {
		return
	}
	w.settleQuietly()
	w.settled = time.Now()
	if w.txn.unsettled.Load() {
		w.settled = w.settled.Add(settlePace - overdue)
	}
}

// readUnsettled finds out what an earlier process has left.
func readUnsettled(c *conn) (left bool, err error) {
	err = c.row(anyWaiting, nil, &left)
	return left, err
}
