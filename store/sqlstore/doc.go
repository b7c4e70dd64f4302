// Package sqlstore keeps threads, messages, runs and their events in an SQL database: SQLite, which
// needs nothing installed.
//
//	s, err := sqlstore.Open(ctx, "sqlite:pageside.db")
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//
// Writes are committed in groups. A write waits in a queue until the one writer is free; the writer
// takes all that wait, carries them out in one transaction, and answers after COMMIT. So a thousand
// runs share the price of one fsync, and each still knows that what it wrote is on the disk. A
// write that fails leaves the others of its group alone.
//
// A message is a row, found by its place and by its id. The messages that a client brings to a
// thread that is new here may be hundreds; they are one row together.
//
// The events that are committed together are one row of the event log, whosever they are (log.go).
// What the writer needs to know of a live run to append to its log it remembers, so that a batch
// costs no query (txn.go). One process at a time has the database open.
//
// The words of messages wait in a table until the search index is written, in a quiet moment or
// before a search (settle.go).
//
// Reads have connections of their own and never wait for the writer.
//
// The SQL is one text for every database (placeholders $1, ON CONFLICT, RETURNING, row values);
// what differs between databases is in dialect.go and nowhere else.
package sqlstore
