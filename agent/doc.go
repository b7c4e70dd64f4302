// Package agent is the loop: a question goes in, events come out.
//
//	assistant := &agent.Agent{ID: "default", Model: model, Pages: pages, Instructions: "You help people read access logs."}
//	outcome, err := assistant.Run(ctx, agent.Input{History: thread, Place: place, Context: items, Frontend: tools}, out)
//
// # What happens in a run
//
// The caller has accepted the request and merged its messages into the thread; Input.History ends
// with what is to be answered. Read the functions in this order and you have read the loop.
//
// Resolve. Agent.start asks package page what holds at the place. offerTools adds the frontend
// tools, which are those the client declared for this run and no others; a backend tool of the same
// name wins. run.offerCards makes ready for the payloads of the place.
//
// Prompt. Stable things first, so that the provider's cache can serve them: the tools sorted by
// name (toolset.decls), the system blocks (run.sections, page.Sections: agent, page, payloads,
// suggestions, the scope's instructions, the client's), the transcript, which is only ever appended
// to (transcript.append). Cards stand in it as the model wrote them (transcript.turn), and what the
// user did between two questions as a line in front of the second (noteLine). What the user has on
// screen (contextItems, describe) is data in blocks with unguessable ids: each item stands where it
// was when it was first shown as it is now (screen.place, transcript.show). The thread only has
// notes that say where that is.
//
// Step. run.answer is the loop itself; run.step makes one model call and refuses to send a history
// in which a call has no result (llm.Balance). run.ask repeats a call that failed, but only while
// nothing of it was emitted. turn.take turns each part into an event as it comes: text (turn.scan,
// turn.write), reasoning with its signature (turn.think, turn.sign), and tool calls byte for byte
// (turn.startCall, turn.writeArgs, turn.completeCall). The END of a frontend call is held: the
// browser may act on it.
//
// Cards. The text passes a scanner, and where the model writes payloads as arguments a generated
// tool's calls are taken aside (turn.startCardCall). Either way a payload becomes an activity
// message that grows while its JSON comes (turn.found, turn.startCard, turn.grow, turn.endCard): no
// JSON is ever shown as text. When the turn is over, turn.settleCards has the model write again
// what could not be read, once and unseen (run.askAgain), or shows that there was a card. What a
// tool returns beside its text is shown behind its result (run.showPayload). Suggestions hang on
// the end of the answer (turn.conclude).
//
// Settle. A thread may come with calls that have no result. run.settle answers them before the
// model is asked (run.goOn): what a crash left behind by what the journal knows (run.recover), what
// waited for a person by the answer (run.resume), what the user went on without as not executed.
// Where something still waits, the run is over.
//
// Tools. run.runTools first judges every call (run.judge): arguments are parsed, repaired and
// validated, and a call of an unknown tool, with invalid arguments or of a turn that was cut off is
// answered with what is wrong with it. A call that needs approval, and every call of ask_user, is
// held for a person (run.hold, Interrupt). Whether one needs approval depends on what the model has
// read on the branch, now or in an earlier run (Agent.Taints, run.readInput, run.readResults). The
// other backend calls are planned in the journal (run.plan) and run at once, bounded, sequential
// ones alone (batches, run.runBatch), each started in the journal before its handler begins
// (run.execute); progress and results come through one goroutine (run.hear, run.finishCall),
// results in the order of the calls (run.tellResults). What a tool does wrong is data for the
// model. What is too long for the model is cut, and read_result reads on (shorten, run.readResult).
//
// Next. With only finished calls the results join the transcript (run.remember) and the next step
// begins. With a call left that waits for the client or a person, everything is stored, then the
// held ENDs go out (run.release) and the run ends: the next one brings the answers. After the last
// step, and when the model goes round in circles (run.watch, run.judge, run.recall), it answers
// once more without tools (run.conclude). A turn that leaves the user with nothing to read is asked
// about once (run.urge); else the run ends with an error that says what happened (run.silent,
// run.unanswered). What the provider cut is marked at its end (turn.conclude).
//
// Room. Before each step run.makeRoom compares what the provider counted of the last prompt with
// the model's window. Close to it, and when a model refuses a prompt as too long, old results
// become placeholders and older turns a summary. Notes in the thread keep that (long), so that
// later runs make the same prompt.
//
// Whatever ends a run early, run.breakOff closes what is open and answers every call, so that the
// thread can go on.
//
// # What holds however a run ends
//
// The thread can be sent to a model once what waits is answered, also when the process died at any
// point and another one took over. No call of a tool that may not run twice does, and none that
// needs approval runs without, unless the user has allowed exactly this call before (run.allowed).
// What a person approves is exactly what runs.
//
// # What is left to others
//
// HTTP, threads and their storage, RUN_STARTED and the terminal event, and checking the order of
// events belong to the caller, the model's wire format to the packages below llm, and what a tool
// may do to package tool.
package agent
