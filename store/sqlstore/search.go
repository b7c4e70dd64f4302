package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/words"
)

// A row of the search index, a document, is one message or one title. It holds only the words made
// by words.Each. Its id is the number of the thread and, in the last bits, the seq of the
// message, or titleSeq.
const (
	seqBits  = 24
	titleSeq = 0
)

// docID returns the id of a document. ok is false for a message whose seq does not fit.
func docID(number, seq int64) (id int64, ok bool) { return number<<seqBits | seq, seq < 1<<seqBits }

// ownerWord returns a word contained in every document of an owner, which limits a search to that
// owner. It begins with a character that no other word has. A collision only costs time: the
// thread's owner is checked too.
func ownerWord(o store.Owner) string {
	sum := sha256.Sum256([]byte(o.Tenant + "\x00" + o.Subject))
	return "\ue000" + hex.EncodeToString(sum[:6])
}

// match returns the query of the search index for an owner's terms, which are letters and digits
// only.
func match(o store.Owner, terms store.Terms) string {
	return `"` + ownerWord(o) + `" AND "` + strings.Join(terms, `" AND "`) + `" *`
}

// documentWords returns the words of a text for the search index, or "" if it has none.
func documentWords(o store.Owner, text string) string {
	own := ownerWord(o)
	all := make([]byte, 0, len(text)+1+len(own)) // more where a script needs each character twice
	words.Each(text, func(word []byte, _ int, _ words.Kind) bool {
		all = append(append(all, word...), ' ')
		return true
	})
	if len(all) == 0 {
		return ""
	}
	return string(append(all, own...))
}

// searchText returns the searchable text of a stored message. It does not decode a message that
// contains none of the searched roles.
func searchText(body string) string {
	if !strings.Contains(body, `"`+agui.RoleUser+`"`) && !strings.Contains(body, `"`+agui.RoleAssistant+`"`) &&
		!strings.Contains(body, `"`+agui.RoleActivity+`"`) {
		return ""
	}
	m, err := agui.ReadStoredMessage([]byte(body))
	if err != nil {
		return "" // reported when the message is read
	}
	return store.SearchText(m)
}

// addSnippet adds the part of the message that matches.
func (l *listing) addSnippet(c *conn, h *hit) error {
	if h.seq == titleSeq {
		return nil
	}
	var body string
	err := c.row(selectMessageAt, []any{l.owner.Tenant, l.owner.Subject, h.Thread.ID, h.seq}, &body)
	if errors.Is(err, sql.ErrNoRows) {
		var lines historyLines
		lines, err = historyLinesOf(c, l.owner, h.Thread.ID)
		body = lines.at(h.seq)
	}
	h.Snippet = l.terms.Snippet(searchText(body))
	return err
}

// search returns the hits of a page of threads. It has connections of its own, and ends after
// searchTime with store.ErrBusy.
func (s *threadStore) search(ctx context.Context, l *listing) (hits []hit, err error) {
	bound, stop := context.WithTimeout(ctx, s.searchTime)
	defer stop()
	s.index(bound, l.owner)
	err = s.searching.view(bound, func(c *conn) error {
		c.bound = bound
		hits, err = l.read(c)
		c.bound = nil
		return err
	})
	switch {
	case err == nil, ctx.Err() != nil:
		return hits, err
	case bound.Err() != nil:
		return nil, errors.Join(store.ErrBusy, err)
	}
	return nil, err
}
