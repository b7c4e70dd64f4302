// Package agent is the loop: a question goes in, events come out.
//
//	assistant := &agent.Agent{
//		ID: "default", Model: model, Pages: pages,
//		Instructions: "You help people read access logs.",
//	}
//	in := agent.Input{History: thread, Place: place, Context: items, Frontend: tools}
//	outcome, err := assistant.Run(ctx, in, out)
//
// # What happens in a run
//
// The caller has accepted the request and merged its messages into the thread; Input.History ends
// with what is to be answered. Read the functions in this order and you have read the loop. A file
// uses only what the files below it declare: layers_test.go lists them, the topmost first.
//
// Start. Agent.start asks package page what holds at the place, and puts the parts of the run
// together. offerTools adds the frontend tools, which are those the client declared for this run
// and no others; a backend tool of the same name wins. newPayloadTypes knows the payloads of the
// place.
//
// Resume. A thread may come with calls that have no result. run.resumeCalls answers them before the
// model is asked (resumption.resumeCall): what a crash left behind by what the journal knows
// (resumption.recover), what waited for a person by the answer (resumption.applyAnswer), what the
// user went on without as not executed. If something still waits, the run is over.
//
// Prompt. modelInput is what the model is sent, stable things first, so that the provider's cache
// can serve them: the tools sorted by name (toolset.decls), the system blocks (Agent.sections,
// page.Sections), then the thread as package prompt shows it, with what the page shows
// (Agent.contextItems).
//
// Step. run.answer is the loop itself; run.step makes one model call and refuses to send a history
// in which a call has no result (llm.Balance). asker.ask repeats a call that failed, but only while
// nothing of it was emitted. step.take turns each part into an event as it comes: text (step.scan,
// step.write), reasoning with its signature (step.think, step.sign), and tool calls byte for byte
// (step.startCall, step.writeArgs, step.completeCall). The END of a frontend call is held: the
// browser may act on it.
//
// Payloads. The text passes a scanner, and where the model writes payloads as arguments, the calls
// of a generated tool are taken aside (step.startPayloadCall). Either way a payload becomes an
// activity message that grows while its JSON comes (step.found, step.startPayload, step.grow,
// step.endPayload): no JSON is ever shown as text. When the step is over, repairer.settlePayloads
// has the model write again what could not be read, once and unseen (repairer.askAgain), or shows
// that there was a payload. What a tool returns beside its text is shown behind its result
// (executor.showPayload). Suggestions hang on the end of the answer (step.markEnd).
//
// Tools. run.runTools first has every call judged (executor.judge): arguments are parsed, repaired
// and validated. A call of an unknown tool, with invalid arguments or in a step that was cut off is
// answered with what is wrong with it. A call that needs approval, and every call of ask_user, is
// held for a person (approvals.hold, Interrupt). Whether one needs approval depends on what the
// model has read on the branch, now or in an earlier run (Agent.Taints, taint.readInput,
// taint.readResults). executor.runCalls plans the other backend calls in the journal
// (callJournal.plan) and runs them side by side, bounded, sequential ones alone (batches,
// executor.runBatch); each is started in the journal before its handler begins (executor.execute).
// Progress and results come through one goroutine (executor.handleUpdate, executor.finishCall),
// results in the order of the calls (executor.emitResults). What a tool does wrong is data for the
// model. What is too long for the model is cut, and read_result reads on (prompt.Shorten,
// resultReader).
//
// Next. If all calls have finished, their results join the prompt (modelInput.add) and the next
// step begins. If a call still waits for the client or a person, everything is stored, then the
// held ENDs go out (run.release) and the run ends: the next one brings the answers. After the last
// step, and when the model goes round in circles (loopGuard), it answers once more without tools
// (run.conclude). A step that leaves the user with nothing to read is asked about once (run.urge);
// after that the run ends with an error that says what happened (run.silent, run.unanswered). What
// the provider cut is marked at its end (step.markEnd).
//
// Compaction. Before each step compactor.compact compares what the provider counted of the last
// prompt with the model's window. Close to it, and when a model refuses a prompt as too long, old
// results become placeholders and older messages a summary. Notes in the thread keep that
// (prompt.Compaction), so that later runs make the same prompt.
//
// Whatever ends a run early, run.breakOff closes what is open and answers every call, so that the
// thread can go on.
//
// # What holds however a run ends
//
// The thread can be sent to a model once what waits is answered, even if the process died at any
// point and another one took over. No call of a tool that may not run twice does, and none that
// needs approval runs without, unless the user has allowed exactly this call before
// (allowances.allowed). What a person approves is exactly what runs.
//
// # What is left to others
//
// HTTP, threads and their storage, RUN_STARTED and the terminal event, and checking the order of
// events belong to the caller, the model's wire format to the packages below llm, and what a tool
// may do to package tool.
package agent
