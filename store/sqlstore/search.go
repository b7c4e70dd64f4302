package sqlstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// A row of the search index has no text, only where each word stands. Its id says what it is about:
// the number of the thread and the place of the message in it, 0 for the title.
const placeBits = 24

// docID returns the id of a row of the search index. There is none for a place beyond what fits.
func docID(number, place int64) (id int64, ok bool) {
	return number<<placeBits | place, number > 0 && place < 1<<placeBits
}

// ownerWord is a word that stands in every row about what an owner has, so that a search looks
// through nobody else's. It begins with a character that no other word has. Two owners with the
// same word would only cost time: what is found must be the owner's thread as well.
func ownerWord(o store.Owner) string {
	sum := sha256.Sum256([]byte(o.Tenant + "\x00" + o.Subject))
	return "\ue000" + hex.EncodeToString(sum[:6])
}

// match returns the query of the search index for an owner's terms. Terms are letters and digits
// only.
func match(o store.Owner, terms store.Terms) string {
	return `"` + ownerWord(o) + `" AND "` + strings.Join(terms, `" AND "`) + `" *`
}

// doc is a row that a transaction writes to the search index.
type doc struct {
	id         int64
	start, end int  // of its words in txn.words
	replaces   bool // it may be there already
}

// index makes a new message found.
func (t *txn) index(o store.Owner, number, place int64, body string) {
	if text := t.textToIndex(body); text != "" {
		t.addDoc(o, number, place, text, false)
	}
}

// reindex is index for a message that was there before.
func (t *txn) reindex(o store.Owner, number, place int64, body string) {
	t.addDoc(o, number, place, t.textToIndex(body), true)
}

func (t *txn) textToIndex(body string) string {
	if t.unsearched {
		return ""
	}
	return searchText(body)
}

// indexTitle makes a thread found by its title.
func (t *txn) indexTitle(o store.Owner, number int64, title string, isNew bool) {
	t.addDoc(o, number, 0, title, !isNew)
}

// addDoc has the transaction make a place of a thread found by a text, and by no other. It is done
// at the transaction's end, all at once: between statements for other tables the index would write
// what it has each time.
func (t *txn) addDoc(o store.Owner, number, place int64, text string, replaces bool) {
	id, ok := docID(number, place)
	if !ok || t.unsearched || text == "" && !replaces {
		return
	}
	d := doc{id: id, start: len(t.words), replaces: replaces}
	t.seen.reset(len(text))
	store.EachWord(text, func(word []byte) bool {
		if t.seen.add(maphash.Bytes(wordSeed, word)) {
			t.words = append(append(t.words, ' '), word...)
		}
		return true
	})
	if len(t.words) > d.start {
		t.words = append(append(t.words, ' '), ownerWord(o)...)
	}
	d.end = len(t.words)
	t.docs = append(t.docs, d)
}

var wordSeed = maphash.MakeSeed()

// hashSet is a set of hashes. Words with one hash would be one word; of 64 bits that does not
// happen.
type hashSet struct{ slots []uint64 }

// reset empties the set and makes room for the words of a text of that size.
func (s *hashSet) reset(size int) {
	n := 64
	for n < size {
		n *= 2
	}
	if cap(s.slots) < n {
		s.slots = make([]uint64, n)
	}
	s.slots = s.slots[:n]
	clear(s.slots)
}

// add reports whether the hash is new.
func (s *hashSet) add(hash uint64) bool {
	hash = max(hash, 1) // 0 is an empty slot
	mask := uint64(len(s.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case hash:
			return false
		case 0:
			s.slots[i] = hash
			return true
		}
	}
}

// writeDocs writes the search index, in the order of the ids: the index would write what it has
// each time one is smaller than the last.
func (t *txn) writeDocs() error {
	slices.SortStableFunc(t.docs, func(a, b doc) int { return cmp.Compare(a.id, b.id) })
	for i, d := range t.docs {
		if i > 0 && t.docs[i-1].id == d.id {
			// it is not written twice, so only the first time counts
			t.docs[i].replaces = t.docs[i-1].replaces
		}
		if i+1 < len(t.docs) && t.docs[i+1].id == d.id {
			continue
		}
		if t.docs[i].replaces {
			if _, err := t.exec(deleteWords, d.id); err != nil {
				return err
			}
		}
		if d.start == d.end {
			continue
		}
		if _, err := t.exec(insertWords, d.id, string(t.words[d.start:d.end])); err != nil {
			return err
		}
	}
	return nil
}

// searchText returns what is searched of a message as it is stored. Whose role stands nowhere in it
// need not be read.
func searchText(body string) string {
	if !strings.Contains(body, `"`+agui.RoleUser+`"`) && !strings.Contains(body, `"`+agui.RoleAssistant+`"`) && !strings.Contains(body, `"`+agui.RoleActivity+`"`) {
		return ""
	}
	m, err := agui.ReadStoredMessage([]byte(body))
	if err != nil {
		return "" // whoever reads it is told
	}
	return store.SearchText(m)
}

// addSnippet fills in what a thread's message was found by.
func (l *listing) addSnippet(c *conn, h *hit) error {
	if h.place == 0 {
		return nil
	}
	text, err := textAt(c, l.owner, h.Thread.ID, h.place)
	h.Snippet = l.terms.Snippet(text)
	return err
}

// textAt returns what is searched of the message at a place of a thread.
func textAt(c *conn, o store.Owner, threadID string, place int64) (string, error) {
	var body string
	err := c.row(selectMessageAt, []any{o.Tenant, o.Subject, threadID, place}, &body)
	if !errors.Is(err, sql.ErrNoRows) {
		return searchText(body), err
	}
	text := ""
	err = eachUnindexed(c, o, threadID, func(p historyPlace) error {
		if p.place == place {
			text = searchText(p.body)
		}
		return nil
	}, 0)
	return text, err
}

// historyPlace is a message of a history that nobody has replaced.
type historyPlace struct {
	number, place int64
	body          string
}

// eachUnindexed calls do for the messages of a thread's history from an index on, -1 for those that
// are not in the search index.
func eachUnindexed(c *conn, o store.Owner, threadID string, do func(historyPlace) error, from int64) error {
	key := []any{o.Tenant, o.Subject, threadID}
	var indexed, number int64
	var bodies string
	if err := c.row(selectIndexed, key, &indexed, &bodies, &number); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = nil // purged meanwhile
		}
		return err
	}
	if from < 0 {
		from = indexed
	}
	for place, line := range numbered(bodies) {
		if len(line) == 0 || place < historyStart+from {
			continue
		}
		var replaced string
		err := c.row(selectMessageAt, append(key, place), &replaced)
		if errors.Is(err, sql.ErrNoRows) {
			err = do(historyPlace{number, place, string(line)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addUnindexed adds the threads whose history matches but is not in the search index yet.
func (l *listing) addUnindexed(c *conn, hits []hit) ([]hit, error) {
	err := c.each(selectUnindexed, []any{l.owner.Tenant, l.owner.Subject}, func(r row) error {
		var id string
		var indexed, places int64
		err := r.Scan(&id, &indexed, &places)
		l.unindexed = append(l.unindexed, id)
		return err
	})
	for _, id := range l.unindexed {
		if err == nil {
			hits, err = l.addHistory(c, id, hits)
		}
	}
	sortHits(hits)
	return hits, err
}

func (l *listing) addHistory(c *conn, threadID string, hits []hit) ([]hit, error) {
	thread, err := threadIn(c, l.owner, threadID)
	if err != nil || !l.query.Selects(thread) || l.from != nil && !store.PositionOf(thread).After(*l.from) {
		return hits, err
	}
	var place, number int64
	err = eachUnindexed(c, l.owner, threadID, func(p historyPlace) error {
		if l.terms.In(searchText(p.body)) {
			place, number = p.place, p.number
		}
		return nil
	}, -1)
	if err != nil || place == 0 {
		return hits, err
	}
	if i := slices.IndexFunc(hits, func(h hit) bool { return h.Thread.ID == threadID }); i >= 0 {
		hits[i].place = max(hits[i].place, place)
		return hits, nil
	}
	return append(hits, hit{store.FoundThread{Thread: thread}, number, place}), nil
}

// indexer puts histories into the search index when somebody has searched them. Many are brought
// and few are searched, and it costs more than storing them.
type indexer struct {
	mu      sync.Mutex
	running bool
	closed  bool
	done    sync.WaitGroup
}

// indexAtOnce is how many messages are put into the index in one write: others wait behind it.
const indexAtOnce = 16

// start indexes the histories of the threads, in the background, unless it is at it already.
func (x *indexer) start(s *Store, o store.Owner, threads []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.running || x.closed {
		return
	}
	x.running = true
	x.done.Go(func() {
		for _, id := range threads {
			if err := x.index(s, o, id); err != nil {
				s.log.Warn("a thread could not be put into the search index", "threadId", id, "error", err)
				break
			}
		}
		x.mu.Lock()
		x.running = false
		x.mu.Unlock()
	})
}

func (x *indexer) index(s *Store, o store.Owner, threadID string) error {
	for more := true; more && !x.stopping(); {
		err := s.write(context.Background(), "index history of thread", threadID, 0, func(t *txn) (err error) {
			more, err = indexSome(t, o, threadID)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *indexer) stopping() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.closed
}

// wait ends the work.
func (x *indexer) wait() {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	x.done.Wait()
}

var errEnough = errors.New("enough")

// indexSome indexes some messages of a history and reports whether there are more.
func indexSome(t *txn, o store.Owner, threadID string) (more bool, err error) {
	var size int64
	if err := t.conn.row(selectHistorySize, []any{o.Tenant, o.Subject, threadID}, &size); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return false, err
	}
	indexed, n := size, 0
	// in the same write as setIndexed: at no moment it is neither read nor found
	index := newTxn(t.conn)
	err = eachUnindexed(t.conn, o, threadID, func(p historyPlace) error {
		if n == indexAtOnce {
			indexed, more = p.place-historyStart, true
			return errEnough
		}
		n++
		index.index(o, p.number, p.place, p.body)
		return nil
	}, -1)
	if err != nil && !errors.Is(err, errEnough) {
		return false, err
	}
	if err := index.writeDocs(); err != nil {
		return false, err
	}
	_, err = t.exec(setIndexed, o.Tenant, o.Subject, threadID, indexed)
	return more, err
}
