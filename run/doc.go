// Package run is a run's life: it is accepted, executed, followed, cancelled, and taken up again
// after a crash.
//
//	r, err := manager.Start(ctx, run.Request{Owner: owner, Agent: "default", Input: input, Fingerprint: sum})
//	if err != nil {
//		return err // a *run.Error: nothing has been sent yet
//	}
//	reader := r.Read(legacy) // or manager.Follow, manager.FollowThread: from any position, at any time
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
// leaves, and any number of readers may follow it. One thread has one live run at a time; a second
// one waits, is refused, or takes its place (Policy): with PolicyAuto a user's new message takes
// the place of a run that nobody reads.
//
// A run that ends with an interrupt is answered by the next one, under an id of its own or under
// the same (pinned.go).
//
// # What a run says
//
// Everything goes through one writer: it checks the order of events (agui.Verifier), folds them
// into the thread's messages (agui.Transcript), encodes them once and hands them to the store.
// Readers see an event when the store has committed it, and never before; one append at a time is
// under way, and what is said meanwhile goes with the next. The end of a run, its last events and
// its messages are one transaction. The store's event log is the truth; what of it is recent lies
// in memory too.
//
// An event's id is <runId>:<epoch>.<seq>. The seq counts the events of a run from 1 without gaps;
// the epoch counts the processes that have executed it. Whoever comes back with an id gets what
// follows it, or, where that is not kept any more, the thread as it is: never a silent gap.
//
// # What survives
//
// When a process dies, the next one takes its runs over (Manager.recover): a new epoch keeps the
// old writer out, the log is folded again, what was being said is closed as failed, and the agent
// goes on from there, with what the journal knows of the tool calls that were under way. A run that
// was taken over too often, or whose agent is gone, ends as interrupted. Drain leaves the runs that
// do not end in time in the same state, to be taken over. Runs that wait for a frontend tool or a
// person are not live, and need nothing.
//
// When the store takes nothing more, live runs fail at once, their readers are told, and their ends
// are stored as soon as it does.
//
// What to answer is package agent's business, keeping it package store's, and HTTP package
// server's.
package run
