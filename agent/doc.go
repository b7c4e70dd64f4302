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
// with the message to answer. The functions below are the loop, in order. A file uses only
// declarations of the files below it: layers_test.go lists them, top first.
//
// Start. Agent.start resolves the place with package page and assembles the run. offerTools adds
// the frontend tools the client declared for this run; a backend tool of the same name wins.
// newPayloadTypes collects the payload types of the place.
//
// Resume. The thread may hold calls without a result. run.resumeCalls answers them before the model
// is asked (resumption.resumeCall): calls left by a crash from the journal (resumption.recover),
// calls that waited for a person from the answer (resumption.applyAnswer), and calls the user
// skipped by writing on as not executed. If any call still waits, the run ends.
//
// Prompt. modelInput is what the model is sent, stable parts first to suit the provider's cache:
// the tools sorted by name (toolset.decls), the system blocks (Agent.sections, page.Sections), then
// the thread as built by package prompt, with the page context (Agent.contextItems).
//
// Step. run.answer is the loop itself; run.step makes one model call. It refuses to send a history
// in which a call has no result (llm.Balance). asker.ask retries a failed call, but only while it
// has emitted nothing. step.take turns each part into an event on arrival: text (step.scan,
// step.write), reasoning with its signature (step.think, step.sign), and tool calls byte for byte
// (step.startCall, step.writeArgs, step.completeCall). The END of a frontend call is held back: the
// browser acts on it.
//
// Payloads. A scanner looks for payloads in the text. For models that write payloads as arguments,
// the calls of a generated tool are intercepted (step.startPayloadCall). Either way a payload
// becomes an activity message that grows as its JSON arrives (step.found, step.startPayload,
// outPayload.grow, outPayload.ended): JSON is never shown as text. After the step,
// repairer.settlePayloads asks the model once, out of the user's sight, to rewrite unreadable
// payloads (repairer.askAgain); if that fails, it shows that there was one. A payload returned by a
// tool is shown after the tool's result (executor.showPayload). Suggestions go on the end of the
// answer (step.markEnd).
//
// Tools. run.runTools first judges every call (executor.judge): arguments are parsed, repaired and
// validated. A call of an unknown tool, with invalid arguments or in a step that was cut off gets
// an error result. So does a call that the policy does not permit the user (access.use); what it
// would never permit was not offered (access.withhold). A call that needs approval, and every call
// of ask_user, is held for a person (approvals.hold, Interrupt). Whether a call needs approval is
// decided by the rule of package calls, which other doors share (calls.Case): it depends on the
// policy and on what the model has read on the branch, in this run and earlier ones (Agent.Taints,
// taint.readInput, taint.readResults). How far a call is, its parts say (call.state).
// executor.runCalls plans the other backend calls in the journal (callJournal.plan) and runs them
// concurrently up to a limit, sequential ones alone (batches, executor.runBatch). Before a call's
// handler begins, the policy is asked again (access.withdrawn) and the journal has the start
// (executor.execute). One goroutine handles progress and results (executor.handleUpdate,
// executor.finishCall) and emits results in the order of the calls (executor.emitResults). A tool's
// failure is data for the model. A result that is too long for the model is cut; read_result reads
// the rest (prompt.Shorten, resultReader).
//
// Shared state. The state that the page and the agent share is part of the page context. Handlers
// reach it through their call (stateHost); the run's goroutine changes it and tells the client
// (sharedState.patch), checked against the agent's schema and bounds. The model changes it with
// update_state, where it may. An argument that grows into it is announced (sharedState.predict) and
// stored once its call has run (sharedState.settle). Handlers' own events go the same way
// (sharedState.say).
//
// Next. If all calls have finished, their results join the prompt (modelInput.add) and the next
// step begins. If a call still waits for the client or a person, everything is stored, the held
// ENDs go out (run.release) and the run ends: the next run brings the answers. After the last step,
// or when the model repeats itself (loopGuard), it must answer once more without tools
// (run.conclude). If a step leaves the user with nothing to read, the model is asked again once
// (run.urge); after that the run ends with an error that explains why (run.silent, run.unanswered).
// An answer cut off by the provider, or at the limit on steps, is marked at its end (step.markEnd).
// A later run can continue it in the same message (continuation): a message that is not in the
// thread asks for that.
//
// Compaction. Before each step compactor.compact compares the provider's count of the last prompt
// with the model's window. Close to the limit, or when a model refuses a prompt as too long, old
// results become placeholders and older messages a summary. Notes in the thread record that
// (prompt.Compaction), so later runs build the same prompt.
//
// If a run ends early, run.breakOff closes what is open and answers every call: the thread stays
// usable.
//
// # Guarantees, however a run ends
//
// Once the waiting calls are answered, the thread can be sent to a model, even if the process died
// at any point and another one took over. A call that may not run twice never does. A call that
// needs approval never runs without it, unless the user has allowed exactly this call before
// (approvals.allowed). What runs is exactly what the person approved.
//
// # Not in this package
//
// The caller handles HTTP, threads and their storage, RUN_STARTED and the terminal event, and
// checks the order of events. The packages below llm know the models' wire formats. Package tool
// decides what a tool may do.
package agent
