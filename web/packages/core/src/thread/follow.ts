/** Keeps a thread in step with other tabs and devices while the page is visible and idle. */
import { EventReader } from "../protocol/connection.js";
import { toClientError } from "../protocol/failure.js";
import { endOf } from "../protocol/run-end.js";
import { cancelRun } from "./control.js";
import { refreshDetails } from "./details.js";
import { isMissing, isRefused, keepTrying, readOn } from "./reconnect.js";
import type { Follower, Session } from "./session.js";
import { pathOfThread } from "./shared.js";
import type { Thread } from "./thread.js";
import { ThreadStream } from "./thread-stream.js";

/** Follows the session's thread until it is closed. */
export function follow(session: Session): void {
  if (!session.closed.signal.aborted) session.follower ??= new Following(session);
}

class Following implements Follower {
  readonly #session: Session;
  readonly #over = new AbortController();
  #stream: ThreadStream;
  #connection: AbortController | undefined;
  /** Set while this tab works on the thread itself and reads its own stream. */
  #isPaused: boolean;
  /** Set when events may have been missed: the next connection reads the whole thread. */
  #isStale: boolean;
  /** Called when a run of another tab has ended or can no longer be followed. */
  #settled: (() => void)[] = [];

  constructor(session: Session) {
    this.#session = session;
    this.#isStale = session.lastId === undefined;
    this.#stream = new ThreadStream(session, this.#isStale);
    this.#isPaused = !session.isIdle();
    const { signal } = this.#over;
    session.closed.signal.addEventListener("abort", () => this.end(), { signal });
    if (typeof document !== "undefined") document.addEventListener("visibilitychange", () => this.#check(), { signal });
    this.#check();
  }

  isBusy(): boolean {
    return this.#connection !== undefined && this.#stream.isOpen && !this.#stream.run!.isRecord;
  }

  async pause(): Promise<void> {
    this.#isPaused = true;
    if (this.isBusy()) await new Promise<void>((resolve) => this.#settled.push(resolve));
    this.#isStale ||= this.#stream.isOpen; // it was left while the page was hidden
    this.#check();
  }

  resume(): void {
    this.#isPaused = false;
    this.#check();
  }

  async stop(): Promise<void> {
    if (this.isBusy()) await cancelRun(this.#session, this.#stream.run!.runId);
  }

  end(): void {
    this.#over.abort();
    this.#check();
    if (this.#session.follower === this) this.#session.follower = undefined;
  }

  /** Connects or disconnects, as needed. */
  #check(): void {
    const isHidden = typeof document !== "undefined" && document.visibilityState === "hidden";
    // the server does not know a new thread
    const isKnown = this.#session.thread.data.messages.length > 0;
    const isWanted = !this.#isPaused && !isHidden && isKnown && !this.#over.signal.aborted;
    if (isWanted && !this.#connection) void this.#connect();
    if (!isWanted && this.#connection && (isHidden || !this.isBusy())) this.#disconnect();
  }

  #disconnect(): void {
    this.#connection?.abort();
    this.#connection = undefined;
    this.#settle();
    this.#session.thread.update({ connection: "idle" });
  }

  async #connect(): Promise<void> {
    const { thread } = this.#session;
    const connection = (this.#connection = new AbortController());
    const { signal } = connection;
    const path = `${pathOfThread(thread.data.threadId)}/events?stay=1`;
    let reader: EventReader | undefined;
    const attempt = async () => {
      if (!reader || (this.#isStale && !this.#stream.hasRecord)) reader = this.#newReader(signal);
      await readOn(this.#session, path, reader, signal);
      return false; // until it is ended
    };
    try {
      await keepTrying(this.#session, signal, { attempt, position: () => reader?.lastId, isAccepted: () => true });
    } catch (cause) {
      if (signal.aborted) return;
      this.#connection = undefined;
      rest(thread);
      this.#settle();
      thread.update({ connection: isRefused(cause) ? "idle" : "offline" });
      if (!isMissing(cause)) console.warn("Pageside: the thread is no longer followed.", toClientError(cause));
    }
  }

  #newReader(signal: AbortSignal): EventReader {
    const session = this.#session;
    const { thread } = session;
    if (this.#isStale || !this.#stream.isOpen) this.#stream = new ThreadStream(session, this.#isStale);
    const reader: EventReader = new EventReader(
      {
        apply: (event) => {
          if (signal.aborted) return true;
          this.#stream.apply(event);
          if (this.#stream.run?.end) rest(thread);
          if (endOf(event)) void refreshDetails(session); // it may have begun a branch
          return false;
        },
        flush: () => {
          if (signal.aborted) return;
          if (this.#stream.hasRecord) {
            this.#isStale = false;
            session.lastId = reader.lastId ?? session.lastId;
          }
          if (!this.isBusy()) this.#settle();
        },
        opened: () => thread.update({ connection: "live" }),
      },
      this.#isStale ? undefined : session.lastId,
    );
    return reader;
  }

  /** Calls what waited for the end of another tab's run. */
  #settle(): void {
    const waiting = this.#settled;
    this.#settled = [];
    for (const resolve of waiting) resolve();
    this.#session.sendNext();
  }
}

/** Shows that nothing streams any more. */
function rest(thread: Thread): void {
  if (!/submitted|streaming/.test(thread.data.status)) return;
  thread.update({ status: "idle", streamingMessageId: undefined, retrying: undefined }, "soon");
}
