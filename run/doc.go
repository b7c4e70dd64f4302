// Package run takes runs through their life: they are accepted, executed, followed, cancelled, and
// resumed after a crash.
//
//	r, err := manager.Start(ctx, run.Request{Owner: me, Input: input, Fingerprint: sum})
//	if err != nil {
//		return err // a *run.Error: nothing has been sent yet
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
// A run belongs to the server, not to the connection that started it: it goes on when its reader
// leaves, and any number of readers may follow it. A thread has one live run at a time; a second
// one waits, is refused, or supersedes it (Policy). With PolicyAuto a user's new message supersedes
// a run that nobody reads.
//
// The run after an interrupt brings the answer, under an id of its own or under the same id
// (pinned.go).
//
// # Where things are
//
// The Manager wires parts that each have a lock and a file of their own: who may begin (admission),
// the runs in memory (runCache), who waits for which thread (threadQueue), who follows a thread
// (followers), and the ends that the store has not taken yet (unsavedEnds). Its doc comment says in
// which order they are locked. A request goes through start.go, prepare.go, execute.go and
// finish.go.
//
// # The event stream
//
// Every event goes through one writer: it checks the order of events (agui.Verifier), folds them
// into the thread's messages (agui.Transcript), encodes them once and appends them to the store's
// log. Readers see an event once the store has committed it, and never before. One append is under
// way at a time, and events emitted meanwhile go with the next one. The end of a run, its last
// events and its messages are one transaction. The store's event log is the truth; the recent part
// of it is in memory too.
//
// An event's id is <runId>:<epoch>.<seq>. The seq counts the events of a run from 1 without gaps;
// the epoch counts the processes that have executed it. A client that comes back with an id gets
// what follows it or, if that is not kept any more, the thread as it is. There is never a silent
// gap.
//
// # What survives
//
// When a process dies, the next one takes its runs over (Manager.recover): a new epoch keeps the
// old writer out, the log is folded again, messages that were open are closed as failed, and the
// agent goes on from there with what the journal knows of the tool calls that were under way. A run
// that was taken over too often, or whose agent is gone, ends as interrupted. Drain leaves runs
// that do not end in time in the same state. Runs that wait for a frontend tool or a person are not
// live, and need nothing.
//
// When the store stops taking writes, live runs fail at once and their readers are told. The ends
// of these runs are stored as soon as the store takes writes again.
//
// # What is left to others
//
// Package agent decides what to answer, package store keeps it, and package server speaks HTTP.
package run
