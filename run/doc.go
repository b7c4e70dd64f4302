// Package run manages the life of runs: it accepts, executes, streams and cancels them, and resumes
// them after a crash.
//
//	r, err := manager.Start(ctx, run.Request{Principal: me, Input: input, Fingerprint: sum})
//	if err != nil {
//		return err // a *refusal.Error: nothing has been sent yet
//	}
//	reader := r.Read(legacy) // or manager.Follow, manager.FollowThread: from any event
//	defer reader.Close()
//	for {
//		frames, done := reader.Next()
//		switch {
//		case len(frames) > 0:
//			w.Write(frames)
//		case done:
//			return reader.Err()
//		default:
//			<-reader.Wake()
//		}
//	}
//
// A run belongs to the server, not to the connection that started it: it continues when its reader
// leaves, and it can have any number of readers. A thread has one live run at a time; a second one
// waits, is refused, or supersedes it (Policy; agents may have their own). With PolicyAuto a new
// user message supersedes a run without readers.
//
// What a client's list of messages means for its thread, and what is new of it, package history
// decides. The run after an interrupt brings the answer, under a new id or under the same one
// (pinned.go).
//
// # Where things are
//
// The Manager connects parts that each have their own lock and file: limits (admission), runs in
// memory (runCache), the order of a thread's runs (threadQueue), readers of a thread (followers),
// and ends that are not yet stored (unsavedEnds). Its doc comment gives the lock order.
//
// A run that a client asks for is a candidate: start.go admits it, prepare.go merges the request
// into its thread. Accepted, it is an execution: execute.go asks the agent, and finish.go stores
// the end. A run that an earlier process left is a leftRun until it is one (recover.go).
//
// # The event stream
//
// Every event goes through one writer. It checks the order of events (agui.Verifier), folds them
// into the thread's messages (agui.Transcript), encodes them once and appends them to the store's
// log. Readers never see an event before the store has committed it. One append runs at a time;
// events emitted during it are batched for the next one. The end of a run, its last events and its
// messages are one transaction. The store's event log is the truth; its recent part is also in
// memory (package eventlog).
//
// An event's id is <runId>:<epoch>.<seq>. The seq counts the events of a run from 1 without gaps;
// the epoch counts the processes that have executed it. A client that returns with an id gets the
// events after it or, if those are no longer stored, the thread as it is. There is never a silent
// gap.
//
// # Shared state
//
// A run begins with the state that its parent ended with, merged with what its client has changed
// (state.go). The writer folds changes as it does messages; the state at the end is stored with it.
//
// # What survives
//
// When a process dies, the next one takes over its runs (Manager.recover). A new epoch fences off
// the old writer, the log is folded again, open messages are closed as failed, and the agent
// continues with what the journal knows about the tool calls that were under way. A run that was
// taken over too often, or whose agent is gone, ends as interrupted. Drain leaves runs that do not
// end in time in the same state. Runs that wait for a frontend tool or a person are not live and
// need nothing.
//
// When the store stops taking writes, live runs fail immediately, and their readers get an error.
// Their ends are stored as soon as the store takes writes again.
//
// # Doors
//
// A door, such as package server, needs this package alone for what is stored, for agents (Served)
// and for the store's errors (StoreError).
package run
