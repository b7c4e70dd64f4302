/** Stopping, trying again, and changing what waits to be sent. */
import { drive, read, stopped } from "./engine.js";
import { Failure } from "../protocol/failure.js";
import { toolCallsOf } from "../protocol/fold-calls.js";
import { pause } from "../base/time.js";
import { LOST, type Session, type Turn } from "./session.js";
import type { Message } from "./types.js";

/**
 * A server that was not reached, or has not seen the run yet, when it is stopped is told once more
 * after this many milliseconds.
 */
const CANCEL_AGAIN = 1000;

/**
 * How long a stopped run may take to end on the server, in milliseconds, before it is ended here.
 */
const STOP_GRACE = 3000;

/**
 * Ends the run on the server and, where that cannot be had soon, here. Messages in the queue are
 * held.
 */
export async function stop(session: Session): Promise<void> {
  const { turn } = session;
  session.hold(true);
  if (!turn) return session.follower?.stop();
  if (turn.runId) {
    turn.stopping = true;
    const ended = new Promise<void>((resolve) => (turn.onEnd = resolve));
    const told = cancelRun(session, turn.runId);
    await Promise.race([told.then((isHeard) => (isHeard ? ended : undefined)), pause(STOP_GRACE)]);
    if (session.turn !== turn) return;
  }
  session.endTurn(turn);
  turn.controller.abort();
  stopped(session, turn);
}

/** Tells the server to end a run. Resolves with whether that was heard. */
export async function cancelRun({ shared }: Session, runId: string): Promise<boolean> {
  const path = `/v1/runs/${encodeURIComponent(runId)}/cancel`;
  const cancel = () => shared.http.send(path, { json: {}, keepalive: true });
  try {
    await cancel();
    return true;
  } catch (cause) {
    // A server that refuses for good knows the run: it has ended.
    if (cause instanceof Failure && cause.status !== 404 && !cause.error.retryable) return true;
    setTimeout(() => void cancel().catch(() => undefined), CANCEL_AGAIN);
    return false;
  }
}

export function retry(session: Session): Promise<void> {
  session.hold(false);
  return session.enqueue(async () => {
    const { again } = session;
    session.again = undefined;
    await again?.();
  });
}

/** Tries at once what waits for its next attempt, or was given up. */
export async function reconnect(session: Session): Promise<void> {
  if (session.wake) session.wake();
  else if (LOST.test(session.thread.view.error?.code ?? "")) await retry(session);
  else session.follower?.resume();
}

/** Goes on with the run whose connection was lost. */
export async function readOn(session: Session, turn: Turn): Promise<void> {
  session.turn = turn;
  session.thread.set({ status: "submitted", error: undefined });
  const end = await read(session, turn);
  if (end) await drive(session, turn, end);
}

/**
 * Runs the last turn again. What the failed run had written so far goes; what its tools did stays.
 */
export function runAgain(session: Session, turn: Turn): Promise<void> {
  const { thread } = session;
  const isPartial = (message: Message) =>
    !turn.before.has(message.id) &&
    (message.role === "reasoning" || (message.role === "assistant" && toolCallsOf(message).length === 0));
  thread.set({ messages: thread.view.messages.filter((message) => !isPartial(message)) });
  return drive(session, session.begin(turn.mentions));
}

export function editQueued(session: Session, id: string, text: string): void {
  const { queue } = session.thread.view;
  session.setQueue(queue.map((message) => (message.id === id ? { ...message, text } : message)));
}

export function removeQueued(session: Session, id: string): void {
  session.setQueue(session.thread.view.queue.filter((message) => message.id !== id));
  session.done(id);
}

export function sendQueue(session: Session): void {
  session.setQueue(session.thread.view.queue, false);
}
