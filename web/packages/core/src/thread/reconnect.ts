/** Resumes after a connection broke. */
import { onlineEvents } from "../base/time.js";
import { connect, type EventReader } from "../protocol/connection.js";
import { Failure, waitOf } from "../protocol/failure.js";
import { reconnect } from "./control.js";
import type { Session } from "./session.js";
import { httpOf } from "./shared.js";
import type { Clock, Connection } from "./types.js";

/** The defaults of `ReconnectOptions`, in milliseconds. */
const GIVE_UP_AFTER = 120_000;
const MIN_DELAY = 500;
const MAX_DELAY = 15_000;

/**
 * A server that never answered is probably misspelt, not restarting: it is given up after this many
 * milliseconds.
 */
const FIRST_CONTACT = 5000;

/** HTTP statuses after which the same request may soon succeed. */
const TRANSIENT = new Set([408, 425, 502, 503, 504]);

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

/** A run whose connection broke. */
export interface BrokenRun {
  runId: string;
  reader: EventReader;
  signal: AbortSignal;
  /** Sends the request again; if the server already has the run, this follows it. */
  post(): Promise<boolean>;
  /** Reports whether the server has begun the run. */
  isAccepted(): boolean;
}

/**
 * Reads the rest of a run. Also resolves if the server does not know it. Rejects if the server
 * refuses, or once it is given up.
 */
export async function resume(session: Session, run: BrokenRun, broken?: Broken): Promise<void> {
  const { reader, signal } = run;
  const path = `/v1/runs/${encodeURIComponent(run.runId)}/events`;
  if (session.shared.direct || (run.isAccepted() && reader.lastId === undefined)) {
    if (broken?.cause instanceof Failure) throw broken.cause;
    return; // without event numbers it cannot be resumed
  }
  const attempt = () => (run.isAccepted() ? readOn(session, path, reader, signal) : run.post());
  try {
    await keepTrying(session, signal, { attempt, position: () => reader.lastId, isAccepted: run.isAccepted }, broken);
  } catch (error) {
    if (!run.isAccepted() || !isMissing(error)) throw error;
  }
}

/** Makes one connection to a stream, from the last event on. */
export function readOn(session: Session, path: string, reader: EventReader, signal: AbortSignal): Promise<boolean> {
  const { lastId } = reader;
  const { history } = session.shared;
  const query = `${path.includes("?") ? "&" : "?"}protocolVersion=1.0${history > 0 ? `&history=${history}` : ""}`;
  const headers: Record<string, string> = lastId === undefined ? {} : { "Last-Event-ID": lastId };
  return connect(httpOf(session.shared), `${path}${query}`, { headers }, reader, signal);
}

/** A task that is tried until it succeeds. */
export interface Attempts {
  /** Resolves with whether it is done. */
  attempt(): Promise<boolean>;
  /** A value that changes with every success. */
  position(): unknown;
  /** Reports whether the server accepted the request and is executing it. */
  isAccepted(): boolean;
}

/** A connection that has just failed, with the error, if any. */
export interface Broken {
  cause?: unknown;
}

/**
 * Tries until it is done: at once unless a connection has broken, else after random pauses that
 * grow as long as nothing succeeds ("full jitter"). Rejects with a final error, or once it is given
 * up.
 */
export async function keepTrying(
  session: Session,
  signal: AbortSignal,
  { attempt, position, isAccepted }: Attempts,
  broken?: Broken,
): Promise<void> {
  const {
    minDelay = MIN_DELAY,
    maxDelay = MAX_DELAY,
    random = Math.random,
    clock = systemClock,
  } = session.shared.reconnect;
  const patience = patienceOf(session);
  let since = clock.now();
  for (let failures = 0; ; failures++) {
    if (broken) {
      const { cause } = broken;
      if (cause !== undefined && !isTransient(cause)) throw cause;
      const offline = isOffline();
      const left = offline ? Infinity : patience - (clock.now() - since);
      const asked = retryAfterOf(cause);
      if (left <= 0 || asked > left) throw giveUp(session, cause, isAccepted());
      const backoff = Math.min(left, random() * Math.min(maxDelay, minDelay * 2 ** failures));
      const delay = offline ? maxDelay : Math.max(asked, backoff);
      await waitFor(session, delay, clock, signal, offline ? "offline" : "reconnecting");
      if (signal.aborted) throw signal.reason;
      if (offline) since = clock.now();
    }
    const before = position();
    try {
      if (await attempt()) return;
      broken = { cause: undefined };
    } catch (cause) {
      if (signal.aborted) throw cause;
      broken = { cause };
    }
    if (position() === before) continue;
    failures = -1;
    since = clock.now();
  }
}

function patienceOf({ shared }: Session): number {
  const { giveUpAfter = GIVE_UP_AFTER } = shared.reconnect;
  return httpOf(shared).isKnown ? giveUpAfter : Math.min(giveUpAfter, FIRST_CONTACT);
}

/**
 * Waits until the delay has passed, the network comes back, the user retries, or the session is
 * closed.
 */
async function waitFor(session: Session, delay: number, clock: Clock, signal: AbortSignal, connection: Connection) {
  const woken = new AbortController();
  const wake = () => woken.abort();
  session.thread.update({ connection });
  session.wake = wake;
  signal.addEventListener("abort", wake, { signal: woken.signal });
  onlineEvents()?.addEventListener("online", wake, { signal: woken.signal });
  await clock.sleep(delay, woken.signal);
  wake();
  session.wake = undefined;
}

function giveUp(session: Session, cause: unknown, isAccepted: boolean): unknown {
  // When the network comes back, an abandoned connection is resumed.
  const { signal } = session.closed;
  onlineEvents()?.addEventListener("online", () => void reconnect(session), { once: true, signal });
  if (!isAccepted && cause !== undefined) return cause;
  const message = "The connection to the server was lost. The answer may still be going on there.";
  return new Failure("connection_lost", message, { details: cause === undefined ? undefined : String(cause) });
}

/**
 * Reports whether the same request may soon succeed. Errors thrown by `fetch` count as transient.
 */
function isTransient(cause: unknown): boolean {
  if (!(cause instanceof Failure)) return true;
  const { status, retryAfter } = cause;
  return status !== undefined && (TRANSIENT.has(status) || (status === 429 && retryAfter !== null));
}

/** How long the server wants to be left alone, in milliseconds. */
function retryAfterOf(cause: unknown): number {
  const { retryAfter } = cause instanceof Failure ? cause : {};
  return retryAfter ? waitOf(retryAfter) : 0;
}

/** Reports whether the server does not know what was requested. */
export function isMissing(cause: unknown): boolean {
  return cause instanceof Failure && cause.status === 404;
}

/** Reports whether the server has answered and refused: it can be reached. */
export function isRefused(cause: unknown): boolean {
  const status = cause instanceof Failure ? (cause.status ?? 0) : 0;
  return status >= 400 && status < 500;
}

/** Reports whether the browser says that there is no network. */
function isOffline(): boolean {
  return typeof navigator !== "undefined" && navigator.onLine === false;
}
