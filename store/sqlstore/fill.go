package sqlstore

import (
	"github.com/pageside/pageside/store"
)

// Statements of fillEvents. They cover all owners.
const (
	// These rows hold only the id of a document; a later step marks them as pending.
	noteTitles = `
		INSERT INTO search_waiting (docs) SELECT number << 24 FROM threads WHERE title <> ''`

	noteMessages = `
		INSERT INTO search_waiting (docs) SELECT t.number << 24 | m.seq FROM messages m
			JOIN threads t ON t.tenant = m.tenant AND t.subject = m.subject AND t.id = m.thread_id
		WHERE m.seq < 1 << 24`

	allMessages = `
		SELECT tenant, subject, run_id, body FROM messages ORDER BY tenant, subject, thread_id, seq`

	allHistories = `
		SELECT tenant, subject, run_id, bodies FROM histories`

	setFirstUserOnce = `
		UPDATE runs SET first_user = $4, first_preview = $5 WHERE tenant = $1 AND subject = $2 AND id = $3 AND first_user IS NULL`
)

// fillEvents lists what a database of the first schema holds for the search index, and fills in the
// first user message of each run.
func fillEvents(c *conn) error {
	for _, statement := range []string{noteTitles, noteMessages} {
		if _, err := c.exec(statement); err != nil {
			return err
		}
	}
	f := filler{c}
	if err := c.each(allHistories, nil, f.history); err != nil {
		return err
	}
	return c.each(allMessages, nil, f.message)
}

type filler struct{ *conn }

func (f *filler) history(r row) error {
	var o store.Owner
	var runID, bodies string
	if err := r.Scan(&o.Tenant, &o.Subject, &runID, &bodies); err != nil {
		return err
	}
	for _, line := range numbered(bodies) {
		if first := store.FirstUser([]store.Body{{JSON: string(line)}}); first != nil {
			return f.first(o, runID, first)
		}
	}
	return nil
}

func (f *filler) message(r row) error {
	var o store.Owner
	var runID, body string
	if err := r.Scan(&o.Tenant, &o.Subject, &runID, &body); err != nil {
		return err
	}
	if first := store.FirstUser([]store.Body{{JSON: body}}); first != nil {
		return f.first(o, runID, first)
	}
	return nil
}

func (f *filler) first(o store.Owner, runID string, first *store.UserMessage) error {
	_, err := f.exec(setFirstUserOnce, o.Tenant, o.Subject, runID, first.ID, first.Preview)
	return err
}
