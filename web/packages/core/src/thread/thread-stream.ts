/** Reads a thread from the server: its messages and its live run. */
import { deepEqual } from "../base/equal.js";
import { EventReader, type Sink } from "../protocol/connection.js";
import type { AgUiEvent, EventOf } from "../protocol/events.js";
import { insertToolMessage } from "../protocol/messages.js";
import { readMetadata, withStatus } from "../protocol/pageside.js";
import { endOf, runError, type RunEnd } from "../protocol/run-end.js";
import type { Message } from "../protocol/types.js";
import { learned } from "../tools/calls.js";
import { applyEvent } from "./apply.js";
import { refreshDetails } from "./details.js";
import { keepTrying, readOn } from "./reconnect.js";
import type { ActiveRun, Session } from "./session.js";
import { withState, type Writing } from "./state.js";
import { pathOfThread } from "./shared.js";
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
  readonly #session: Writing;
  /** Of a snapshot: whether it has a shared state. A branch without one has none. */
  #hasState: boolean | undefined;
  /** Set until the thread's record has come, which is first in the stream. */
  #isFresh: boolean;
  /** How much the user had decided before: the record may be older than what came since. */
  readonly #decided: number;

  constructor(session: Writing, isFresh: boolean) {
    this.#session = session;
    this.#isFresh = isFresh;
    this.#decided = session.thread.data.decided.length;
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
      if (!this.run.isRecord) this.#session.thread.update({ status: "submitted" }, "soon");
    }
    if (event.type === "MESSAGES_SNAPSHOT") {
      replaceMessages(this.#session.thread, event);
      if (this.run?.isRecord) this.#decide();
      this.#hasState = false;
    } else {
      applyEvent(this.#session, event);
      if (event.type === "STATE_SNAPSHOT") this.#hasState = true;
    }
    const end = endOf(event);
    if (end && this.#hasState === false)
      this.#session.thread.update((data) => withState(data, undefined, this.#session.thread.page), "soon");
    if (end) this.#hasState = undefined;
    if (!end || !this.run) return;
    this.run.end = end;
    if (this.run.isRecord) this.run.lastEnd = badEndOf(event);
  }

  /** Keeps what the user has decided while the record was on its way. */
  #decide(): void {
    const { messages, decided } = this.#session.thread.data;
    const status = new Map(decided.slice(this.#decided).map((each) => [each.id, each.status]));
    const decide = (each: Message) => (status.has(each.id) ? withStatus(each, status.get(each.id)!) : each);
    this.#session.thread.update({ messages: messages.map(decide) }, "soon");
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
  thread.update((data) => {
    const isWhole = readMetadata(event).before === undefined;
    const first = data.messages.findIndex(({ id }) => id === event.messages[0]?.id);
    const kept = isWhole ? [] : data.messages.slice(0, Math.max(0, first));
    const given = [...kept, ...event.messages];
    const taken = new Set(given.map(({ id }) => id));
    const unsent = data.unsent.filter(({ id }) => !taken.has(id));
    const results = unsent.filter((message) => message.role === "tool");
    const messages = results.reduce(insertToolMessage, same(given, data.messages));
    const older = kept.length > 0 ? data.older : isWhole ? undefined : "available";
    return { ...data, older, unsent, messages, progress: learned(data.progress, messages, thread.page.isFrontend) };
  }, "soon");
}

/** The messages; those that are as before keep their identity. */
function same(given: readonly Message[], before: readonly Message[]): readonly Message[] {
  const all = new Map(before.map((message) => [message.id, message]));
  return given.map((message) => {
    const known = all.get(message.id);
    return known && deepEqual(known, message) ? known : message;
  });
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
  const path = `${pathOfThread(session.thread.data.threadId)}/events`;
  let stream = new ThreadStream(session, true);
  const sink: Sink = {
    apply(event) {
      if (signal.aborted) return true;
      if (event.type === "RUN_STARTED") active.before = new Set(thread.data.messages.map(({ id }) => id));
      stream.apply(event);
      if (isOwner) active.runId = stream.isOpen && !stream.run!.isRecord ? stream.run!.runId : undefined;
      return false;
    },
    flush() {
      if (signal.aborted) return;
      if (!stream.hasRecord) return;
      session.lastId = reader.lastId;
      if (thread.data.loading) onRecord?.(stream.run);
      thread.update({ loading: false }, "soon");
    },
    opened: () => thread.update({ connection: "live" }, "soon"),
  };
  let reader = new EventReader(sink);
  const attempt = async () => {
    if (!stream.hasRecord) {
      stream = new ThreadStream(session, true); // half a record cannot be resumed
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
