/** Answers what waits for the user or for tools of this page. */
import { Ledger } from "../tools/ledger.js";
import type { Answer, Question } from "../tools/questions.js";
import { runCalls, unanswered } from "./answer-calls.js";
import { drive, finish } from "./engine.js";
import type { Session } from "./session.js";

/**
 * Answers a question of the run; undefined cancels. The last answer sends all of them in one run.
 * While they are being sent, further ones change nothing.
 */
export async function answer(session: Session, id: string, payload: Answer | undefined): Promise<void> {
  const { thread } = session;
  const said = thread.data.questions.find((each) => each.id === id)?.answer;
  if (said && session.answering) return session.answering;
  const given: Question["answer"] = payload === undefined ? { status: "cancelled" } : { status: "resolved", payload };
  const change = (question: Question) => (question.id === id ? { ...question, answer: given } : question);
  thread.update({ questions: thread.data.questions.map(change) });
  const isComplete = () => thread.data.questions.length > 0 && thread.data.questions.every((each) => each.answer);
  if (!isComplete()) return;
  const sent = session.enqueue(async () => {
    if (isComplete()) await drive(session); // unless another tab was faster
  });
  session.answering = sent;
  session.setQueue(thread.data.queue, false);
  await sent;
  if (session.answering === sent) session.answering = undefined;
}

/** Runs the calls that wait for this page, and sends all results. */
export function resumePending(session: Session, { again = false } = {}): Promise<void> {
  const { thread, shared } = session;
  return session.enqueue(async () => {
    const ledger = new Ledger(shared);
    const calls = unanswered(session).filter(
      ({ id, function: { name } }) => (again || !ledger.isCut(id)) && shared.tools.runnable(name) !== undefined,
    );
    if (calls.length === 0) return;
    const active = session.begin([]);
    const results = await runCalls(session, calls, active, again);
    if (active.controller.signal.aborted) return;
    if (results.length > 0 && thread.data.questions.length === 0) return drive(session, active);
    finish(session, { kind: "finished", pending: [], cancelled: false, interrupted: false }, active);
  });
}
