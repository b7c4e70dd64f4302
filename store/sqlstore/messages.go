package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// messageBatch is the messages of one write to a thread.
type messageBatch struct {
	owner           store.Owner
	threadID, runID string
	now             int64
	bodies          []store.Body
	// the bodies as lines, if they become the history of a new thread
	history string
	// the first user message, as stored in the run's row
	first *store.UserMessage
}

// known determines what happens to a message whose id the thread already has.
type known bool

const (
	keep    known = false // leave it unchanged
	replace known = true  // replace it in place
)

// reserved holds data of a thread: the last seq reserved for a write, the length of its history,
// and its number in the search index.
type reserved struct{ last, history, number int64 }

// add appends the messages that are new to the thread. If this write created the thread, there are
// no other seqs, and its time is already right.
func (b *messageBatch) add(t *txn, p reserved) error {
	isNew := p.last == int64(b.seqs())
	if isNew && p.history > 0 {
		return b.insertHistory(t)
	}
	added, err := b.write(t, p, keep)
	if err != nil {
		return err
	}
	if err := b.correctFirst(t, added); err != nil {
		return err
	}
	if len(added) == 0 || isNew {
		return nil
	}
	_, err = b.reserve(t, 0)
	return err
}

// correctFirst corrects the first user message in the run's row if the thread already had that
// message.
func (b *messageBatch) correctFirst(t *txn, added []store.Body) error {
	if len(added) == len(b.bodies) || b.first.ID == "" {
		return nil
	}
	first := store.FirstUser(added)
	if first == nil {
		first = &store.UserMessage{}
	}
	_, err := t.exec(setFirstUser, b.owner.Tenant, b.owner.Subject, b.runID, first.ID, first.Preview)
	return err
}

// put appends new messages and replaces known ones in place.
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

// save is put for a live run.
func (b *messageBatch) save(t *txn) error {
	var p reserved
	err := t.conn.row(reserveLive, []any{
		b.owner.Tenant, b.owner.Subject, b.threadID, len(b.bodies), b.now, b.runID,
	}, &p.last, &p.history, &p.number)
	if errors.Is(err, sql.ErrNoRows) {
		return notLive(t, b.owner, b.threadID, b.runID)
	}
	if err != nil {
		return err
	}
	_, err = b.write(t, p, replace)
	return err
}

func (b *messageBatch) reserve(t *txn, seqs int) (p reserved, err error) {
	err = t.conn.row(reserve, []any{
		b.owner.Tenant, b.owner.Subject, b.threadID, seqs, b.now,
	}, &p.last, &p.history, &p.number)
	if errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	return p, err
}

// write writes the messages and returns those written.
func (b *messageBatch) write(t *txn, p reserved, k known) (written []store.Body, err error) {
	var ids historyIDs
	if p.history > 0 {
		if ids, err = historyIDsOf(t.conn, b.owner, b.threadID); err != nil {
			return nil, err
		}
	}
	written = b.bodies
	seq := p.last - int64(len(b.bodies))
	for i, body := range b.bodies {
		seq++
		ok, err := b.writeOne(t, p.number, seq, body, &ids, k)
		if err != nil {
			return nil, fmt.Errorf("message %q: %w", body.ID, err)
		}
		if !ok && len(written) == len(b.bodies) {
			written = slices.Clone(b.bodies[:i])
		} else if ok && len(written) < i {
			written = append(written, body)
		}
	}
	return written, nil
}

// writeOne writes a message, at seq if it is new to the thread, and reports whether it wrote
// anything.
func (b *messageBatch) writeOne(t *txn, number, seq int64, body store.Body, ids *historyIDs, k known) (bool, error) {
	if at, ok := ids.seq(body.ID); ok {
		if k == keep {
			return false, nil
		}
		t.kept.drop(threadKey{b.owner, b.threadID})
		if _, err := t.exec(replaceHistory, b.owner.Tenant, b.owner.Subject, b.threadID, at, body.ID,
			body.JSON); err != nil {
			return false, err
		}
		return true, t.reindex(number, at)
	}
	args := []any{b.owner.Tenant, b.owner.Subject, b.threadID, seq, body.ID, b.runID, b.now, body.JSON}
	if k == keep {
		n, err := t.exec(insertMessage, args...)
		if err != nil || n == 0 {
			return false, err
		}
		return true, t.index(number, seq, body)
	}
	var at int64
	if err := t.conn.row(upsertMessage, args, &at); err != nil {
		return false, err
	}
	if at != seq {
		t.kept.drop(threadKey{b.owner, b.threadID})
		return true, t.reindex(number, at)
	}
	return true, t.index(number, at, body)
}

// visibleMessages selects the messages of a thread that a reader gets.
type visibleMessages struct {
	thread  string
	last    int64 // the last seq of the thread
	history history
	head    string          // the last run of the branch
	branch  map[string]bool // runs on the branch; nil means the whole thread
}

func (sh *visibleMessages) has(runID string) bool { return sh.branch == nil || sh.branch[runID] }

// look returns which messages of a thread are visible on the branch that ends with run at; "" means
// its head. Its history is not read yet.
func look(c *conn, o store.Owner, threadID, at string) (sh visibleMessages, err error) {
	sh.thread = threadID
	key := []any{o.Tenant, o.Subject, threadID}
	branched := false
	var head string
	err = c.row(selectVisible, key, &sh.history.length, &branched, &head, &sh.last)
	if errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	if err != nil {
		return sh, err
	}
	if sh.head = cmp.Or(at, head); branched || sh.head != head {
		if sh.branch, err = branchOf(c, o, threadID, sh.head); err != nil {
			return sh, err
		}
	}
	return sh, nil
}

// readHistory reads the history of a thread, if it has one.
func (sh *visibleMessages) readHistory(c *conn, key threadKey) error {
	if sh.history.length == 0 {
		return nil
	}
	return c.each(selectHistory, []any{key.owner.Tenant, key.owner.Subject, key.id}, sh.history.scan)
}

// branchOf returns the runs on the branch that ends with run at.
func branchOf(c *conn, o store.Owner, threadID, at string) (map[string]bool, error) {
	branch := map[string]bool{}
	if at == store.RootRun {
		return branch, nil
	}
	err := c.each(selectBranch, []any{o.Tenant, o.Subject, threadID, at}, func(r row) error {
		var id string
		err := r.Scan(&id)
		branch[id] = true
		return err
	})
	if err == nil && len(branch) == 0 {
		err = store.ErrNotFound
	}
	return branch, err
}

// Transcript implements store.Store.
func (s *threadStore) Transcript(
	ctx context.Context, o store.Owner, threadID, at string,
) (messages []agui.Message, err error) {
	since := s.kept.moment()
	err = s.reading.view(ctx, func(c *conn) error {
		sh, err := look(c, o, threadID, at)
		if err != nil {
			return err
		}
		rows, err := s.kept.read(c, threadKey{o, threadID}, &sh, since)
		if err == nil {
			messages = rows.visible(&sh)
		}
		return err
	})
	if err != nil {
		return nil, explain("transcript of thread", threadID, err)
	}
	return messages, nil
}

// Messages implements store.Store.
func (s *threadStore) Messages(
	ctx context.Context, o store.Owner, threadID string, before int64, limit int,
) (page store.Page[store.StoredMessage], err error) {
	err = s.reading.view(ctx, func(c *conn) error {
		if page, err = messages(c, o, threadID, before, store.PageSize(limit)); err != nil {
			return err
		}
		return addFeedback(c, o, threadID, page.Items)
	})
	if err != nil {
		return store.Page[store.StoredMessage]{}, explain("messages of thread", threadID, err)
	}
	return page, nil
}

func messages(
	c *conn, o store.Owner, threadID string, before int64, limit int,
) (page store.Page[store.StoredMessage], err error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	sh, err := look(c, o, threadID, "")
	if err == nil {
		err = sh.readHistory(c, threadKey{o, threadID})
	}
	if err != nil {
		return page, err
	}
	if !sh.has(sh.history.runID) {
		sh.history.messages = nil
	}
	// One extra row tells whether there is another page.
	query, args := selectMessagesBefore, []any{o.Tenant, o.Subject, threadID, before, limit + 1}
	if sh.branch != nil {
		query, args = selectBranchBefore, slices.Insert(args, 3, any(sh.head))
	}
	err = c.each(query, args, func(r row) error {
		m, err := scanMessage(r)
		if err == nil && sh.history.has(m.Seq) {
			sh.history.replace(m.Seq, m.Message)
		} else {
			page.Items = append(page.Items, m)
		}
		return err
	})
	if err != nil {
		return page, err
	}
	page.Items = append(page.Items, sh.history.last(before, limit+1-len(page.Items))...)
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
type messageColumn struct {
	agui.Message
	size int // of the body, in bytes
}

// Scan implements sql.Scanner.
func (c *messageColumn) Scan(value any) (err error) {
	var body string
	if err := scanColumn(value, &body); err != nil {
		return err
	}
	c.size = len(body)
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
