package sqlstore

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// Limits of the threads in memory, in bytes.
const (
	maxKept       = 16 << 20
	maxKeptThread = maxKept / 2
	// about what a message takes beside its JSON
	messageSize = int(unsafe.Sizeof(agui.Message{})) + 100
)

// keptThreads are the threads that were read last: the next question of a conversation needs its
// messages again, and so does each of its branches. Safe for concurrent use.
//
// A thread usually grows at its end, and whoever reads it next adds what it lacks. A transaction
// that changes a thread in any other way says so with drop. It is then not kept until the
// transaction is over, nor for readers that began before: they may not see the change.
type keptThreads struct {
	mu       sync.Mutex
	threads  *simplelru.LRU[threadKey, *threadRows]
	size     int                // of all of them, in bytes
	changing map[threadKey]bool // by the transaction under way
	changes  uint64             // how many transactions have changed a thread
}

type threadKey struct {
	owner store.Owner
	id    string
}

// threadRows are all messages of a thread, of whatever branch, at one moment. Immutable.
type threadRows struct {
	last  int64         // the thread's last seq at that moment
	parts [][]threadRow // as they were read
	size  int
}

type threadRow struct {
	runID   string
	message agui.Message
}

func newKeptThreads() *keptThreads {
	k := &keptThreads{changing: map[threadKey]bool{}}
	// Their number is limited by their size alone; it fails for no number only.
	k.threads, _ = simplelru.NewLRU(maxKept, func(_ threadKey, t *threadRows) { k.size -= t.size })
	return k
}

// moment is to be taken before a reader's transaction begins.
func (k *keptThreads) moment() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.changes
}

// get returns a thread as it was at its last seq, or earlier; nil if that is not known.
func (k *keptThreads) get(key threadKey, last int64) *threadRows {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t, ok := k.threads.Get(key); ok && t.last <= last {
		return t
	}
	return nil
}

// keep keeps a thread that was read in a transaction begun after a moment.
func (k *keptThreads) keep(key threadKey, t *threadRows, since uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if since != k.changes || k.changing[key] || t.size > maxKeptThread {
		return
	}
	if old, ok := k.threads.Peek(key); ok && old.last >= t.last {
		return
	}
	k.threads.Remove(key)
	k.threads.Add(key, t)
	for k.size += t.size; k.size > maxKept; {
		k.threads.RemoveOldest()
	}
}

// drop is called in a transaction that removes a thread or changes messages that it has.
func (k *keptThreads) drop(key threadKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.threads.Remove(key)
	k.changing[key] = true
}

// settle is called when the transaction is over, whether it was committed or not.
func (k *keptThreads) settle() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.changing) > 0 {
		clear(k.changing)
		k.changes++
	}
}

// read returns all messages of a thread as sh has found it. since is the moment before the
// transaction of c.
func (k *keptThreads) read(c *conn, key threadKey, sh *visibleMessages, since uint64) (*threadRows, error) {
	known := k.get(key, sh.last)
	switch {
	case known == nil:
		if err := sh.readHistory(c, key); err != nil {
			return nil, err
		}
		known = &threadRows{size: sh.history.size + messageSize*len(sh.history.messages)}
	case known.last == sh.last:
		return known, nil
	}
	t := &threadRows{last: sh.last, size: known.size}
	var later []threadRow
	args := []any{key.owner.Tenant, key.owner.Subject, key.id, known.last}
	err := c.each(selectTranscript, args, func(r row) error {
		var seq int64
		var runID string
		var body messageColumn
		if err := r.Scan(&seq, &runID, &body); err != nil {
			return err
		}
		if t.size += body.size + messageSize; sh.history.has(seq) {
			sh.history.replace(seq, body.Message)
		} else {
			later = append(later, threadRow{runID, body.Message})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.parts = append(slices.Clip(known.parts), sh.history.rows(), later)
	k.keep(key, t, since)
	return t, nil
}

// visible returns the messages that sh has.
func (t *threadRows) visible(sh *visibleMessages) []agui.Message {
	n := 0
	for _, part := range t.parts {
		for i := range part {
			if sh.has(part[i].runID) {
				n++
			}
		}
	}
	messages := make([]agui.Message, 0, n)
	for _, part := range t.parts {
		for i := range part {
			if sh.has(part[i].runID) {
				messages = append(messages, part[i].message)
			}
		}
	}
	return messages
}

// rows returns the messages of a history that was read.
func (h *history) rows() []threadRow {
	rows := make([]threadRow, len(h.messages))
	for i := range h.messages {
		rows[i] = threadRow{h.runID, h.messages[i].Message}
	}
	return rows
}
