/** Answering what waits for a person. */
import { drive } from "./engine.js";
import type { Session } from "./session.js";
import type { Approval, Json, OpenInterrupt } from "./types.js";

export function respond(session: Session, interruptId: string, payload: Approval | Json): Promise<void> {
  return answer(session, interruptId, { status: "resolved", payload });
}

export function cancelInterrupt(session: Session, interruptId: string): Promise<void> {
  return answer(session, interruptId, { status: "cancelled" });
}

/** The answers that are on their way, by the session whose they are. */
const onTheirWay = new WeakMap<Session, Promise<void>>();

/**
 * Keeps the answer; the last one sends them all, in one run. What was said stands from then on: a
 * second click changes nothing.
 */
async function answer(session: Session, interruptId: string, given: OpenInterrupt["answer"]): Promise<void> {
  const { thread } = session;
  const said = thread.view.interrupts.find(({ id }) => id === interruptId)?.answer;
  if (said && onTheirWay.has(session)) return onTheirWay.get(session);
  const change = (interrupt: OpenInterrupt) =>
    interrupt.id === interruptId ? { ...interrupt, answer: given } : interrupt;
  thread.set({ interrupts: thread.view.interrupts.map(change) });
  const isComplete = () => thread.view.interrupts.length > 0 && thread.view.interrupts.every((each) => each.answer);
  if (!isComplete()) return;
  const sent = session.enqueue(async () => {
    if (isComplete()) await drive(session); // unless another tab was faster
  });
  onTheirWay.set(session, sent);
  session.setQueue(thread.view.queue, false);
  await sent;
  if (onTheirWay.get(session) === sent) onTheirWay.delete(session);
}
