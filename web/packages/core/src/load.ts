/** A thread as the server has it: its messages, what waits for an answer, and its live run. */
import type { AgUiEvent } from "./events.js";
import { applyEvent, callsOf } from "./apply.js";
import { drive, finish } from "./engine.js";
import { toClientError } from "./failure.js";
import { insertToolMessage } from "./fold-rare.js";
import { Ledger } from "./ledger.js";
import { readMetadata } from "./protocol/pageside.js";
import { deepEqual } from "./patch.js";
import { isMissing, keepTrying, readOn } from "./reconnect.js";
import { refreshBranches } from "./branches.js";
import { keepSpending, readDetails, refreshDetails } from "./details.js";
import { endOf, EventReader, runError, type RunEnd, type Sink } from "./run.js";
import type { Later } from "./lazy.js";
import type { Session, Turn } from "./session.js";
import type { Thread } from "./thread.js";
import { ToolCalls } from "./tool-calls.js";
import { unanswered } from "./tools.js";

/** A run as a stream of the thread told of it. */
export interface SeenRun {
  runId: string;
  /** What the thread holds, told as a run, and no run that is going on. */
  isRecord: boolean;
  end?: RunEnd;
  /** Of a record: how the thread's last run ended, where that was not well. */
  lastEnd?: RunEnd;
}

/** Keeps account of the runs in a stream of the thread, and applies them. */
export class ThreadStream {
  /** The run that is open, or the last one. */
  run: SeenRun | undefined;
  readonly #thread: Thread;
  /** Nothing of the thread is known yet: what comes first is what it holds. */
  #isFresh: boolean;

  constructor(thread: Thread, isFresh: boolean) {
    this.#thread = thread;
    this.#isFresh = isFresh;
  }

  /** Is it known what the thread holds? */
  get hasRecord(): boolean {
    return this.run !== undefined && (this.run.end !== undefined || !this.run.isRecord);
  }

  /** Does a run go on? */
  get isOpen(): boolean {
    return this.run !== undefined && this.run.end === undefined;
  }

  apply(event: AgUiEvent, later: Later | undefined): void {
    if (event.type === "RUN_STARTED") {
      this.run = { runId: event.runId, isRecord: this.#isFresh };
      this.#isFresh = false;
      if (!this.run.isRecord) this.#thread.view.status = "submitted";
    }
    if (event.type === "MESSAGES_SNAPSHOT") {
      replaceMessages(this.#thread, event.messages);
    } else {
      applyEvent(this.#thread, event, later);
    }
    const end = endOf(event);
    if (!end || !this.run) return;
    this.run.end = end;
    if (this.run.isRecord) this.run.lastEnd = badEndOf(event);
  }
}

/** How the last run of a recorded thread ended, where that was not well. */
function badEndOf(event: AgUiEvent): RunEnd | undefined {
  const { lastRun } = readMetadata(event);
  if (lastRun?.status === "cancelled") return { kind: "finished", pending: [], cancelled: true, interrupted: false };
  if (lastRun?.status !== "failed") return undefined;
  return {
    kind: "failed",
    error: runError({ code: lastRun.code, message: "The last answer could not be completed." }),
  };
}

/** The server's messages are the truth. Those that are as they were keep their identity. */
export function replaceMessages(thread: Thread, messages: Thread["view"]["messages"]): void {
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
  callsOf(thread, { ToolCalls }).learn(thread.view.messages);
}

/** Reads the thread, and its live run to its end. Resolves with the last run that was told of. */
async function read(session: Session, turn: Turn, isOwner: boolean): Promise<SeenRun | undefined> {
  const { thread } = session;
  const { signal } = turn.controller;
  const path = `/v1/threads/${encodeURIComponent(thread.view.threadId)}/events`;
  let stream = new ThreadStream(thread, true);
  const sink: Sink = {
    apply(event, later) {
      if (signal.aborted) return true;
      if (event.type === "RUN_STARTED") turn.before = new Set(thread.view.messages.map(({ id }) => id));
      stream.apply(event, later);
      if (isOwner) turn.runId = stream.isOpen && !stream.run!.isRecord ? stream.run!.runId : undefined;
      return false;
    },
    flush() {
      if (signal.aborted) return;
      if (stream.hasRecord) {
        session.lastId = reader.lastId;
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
      stream = new ThreadStream(thread, true); // half of what it holds is nothing to go on from
      reader = new EventReader(sink);
    }
    await readOn(session, path, reader, signal);
    return reader.isWhole && stream.hasRecord && !stream.isOpen;
  };
  await keepTrying(session, signal, { attempt, position: () => reader.lastId, isAccepted: () => stream.hasRecord });
  return stream.run;
}

/** `load`, once it is the turn of it. */
export function open(session: Session, isNew?: boolean): Promise<void> {
  session.thread.set({ loading: true });
  return session.enqueue(() => load(session, isNew));
}

/**
 * Loads the thread and goes on with its live run. Tools run for that run only where this tab had
 * begun it. With `isNew`, it is no error where the server does not know the thread.
 */
export async function load(session: Session, isNew = false): Promise<void> {
  const { thread, shared } = session;
  const { threadId } = thread.view;
  const remembered = shared.memory.read();
  thread.set({ loading: true, status: "idle", error: undefined });
  const turn = session.begin([]);
  const told = readDetails(session);
  let run: SeenRun | undefined;
  try {
    run = await read(session, turn, true);
  } catch (cause) {
    if (turn.controller.signal.aborted) return;
    session.endTurn(turn);
    if (!(isNew && isMissing(cause))) session.fail(toClientError(cause), () => load(session, isNew));
    else thread.set({ status: "idle", connection: "idle" });
    return;
  } finally {
    thread.set({ loading: false, title: thread.view.title ?? (await told).title });
  }
  if (turn.controller.signal.aborted) return;
  const question = thread.view.messages.findLast(({ role }) => role === "user");
  session.lastSent = question ? [question] : [];
  // none of them is known to be the run's
  if (run?.isRecord) turn.before = new Set(thread.view.messages.map(({ id }) => id));
  markCalls(session, run?.end);
  if (run && !run.isRecord) {
    // the answer to the question above may be from before its end, or from after it
    void refreshDetails(session);
  } else {
    keepSpending(session, await told);
    void refreshBranches(session).catch(() => undefined);
  }
  if (!run?.end) return session.endTurn(turn);
  const isOwn = !run.isRecord && remembered.threadId === threadId && remembered.runId === run.runId;
  // As if nothing had happened: but a tool that is not there (yet) is no reason to tell the model
  // so.
  const canGoOn = run.end.kind === "finished" && run.end.pending.every((id) => isRunnable(session, id));
  if (isOwn && canGoOn) return drive(session, turn, run.end);
  const isOver = thread.view.queue.length === 0; // else the user goes on already
  return finish(session, (isOver && run.lastEnd) || run.end, turn);
}

/** Brings the thread up to date, and waits until no other run of it is live. */
export async function watch(session: Session, turn: Turn): Promise<void> {
  await read(session, turn, false);
  void refreshDetails(session);
}

function isRunnable({ thread, shared }: Session, id: string): boolean {
  return shared.tools.runnable(thread.calls?.get(id)?.name ?? "") !== undefined;
}

/** Which calls wait for a page, and which of those were begun on one. */
function markCalls(session: Session, end: RunEnd | undefined): void {
  const { thread, shared } = session;
  const named = new Set(end?.kind === "finished" ? end.pending : []);
  const ledger = new Ledger(shared);
  for (const { id } of unanswered(session)) {
    if (named.has(id)) thread.calls?.change(id, { frontend: true });
    if (ledger.has(id) && ledger.resultOf(id) === undefined) thread.calls?.change(id, { attempted: true });
  }
  thread.touch();
}
