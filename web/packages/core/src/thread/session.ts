/**
 * The open thread and the runs on it, one after the other. A client has one at a time. This module
 * is loaded with the page; the code of runs is loaded with `ops.ts`.
 */
import { compact, newId } from "../base/values.js";
import type { PageParts } from "../page/api.js";
import type { HttpOptions, Transport } from "../protocol/http.js";
import type { RunEnd } from "../protocol/run-end.js";
import type { ClientError, Message } from "../protocol/types.js";
import { unreachable } from "../protocol/unreachable.js";
import type { ToolParts } from "../tools/parts.js";
import type { Direct } from "./direct.js";
import { withInitial, type InitialState } from "./initial-state.js";
import type { Memory } from "./memory.js";
import { Thread } from "./thread.js";
import type { QueuedMessage, ReconnectOptions, SendOptions, StateOutcome, ThreadSnapshot } from "./types.js";
import { messageOf } from "./user-message.js";

/** The parts that the sessions of a client share. */
export interface Shared extends PageParts, ToolParts {
  /** How the server is reached. */
  readonly address: HttpOptions;
  /** What carries requests: see `httpOf`. */
  http?: Transport;
  /** Set if no Pageside server keeps the thread. */
  readonly direct?: Direct;
  readonly agent: string;
  readonly memory: Memory;
  readonly reconnect: ReconnectOptions;
  /** How many of the newest messages a thread opens with; 0 means all. */
  readonly history: number;
  /** What plug-ins contribute to the shared state. */
  initial: readonly InitialState[];
  /** The code of runs, for all that a session does with it. */
  readonly engine: Later<Engine>;
  /** What the server says of the agent, once it has been asked. */
  known?: Known;
}

/** What the server says of the agent, and what the user has chosen of it. */
export type Known = Pick<ThreadSnapshot, "model" | "rights" | "sharing" | "choices" | "picked">;

/** Code that is loaded later. If that fails, the next use tries again. */
export interface Later<Code> {
  load(): Promise<Code>;
  /** Undefined until it is there. */
  code?: Code;
}

/** The part of a session that is loaded later, with what is known of its thread by then. */
export interface Engine {
  /** What is shown of a thread. What has not changed is as in the last snapshot. */
  snapshotOf(thread: Thread, last?: ThreadSnapshot["toolCalls"]): ThreadSnapshot;
  /** Runs, and runs again as long as there are tool results to send. */
  drive(session: Session, active?: ActiveRun): Promise<void>;
  /** Asks what the user has written. */
  ask(session: Session, message: Message, active: ActiveRun): Promise<void>;
  /** What the user is told of anything that was thrown. */
  toClientError(cause: unknown): ClientError;
}

/** A run in progress, with the tools it called and the runs that take their results. */
export interface ActiveRun {
  readonly controller: AbortController;
  mentions: readonly string[];
  /** The ids of the messages from before the run. */
  before: ReadonlySet<string>;
  /** The cut message that it continues. */
  continues?: string;
  /** The run that is open on the server, if any. */
  runId?: string;
  /** Reads the run to its end. Called again if the connection was lost. */
  read?: () => Promise<RunEnd>;
  /** Set once the user wants it to end. */
  stopping?: boolean;
  /** Called when it has ended. */
  onEnd?: () => void;
  /** Releases the calls whose handlers ran here to other tabs. */
  release?: () => void;
}

/** A write to the shared state that has not been settled with the server yet. */
export interface StateWrite {
  readonly before: unknown;
  readonly after: unknown;
  /** Whether a run has taken it along. */
  isSent: boolean;
  done(outcome: StateOutcome): void;
}

/** Keeps a thread in step with other tabs while this one is idle. */
export interface Follower {
  /** Reports whether a run of another tab is live. */
  isBusy(): boolean;
  /** Stops following for a while. Resolves once no run of another tab is live. */
  pause(): Promise<void>;
  resume(): void;
  /** Stops the run of another tab. */
  stop(): Promise<void>;
  /** Stops following. */
  end(): void;
}

/** An open thread: its queue, and its work in sequence. */
export class Session {
  readonly thread: Thread;
  readonly shared: Shared;
  readonly closed = new AbortController();
  /** The run that is in progress, if any. */
  active: ActiveRun | undefined;
  follower: Follower | undefined;
  /** What `retry()` does. */
  again: (() => Promise<void>) | undefined;
  /** Cuts short the pause before the next attempt to connect. */
  wake: (() => void) | undefined;
  /** The messages sent with the last run. Sent again if it failed. */
  lastSent: readonly Message[] = [];
  /** The user message that the next one replaces. */
  replaces: string | undefined;
  /** Writes to the shared state that the server has not taken yet. */
  writes: StateWrite[] = [];
  /** The last event of the thread that was seen. */
  lastId: string | undefined;
  /** The answers to interrupts that are being sent. */
  answering: Promise<void> | undefined;

  #jobs = 0;
  #chain: Promise<void> = Promise.resolve();
  /** Resolves the promises of `send`, by the ids of the queued messages. */
  readonly #waiting = new Map<string, () => void>();

  constructor(threadId: string, shared: Shared, changed: (now: boolean) => void, queue?: readonly QueuedMessage[]) {
    const page = {
      isFrontend: (name: string) => shared.tools.runnable(name) !== undefined,
      withInitial: (state: unknown) => withInitial(state, shared.initial),
    };
    this.thread = new Thread(threadId, page, changed, queue);
    this.shared = shared;
  }

  send(text: string, { mentions = [], attachments, hidden, suggested }: SendOptions = {}): Promise<void> {
    const message: QueuedMessage = compact({ id: newId(), text, mentions, attachments, hidden, suggested });
    return new Promise((resolve) => {
      this.#waiting.set(message.id, resolve);
      this.setQueue([...this.thread.data.queue, message], false);
    });
  }

  /**
   * Leaves the thread. Its runs continue on the server. Returns the messages that were not sent.
   */
  close(): readonly QueuedMessage[] {
    this.closed.abort();
    for (const { done } of this.writes.splice(0)) done({ kept: false, state: this.thread.data.state });
    this.active?.controller.abort();
    this.active = undefined;
    return this.thread.data.queue;
  }

  // -------------------------------------------------------------- one after the other

  /** Runs one piece of work after the other. A failure of one never stops the next. */
  enqueue(work: () => Promise<void>): Promise<void> {
    this.#jobs++;
    this.#chain = this.#chain
      .then(() => this.follower?.pause())
      .then(() => (this.closed.signal.aborted ? undefined : work()))
      .catch((cause: unknown) => this.fail(this.#errorOf(cause), () => this.drive()))
      .then(() => {
        this.#jobs--;
        this.sendNext();
        if (this.isIdle()) this.follower?.resume();
      });
    return this.#chain;
  }

  /** Without the code of runs, it is that code which could not be loaded. */
  #errorOf(cause: unknown): ClientError {
    return this.shared.engine.code?.toClientError(cause) ?? unreachable(cause);
  }

  /** Changes the shared state. Resolves when the outcome of that is known. */
  write(change: (state: unknown) => unknown): Promise<StateOutcome> {
    const before = this.thread.data.state;
    const after = change(before);
    this.thread.update({ state: after });
    return new Promise((done) => this.writes.push({ before, after, isSent: false, done }));
  }

  isIdle(): boolean {
    return this.#jobs === 0;
  }

  /** Changes the queue. While it is held, its messages wait for the user. */
  setQueue(queue: readonly QueuedMessage[], held = this.thread.data.queueHeld): void {
    this.hold(held, queue);
    this.sendNext();
    this.thread.update({});
  }

  hold(held: boolean, queue = this.thread.data.queue): void {
    this.thread.update({ queue, queueHeld: held && queue.length > 0 }, "soon");
  }

  /** Sends the first message of the queue, unless something is going on. */
  sendNext(): void {
    const { queue, queueHeld } = this.thread.data;
    const [next, ...rest] = queue;
    if (!next || queueHeld || !this.isIdle() || this.follower?.isBusy()) return;
    const { id, mentions } = next;
    this.thread.update({ queue: rest }, "soon");
    void this.enqueue(() => this.ask(messageOf(next), mentions)).then(() => this.done(id));
  }

  /** Resolves `send` for a message that was in the queue. */
  done(id: string): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }

  // -------------------------------------------------------------- the loop

  /** Asks the user's question. */
  async ask(message: Message, mentions: readonly string[]): Promise<void> {
    const active = this.begin(mentions);
    const { data } = this.thread;
    const askedAt = { ...data.askedAt, [message.id]: new Date().toISOString() };
    this.thread.update({ status: "submitted", error: undefined, unsent: [...data.unsent, message], askedAt });
    await (await this.shared.engine.load()).ask(this, message, active);
  }

  /** Tries again after a failure. */
  async drive(): Promise<void> {
    await (await this.shared.engine.load()).drive(this);
  }

  /** Begins a run without sending anything yet. */
  begin(mentions: readonly string[]): ActiveRun {
    this.again = undefined;
    return (this.active = { controller: new AbortController(), mentions, before: new Set() });
  }

  endRun(active: ActiveRun): void {
    active.release?.();
    active.onEnd?.();
    if (this.active === active) this.active = undefined;
  }

  fail(error: ClientError, again: () => Promise<void>): void {
    if (this.closed.signal.aborted) return;
    this.again = again;
    this.hold(true);
    this.settle("error", error);
  }

  settle(status: "idle" | "error", error?: ClientError): void {
    this.shared.memory.write({ threadId: this.thread.data.threadId });
    const connection = /^(connection_lost|network)$/.test(error?.code ?? "") ? "offline" : "idle";
    this.thread.update({ status, error, connection, streamingMessageId: undefined, retrying: undefined });
    this.shared.direct?.keep(this.thread.data);
  }
}
