/** Reads a thread from the server: its messages and its live run. */
import { deepEqual } from "../base/values.js";
import { EventReader, type Sink } from "../protocol/connection.js";
import type { AgUiEvent, EventOf } from "../protocol/events.js";
import { insertToolMessage } from "../protocol/messages.js";
import { readMetadata, withStatus } from "../protocol/pageside.js";
import { endOf, runError, type RunEnd } from "../protocol/run-end.js";
import { applyEvent, callsOf } from "./apply.js";
import { refreshDetails } from "./details.js";
import { keepTrying, readOn } from "./reconnect.js";
import { pathOfThread } from "./request.js";
import type { ActiveRun, Session } from "./session.js";
import { takeState } from "./state.js";
import type { Thread } from "./thread.js";

/** A run as the thread's stream reports it. */
export interface SeenRun {
  runId: string;
  /** Whether it is the thread's record, told as a run, rather than a live run. */
  isRecord: boolean;
  end?: RunEnd;
  /** Of a record: how the thread's last run ended, if it failed. */
  lastEnd?: RunEnd;
}

/** Applies a stream of the thread, and keeps track of its runs. */
export class ThreadStream {
  /** The run that is open, or the last one. */
  run: SeenRun | undefined;
  readonly #thread: Thread;
  /** Of a snapshot: whether it has a shared state. A branch without one has none. */
  #hasState: boolean | undefined;
  /** Set until the thread's record has come, which is first in the stream. */
  #isFresh: boolean;
  /** How much the user had decided before: the record may be older than what came since. */
  readonly #decided: number;

  constructor(thread: Thread, isFresh: boolean) {
    this.#thread = thread;
    this.#isFresh = isFresh;
    this.#decided = thread.decided.length;
  }

  /** Reports whether the thread's record has come. */
  get hasRecord(): boolean {
    return this.run !== undefined && (this.run.end !== undefined || !this.run.isRecord);
  }

  /** Reports whether a run is live. */
  get isOpen(): boolean {
    return this.run !== undefined && this.run.end === undefined;
  }

  apply(event: AgUiEvent): void {
    if (event.type === "RUN_STARTED") {
      this.run = { runId: event.runId, isRecord: this.#isFresh };
      this.#isFresh = false;
      if (!this.run.isRecord) this.#thread.view.status = "submitted";
    }
    if (event.type === "MESSAGES_SNAPSHOT") {
      replaceMessages(this.#thread, event);
      if (this.run?.isRecord) this.#decide();
      this.#hasState = false;
    } else {
      applyEvent(this.#thread, event);
      if (event.type === "STATE_SNAPSHOT") this.#hasState = true;
    }
    const end = endOf(event);
    if (end && this.#hasState === false) takeState(this.#thread, undefined);
    if (end) this.#hasState = undefined;
    if (!end || !this.run) return;
    this.run.end = end;
    if (this.run.isRecord) this.run.lastEnd = badEndOf(event);
  }

  /** Keeps what the user has decided while the record was on its way. */
  #decide(): void {
    const { view, decided } = this.#thread;
    for (const { id, status } of decided.slice(this.#decided)) {
      view.messages = view.messages.map((each) => (each.id === id ? withStatus(each, status) : each));
    }
  }
}

/** How the last run of a recorded thread ended, if it failed. */
function badEndOf(event: AgUiEvent): RunEnd | undefined {
  const { lastRun } = readMetadata(event);
  if (lastRun?.status === "cancelled") return { kind: "finished", pending: [], cancelled: true, interrupted: false };
  if (lastRun?.status !== "failed") return undefined;
  return {
    kind: "failed",
    error: runError({ code: lastRun.code, message: "The last answer could not be completed." }),
  };
}

/**
 * Replaces the messages with the server's. Unchanged ones keep their identity. A snapshot that
 * leaves older ones out keeps those that are here.
 */
export function replaceMessages(thread: Thread, event: EventOf<"MESSAGES_SNAPSHOT">): void {
  const isWhole = readMetadata(event).before === undefined;
  const first = thread.view.messages.findIndex(({ id }) => id === event.messages[0]?.id);
  const kept = isWhole ? [] : thread.view.messages.slice(0, Math.max(0, first));
  if (kept.length === 0) thread.view.older = isWhole ? undefined : "available";
  const messages = [...kept, ...event.messages];
  const before = new Map(thread.view.messages.map((message) => [message.id, message]));
  const taken = new Set(messages.map(({ id }) => id));
  thread.view.messages = messages.map((message) => {
    const known = before.get(message.id);
    return known && deepEqual(known, message) ? known : message;
  });
  thread.unsent = thread.unsent.filter(({ id }) => !taken.has(id));
  for (const message of thread.unsent) {
    if (message.role === "tool") thread.view.messages = insertToolMessage(thread.view.messages, message);
  }
  callsOf(thread).learn(thread.view.messages);
}

/**
 * Reads the thread, and its live run to its end. Resolves with the last run in the stream. Calls
 * `onRecord` before the thread shows as loaded.
 */
export async function readThread(
  session: Session,
  active: ActiveRun,
  isOwner: boolean,
  onRecord?: (record: SeenRun | undefined) => void,
): Promise<SeenRun | undefined> {
  const { thread } = session;
  const { signal } = active.controller;
  const path = `${pathOfThread(session)}/events`;
  let stream = new ThreadStream(thread, true);
  const sink: Sink = {
    apply(event) {
      if (signal.aborted) return true;
      if (event.type === "RUN_STARTED") active.before = new Set(thread.view.messages.map(({ id }) => id));
      stream.apply(event);
      if (isOwner) active.runId = stream.isOpen && !stream.run!.isRecord ? stream.run!.runId : undefined;
      return false;
    },
    flush() {
      if (signal.aborted) return;
      if (stream.hasRecord) {
        session.lastId = reader.lastId;
        if (thread.view.loading) onRecord?.(stream.run);
        thread.view.loading = false;
      }
      thread.touch();
    },
    opened() {
      thread.view.connection = "live";
    },
  };
  let reader = new EventReader(sink);
  const attempt = async () => {
    if (!stream.hasRecord) {
      stream = new ThreadStream(thread, true); // half a record cannot be resumed
      reader = new EventReader(sink);
    }
    await readOn(session, path, reader, signal);
    return reader.isWhole && stream.hasRecord && !stream.isOpen;
  };
  await keepTrying(session, signal, { attempt, position: () => reader.lastId, isAccepted: () => stream.hasRecord });
  return stream.run;
}

/** Brings the thread up to date, and waits until no other run of it is live. */
export async function watch(session: Session, active: ActiveRun): Promise<void> {
  await readThread(session, active, false);
  void refreshDetails(session);
}
