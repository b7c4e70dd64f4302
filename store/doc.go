// Package store keeps threads, messages, runs and their events: the truth about every conversation.
//
// The package holds the interface [Store] with its promises, its types, and [Memory], a complete
// store in memory for tests and for set-ups that may forget. Package sqlstore keeps the same
// promises in a database, and package storetest is the test suite that every implementation must
// pass.
//
// A Store is [Runs], [EventLog], [Journal], [Threads] and [Settings]; code that needs one of them
// should take only that.
//
//	s := store.NewMemory()
//	me := store.Owner{Tenant: "acme", Subject: "ada"}
//	err := s.BeginRun(ctx, me, store.Run{ID: "r1", ThreadID: "t1"}, question)
//	…
//	err = s.EndRun(ctx, me, store.Run{ID: "r1", Status: store.RunFinished}, answer, store.Batch{})
//	messages, err := s.Transcript(ctx, me, "t1", "")
//
// A store keeps what it is given and decides nothing about it. The caller decides which messages of
// a request to believe, who may ask, that a thread has one live run at a time, and what a
// transcript must look like for a model.
package store
