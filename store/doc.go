// Package store stores threads, messages, runs and their events.
//
// It defines the interface [Store] with its guarantees, and its types. Package sqlstore implements
// it, in a file or in memory, and package storetest is the test suite for all implementations.
//
// A Store is [Threads], [Runs], [Settings] and [Usage]; code that needs only one of them should
// take only that. The audit log is package audit's, whose Store the same database implements.
//
//	s, err := sqlstore.OpenTemp(ctx)
//	me := store.Owner{Tenant: "acme", Subject: "ada"}
//	err = s.BeginRun(ctx, me, store.Run{ID: "r1", ThreadID: "t1"}, question, store.Batch{})
//	…
//	err = s.EndRun(ctx, me, store.Run{ID: "r1", Status: store.RunFinished}, answer, store.Batch{})
//	messages, err := s.Transcript(ctx, me, "t1", "")
//
// A store makes no decisions. The caller decides which messages of a request to accept, who may
// ask, that a thread has one live run at a time, and how to build a valid transcript for a model.
package store
