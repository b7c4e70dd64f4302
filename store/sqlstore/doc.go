// Package sqlstore stores threads, messages, runs and their events in a SQLite database, without
// any installation.
//
//	s, err := sqlstore.Open(ctx, "sqlite:pageside.db")
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//
// Writes are committed in groups. A write waits in a queue until the single writer is free. The
// writer takes all waiting writes, runs them in one transaction, and answers after COMMIT. A
// thousand runs thus share the cost of one fsync, and each knows that its write is durable. A
// failing write does not affect the others of its group.
//
// A message is a row, found by its seq and its id. Messages that a client brings to a new thread
// may number hundreds: they share one row (history.go).
//
// Events that are committed together are one row of the event log, whatever their runs (log.go).
// The writer caches the log state of live runs, so a batch costs no query (txn.go). Only one
// process at a time may have the database open.
//
// The search index is written when the store is idle and before a search. Until then a table lists
// the messages it lacks (index.go).
//
// Reads have their own connections and never wait for the writer.
package sqlstore
