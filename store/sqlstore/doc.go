// Package sqlstore keeps threads, messages, runs and their events in a SQLite database, which
// needs nothing installed.
//
//	s, err := sqlstore.Open(ctx, "sqlite:pageside.db")
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//
// Writes are committed in groups. A write waits in a queue until the one writer is free. The writer
// takes all that wait, carries them out in one transaction, and answers after COMMIT. So a thousand
// runs share the price of one fsync, and each knows that what it wrote is on the disk. A write that
// fails leaves the others of its group alone.
//
// A message is a row, found by its seq and by its id. The messages that a client brings to a thread
// that is new here may be hundreds: they are one row together (history.go).
//
// The events that are committed together are one row of the event log, whichever runs they belong
// to (log.go). The writer remembers of a live run what it needs to append to its log, so a batch
// costs no query (txn.go). One process at a time has the database open.
//
// The search index is written in quiet moments and before a search. Until then a table says which
// messages it lacks (index.go).
//
// Reads have connections of their own and never wait for the writer.
package sqlstore
