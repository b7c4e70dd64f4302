/** Answers what waits for the user or for tools of this page. */
import type { Json } from "../protocol/types.js";
import { Ledger } from "../tools/ledger.js";
import type { Approval } from "../tools/types.js";
import { runCalls, unanswered } from "./answer-calls.js";
import { drive, finish } from "./engine.js";
import type { Session } from "./session.js";
import type { OpenInterrupt } from "./types.js";

/** Answers an interrupt. */
export function respond(session: Session, interruptId: string, payload: Approval | Json): Promise<void> {
  return answer(session, interruptId, { status: "resolved", payload });
}

/** Answers an interrupt with "cancelled". */
export function cancelInterrupt(session: Session, interruptId: string): Promise<void> {
  return answer(session, interruptId, { status: "cancelled" });
}

/** Keeps the answer; the last one sends all of them in one run. A second answer changes nothing. */
async function answer(session: Session, interruptId: string, given: OpenInterrupt["answer"]): Promise<void> {
  const { thread } = session;
  const said = thread.view.interrupts.find(({ id }) => id === interruptId)?.answer;
  if (said && session.answering) return session.answering;
  const change = (interrupt: OpenInterrupt) =>
    interrupt.id === interruptId ? { ...interrupt, answer: given } : interrupt;
  thread.set({ interrupts: thread.view.interrupts.map(change) });
  const isComplete = () => thread.view.interrupts.length > 0 && thread.view.interrupts.every((each) => each.answer);
  if (!isComplete()) return;
  const sent = session.enqueue(async () => {
    if (isComplete()) await drive(session); // unless another tab was faster
  });
  session.answering = sent;
  session.setQueue(thread.view.queue, false);
  await sent;
  if (session.answering === sent) session.answering = undefined;
}

/** Runs the calls that wait for this page, and sends all results. */
export function resumePending(session: Session, { again = false } = {}): Promise<void> {
  const { thread, shared } = session;
  return session.enqueue(async () => {
    const ledger = new Ledger(shared);
    const isFree = (id: string) => again || !ledger.has(id) || ledger.resultOf(id) !== undefined;
    const calls = unanswered(session).filter(
      ({ id, function: { name } }) => isFree(id) && shared.tools.runnable(name) !== undefined,
    );
    if (calls.length === 0) return;
    const active = session.begin([]);
    const results = await runCalls(session, calls, active, again);
    if (active.controller.signal.aborted) return;
    if (results.length > 0 && thread.view.interrupts.length === 0) return drive(session, active);
    finish(session, { kind: "finished", pending: [], cancelled: false, interrupted: false }, active);
  });
}
