/** Stops, retries, and changes the queue. */
import { pause } from "../base/time.js";
import { Failure, LOST } from "../protocol/failure.js";
import { markStopped, settleCalls } from "./apply.js";
import type { ActiveRun, Session } from "./session.js";
import { httpOf } from "./shared.js";

/**
 * If the server was not reached or does not know the run yet, a stop is sent once more after this
 * many milliseconds.
 */
const CANCEL_AGAIN = 1000;

/**
 * How long a stopped run may take to end on the server, in milliseconds, before it is ended here.
 */
const STOP_GRACE = 3000;

/** Ends the run on the server or, if that takes too long, here. Holds the queue. */
export async function stop(session: Session): Promise<void> {
  const { active } = session;
  session.hold(true);
  if (!active) return session.follower?.stop();
  // a run without a server ends with its request
  if (active.runId && !session.shared.direct) {
    active.stopping = true;
    const ended = new Promise<void>((resolve) => (active.onEnd = resolve));
    const told = cancelRun(session, active.runId);
    await Promise.race([told.then((isHeard) => (isHeard ? ended : undefined)), pause(STOP_GRACE)]);
    if (session.active !== active) return;
  }
  session.endRun(active);
  active.controller.abort();
  stopped(session, active);
}

/** Shows that the user stopped the run. */
export function stopped(session: Session, active: ActiveRun): void {
  session.hold(true);
  settleCalls(session.thread, { status: "cancelled" });
  markStopped(session.thread, active);
  session.settle("idle");
}

/** Tells the server to end a run. Resolves with whether the server got it. */
export async function cancelRun({ shared }: Session, runId: string): Promise<boolean> {
  const path = `/v1/runs/${encodeURIComponent(runId)}/cancel`;
  const cancel = () => httpOf(shared).send(path, { json: {}, keepalive: true });
  try {
    await cancel();
    return true;
  } catch (cause) {
    // A final refusal means that the server knows the run: it has ended.
    if (cause instanceof Failure && cause.status !== 404 && !cause.error.retryable) return true;
    setTimeout(() => void cancel().catch(() => undefined), CANCEL_AGAIN);
    return false;
  }
}

/** Repeats what failed. */
export function retry(session: Session): Promise<void> {
  session.hold(false);
  return session.enqueue(async () => {
    const { again } = session;
    session.again = undefined;
    await again?.();
  });
}

/** Retries a lost connection at once, even after it was given up. */
export async function reconnect(session: Session): Promise<void> {
  if (session.wake) session.wake();
  else if (LOST.test(session.thread.data.error?.code ?? "")) await retry(session);
  else session.follower?.resume();
}

/** Changes a queued message. */
export function editQueued(session: Session, id: string, text: string): void {
  const { queue } = session.thread.data;
  session.setQueue(queue.map((message) => (message.id === id ? { ...message, text } : message)));
}

/** Removes a queued message. */
export function removeQueued(session: Session, id: string): void {
  session.setQueue(session.thread.data.queue.filter((message) => message.id !== id));
  session.done(id);
}

/** Sends what was held back. */
export function sendQueue(session: Session): void {
  session.setQueue(session.thread.data.queue, false);
}
