package sqlstore

import (
	"github.com/pageside/pageside/store"
)

// What fillEvents reads. It is about everybody.
const (
	allTitles = `
		SELECT tenant, subject, number, title FROM threads WHERE title <> ''`

	allMessages = `
		SELECT m.tenant, m.subject, t.number, m.seq, m.run_id, m.body FROM messages m
			JOIN threads t ON t.tenant = m.tenant AND t.subject = m.subject AND t.id = m.thread_id
		ORDER BY m.tenant, m.subject, m.thread_id, m.seq`

	allHistories = `
		SELECT tenant, subject, run_id, bodies FROM histories`

	setFirstUserOnce = `
		UPDATE runs SET first_user = $4, first_preview = $5 WHERE tenant = $1 AND subject = $2 AND id = $3 AND first_user IS NULL`
)

// fillEvents puts what a database of the first schema holds into the search index, and says of its
// runs which message of a user they brought first. Histories are indexed when somebody searches.
func fillEvents(c *conn) error {
	f := filler{txn: newTxn(c)}
	if err := c.each(allTitles, nil, f.title); err != nil {
		return err
	}
	if err := c.each(allHistories, nil, f.history); err != nil {
		return err
	}
	return c.each(allMessages, nil, f.message)
}

type filler struct{ txn *txn }

func (f *filler) title(r row) error {
	var o store.Owner
	var number int64
	var title string
	if err := r.Scan(&o.Tenant, &o.Subject, &number, &title); err != nil {
		return err
	}
	f.txn.indexTitle(o, number, title, true)
	return f.write()
}

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
	var number, seq int64
	var runID, body string
	if err := r.Scan(&o.Tenant, &o.Subject, &number, &seq, &runID, &body); err != nil {
		return err
	}
	if first := store.FirstUser([]store.Body{{JSON: body}}); first != nil {
		if err := f.first(o, runID, first); err != nil {
			return err
		}
	}
	f.txn.index(o, number, seq, body)
	return f.write()
}

// write writes to the search index what is ready for it.
func (f *filler) write() error {
	err := f.txn.writeDocs()
	f.txn.reset()
	return err
}

func (f *filler) first(o store.Owner, runID string, first *store.UserMessage) error {
	_, err := f.txn.exec(setFirstUserOnce, o.Tenant, o.Subject, runID, first.ID, first.Preview)
	return err
}
