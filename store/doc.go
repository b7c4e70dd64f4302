// Package store keeps threads, messages, runs and their events: the truth about every conversation.
//
// The package holds the interface [Store] with its promises, the types it speaks in, and [Memory],
// a complete store in memory for tests and for set-ups that may forget. Package sqlstore keeps the
// same promises in a database, and package storetest holds them as a test suite that every
// implementation must pass.
//
//	s := store.NewMemory()
//	me := store.Owner{Tenant: "acme", Subject: "ada"}
//	err := s.BeginRun(ctx, me, store.Run{ID: "r1", ThreadID: "t1"}, question)
//	…
//	err = s.EndRun(ctx, me, store.Run{ID: "r1", Status: store.RunFinished}, answer, store.Batch{})
//	messages, err := s.Transcript(ctx, me, "t1", "")
//
// A store keeps what it is given and decides nothing about it: which messages of a request are
// believed is the caller's business, and so are who may ask, one run at a time on a thread, and
// what a transcript must look like for a model.
package store
