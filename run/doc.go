// Package run is a run's life: it is accepted, executed, followed and cancelled.
//
//	r, err := manager.Start(ctx, run.Request{Owner: owner, Agent: "default", Input: input, Fingerprint: sum})
//	if err != nil {
//		return err // a *run.Error: nothing has been sent yet
//	}
//	for frames := range r.Follow(ctx, protocol) {
//		w.Write(frames)
//	}
//
// A run belongs to the server, not to the connection that started it: it goes on when its reader leaves, and any number of
// readers may follow it. One thread has one live run at a time; a second one waits. Everything a run says goes through one
// writer that checks its order (agui.Verifier), folds it into the thread's messages (agui.Transcript), encodes it once, and
// stores the messages before the terminal event is released.
//
// What to answer is package agent's business, keeping it package store's, and HTTP package server's.
package run
