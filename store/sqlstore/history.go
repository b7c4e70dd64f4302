package sqlstore

import (
	"bytes"
	"cmp"
	"database/sql"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/store"
)

// A client may bring a whole conversation to a new thread. Its messages are stored in one row: two
// hundred rows, each with entries in two indexes, would cost several times as much, and they are
// never looked up individually.

// longHistory is the minimum number of messages for storing a conversation in one row.
const longHistory = 8

// historyStart is the seq of a history's first message. The run that brought it has the seq before.
const historyStart = 2

// history is the row of a thread in table histories, decoded.
type history struct {
	length   int64 // number of its seqs, from historyStart on
	runID    string
	messages []store.StoredMessage
	size     int // of their bodies, in bytes
}

func (h *history) has(seq int64) bool { return seq < historyStart+h.length }

// insertHistory stores the batch as the history of its thread, which must be new.
func (b *messageBatch) insertHistory(t *txn) error {
	ids, bodies := b.pack()
	if _, err := t.exec(insertHistory, b.owner.Tenant, b.owner.Subject, b.threadID, b.runID, b.now, ids,
		bodies); err != nil {
		return err
	}
	_, err := t.exec(noteHistory, b.owner.Tenant, b.owner.Subject, b.threadID)
	return err
}

// pack returns the columns ids and bodies. Of messages with the same id only the first is kept: the
// lines of the others are empty.
func (b *messageBatch) pack() (ids, bodies string) {
	var lines []byte
	known := make(map[string]bool, len(b.bodies))
	for _, body := range b.bodies {
		if !known[body.ID] {
			known[body.ID] = true
			lines = jsonx.AppendString(lines, body.ID)
		}
		lines = append(lines, '\n')
	}
	if len(known) < len(b.bodies) {
		return string(lines), b.packOnce(known)
	}
	return string(lines), b.history
}

// packOnce returns the column bodies with the first message of each remaining id.
func (b *messageBatch) packOnce(left map[string]bool) string {
	var text strings.Builder
	for _, body := range b.bodies {
		if left[body.ID] {
			text.WriteString(body.JSON)
		}
		text.WriteByte('\n')
		delete(left, body.ID)
	}
	return text.String()
}

// historyIDs finds the messages of a thread's history by id. The zero value has none.
type historyIDs struct {
	runID   string           // the run that brought the history
	lines   string           // a JSON string each
	asked   int              // how often
	numbers map[string]int64 // line → seq, made for who asks often
}

// fewLookups are quicker without a map.
const fewLookups = 8

// historyIDsOf returns the ids of a thread's history, or none if it has no history.
func historyIDsOf(c *conn, o store.Owner, threadID string) (ids historyIDs, err error) {
	err = c.row(selectHistoryIDs, []any{o.Tenant, o.Subject, threadID}, &ids.runID, &ids.lines)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return ids, err
}

// seq returns the seq of a message by its id.
func (ids *historyIDs) seq(id string) (seq int64, ok bool) {
	if ids.lines == "" {
		return 0, false
	}
	if ids.asked++; ids.asked <= fewLookups {
		return ids.scan(id)
	}
	if ids.numbers == nil {
		ids.numbers = make(map[string]int64, strings.Count(ids.lines, "\n"))
		for seq, line := range numbered(ids.lines) {
			ids.numbers[string(line)] = seq
		}
	}
	seq, ok = ids.numbers[string(jsonx.AppendString(nil, id))]
	return seq, ok
}

// scan looks at all ids. A JSON string has no line break, so a match is a whole line.
func (ids *historyIDs) scan(id string) (seq int64, ok bool) {
	line := string(append(jsonx.AppendString(nil, id), '\n'))
	if strings.HasPrefix(ids.lines, line) {
		return historyStart, true
	}
	at := strings.Index(ids.lines, "\n"+line)
	if at < 0 {
		return 0, false
	}
	return historyStart + int64(strings.Count(ids.lines[:at+1], "\n")), true
}

func (h *history) scan(r row) error {
	var bodies string
	var created int64
	if err := r.Scan(&h.runID, &created, &bodies); err != nil {
		return err
	}
	h.size, h.messages = len(bodies), make([]store.StoredMessage, 0, h.length)
	for seq, line := range numbered(bodies) {
		if len(line) == 0 {
			continue
		}
		m, err := readBody(line)
		if err != nil {
			return err
		}
		h.messages = append(h.messages, store.StoredMessage{
			Seq: seq, RunID: h.runID, CreatedAt: store.FromMillis(created), Message: m,
		})
	}
	return nil
}

// numbered yields the lines of a history's column with their seqs.
func numbered(lines string) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		all := []byte(lines) // one copy shared by all messages
		for seq := int64(historyStart); len(all) > 0; seq++ {
			end := bytes.IndexByte(all, '\n')
			if !yield(seq, all[:end:end]) {
				return
			}
			all = all[end+1:]
		}
	}
}

// historyLines holds the messages of a thread's history as JSON, from historyStart on.
type historyLines []string

// historyLinesOf returns none if the thread has no history.
func historyLinesOf(c *conn, o store.Owner, threadID string) (historyLines, error) {
	var runID, bodies string
	var created int64
	err := c.row(selectHistory, []any{o.Tenant, o.Subject, threadID}, &runID, &created, &bodies)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return strings.Split(bodies, "\n"), err
}

// at returns the message at seq, or "".
func (h historyLines) at(seq int64) string {
	if i := seq - historyStart; 0 <= i && i < int64(len(h)) {
		return h[i]
	}
	return ""
}

// replace replaces the message at seq, if the history has one.
func (h *history) replace(seq int64, m agui.Message) {
	i, ok := slices.BinarySearchFunc(h.messages, seq, bySeq)
	if ok {
		h.messages[i].Message = m
	}
}

func bySeq(m store.StoredMessage, seq int64) int { return cmp.Compare(m.Seq, seq) }

// last returns the last n messages before a seq, newest first.
func (h *history) last(before int64, n int) []store.StoredMessage {
	end, _ := slices.BinarySearchFunc(h.messages, before, bySeq)
	start := max(0, end-max(0, n))
	page := slices.Clone(h.messages[start:end])
	slices.Reverse(page)
	return page
}
