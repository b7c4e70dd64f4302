/**
 * The open thread and the runs on it, one after the other. A client has one at a time. What a first
 * answer in text does not need works on it from `later.ts`: tools, stopping and retrying, stored
 * threads, approvals, branches.
 */
import { toClientError } from "../protocol/failure.js";
import { compact } from "../base/values.js";
import type { Http } from "../protocol/http.js";
import { newId } from "../base/id.js";
import type { Memory } from "./memory.js";
import type { ContextRegistry, InstructionRegistry, Page, PlaceRegistry, ToolRegistry } from "../page/context.js";
import { messageOf } from "../protocol/user-message.js";
import { loadEngine, loadLater } from "../lazy.js";
import type { RunEnd } from "../protocol/connection.js";
import type { StateWrite } from "./state.js";
import { Thread } from "./thread.js";
import type {
  AgentModel,
  Approval,
  ClientError,
  Message,
  QueuedMessage,
  ReconnectOptions,
  SendOptions,
  StateOutcome,
} from "./types.js";

/** What the sessions of a client share. */
export interface Shared {
  readonly http: Http;
  readonly agent: string;
  readonly page: Page;
  readonly context: ContextRegistry;
  readonly instructions: InstructionRegistry;
  readonly tools: ToolRegistry;
  readonly places: PlaceRegistry;
  readonly memory: Memory;
  readonly reconnect: ReconnectOptions;
  /** Every tool call that was ever begun here: none runs twice by itself, whoever asks. */
  readonly begun: Set<string>;
  /** What to do with the user's answer, by the calls that wait for it. */
  readonly confirmations: Map<string, (answer: Approval) => void>;
  model: AgentModel | undefined;
}

/** Runs and tools in progress. */
export interface Turn {
  readonly controller: AbortController;
  readonly mentions: readonly string[];
  /** The messages there were before the run began. */
  before: ReadonlySet<string>;
  /** The run that is open on the server, if any. */
  runId?: string;
  /** Reads the run to its end; once more, where the connection was lost and given up. */
  read?: () => Promise<RunEnd>;
  /** The user wants it to end. */
  stopping?: boolean;
  /** Called when the turn has ended. */
  onEnd?: () => void;
  /** Lets other tabs at the calls whose handlers ran here. */
  release?: () => void;
}

/** What keeps a thread in step with other tabs while nothing happens here. */
export interface Follower {
  /** Does a run of another tab go on? */
  isBusy(): boolean;
  /** Resolves once nothing comes from elsewhere any more. */
  pause(): Promise<void>;
  resume(): void;
  /** Stops the run of another tab. */
  stop(): Promise<void>;
  /** Follows no longer. */
  end(): void;
}

export class Session {
  readonly thread: Thread;
  readonly shared: Shared;
  readonly closed = new AbortController();
  turn: Turn | undefined;
  follower: Follower | undefined;
  /** What `retry()` does. */
  again: (() => Promise<void>) | undefined;
  /** Ends whatever waits for the next attempt to connect. */
  wake: (() => void) | undefined;
  /** What a run took last: sent again where that failed. */
  lastSent: readonly Message[] = [];
  /** The user message that the next one stands in for. */
  replaces: string | undefined;
  /** What the page wrote into the shared state and the server has not taken yet. */
  writes: StateWrite[] = [];
  /** The last event of the thread that was seen. */
  lastId: string | undefined;

  #jobs = 0;
  #chain: Promise<void> = Promise.resolve();
  /** Whom to tell that a queued message is done. */
  readonly #waiting = new Map<string, () => void>();

  constructor(threadId: string, shared: Shared, changed: (now: boolean) => void, queue: readonly QueuedMessage[] = []) {
    this.thread = new Thread(threadId, (name) => shared.tools.runnable(name) !== undefined, changed);
    this.thread.view.queue = queue;
    this.shared = shared;
  }

  send(text: string, { mentions = [], attachments, hidden }: SendOptions = {}): Promise<void> {
    const message: QueuedMessage = compact({ id: newId(), text, mentions, attachments, hidden });
    return new Promise((resolve) => {
      this.#waiting.set(message.id, resolve);
      this.setQueue([...this.thread.view.queue, message], false);
    });
  }

  /**
   * Leaves the thread: its runs go on on the server, nothing happens here any more. Returns what
   * was not sent.
   */
  close(): readonly QueuedMessage[] {
    this.closed.abort();
    for (const { done } of this.writes.splice(0)) done({ kept: false, state: this.thread.view.state });
    this.turn?.controller.abort();
    this.turn = undefined;
    return this.thread.view.queue;
  }

  // -------------------------------------------------------------- one after the other

  /** One piece of work after the other; what went wrong in one never stops the next. */
  enqueue(work: () => Promise<void>): Promise<void> {
    this.#jobs++;
    this.#chain = this.#chain
      .then(() => this.follower?.pause())
      .then(() => (this.closed.signal.aborted ? undefined : work()))
      .catch((cause: unknown) => this.fail(toClientError(cause), () => this.drive()))
      .then(() => {
        this.#jobs--;
        this.sendNext();
        if (this.isIdle()) this.follower?.resume();
      });
    return this.#chain;
  }

  /** The page has changed the shared state. Resolves when it is known what becomes of that. */
  written(before: unknown, after: unknown): Promise<StateOutcome> {
    const { thread } = this;
    thread.onState = () => void loadLater().then(({ checkWrites }) => checkWrites(this));
    return new Promise((done) => this.writes.push({ before, after, isSent: false, done }));
  }

  isIdle(): boolean {
    return this.#jobs === 0;
  }

  /** Changes the queue. While it is held, nothing of it is sent by itself. */
  setQueue(queue: readonly QueuedMessage[], held = this.thread.view.queueHeld): void {
    this.hold(held, queue);
    this.sendNext();
    this.thread.set({});
  }

  hold(held: boolean, queue = this.thread.view.queue): void {
    Object.assign(this.thread.view, { queue, queueHeld: held && queue.length > 0 });
  }

  /** Sends the first message of the queue, where nothing is in its way. */
  sendNext(): void {
    const { queue, queueHeld } = this.thread.view;
    const [next, ...rest] = queue;
    if (!next || queueHeld || !this.isIdle() || this.follower?.isBusy()) return;
    const { id, mentions } = next;
    this.thread.view.queue = rest;
    void this.enqueue(() => this.ask(messageOf(next), mentions)).then(() => this.done(id));
  }

  /** Nothing more will come of a message that was in the queue. */
  done(id: string): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }

  // -------------------------------------------------------------- the loop

  /** Asks the user's question. */
  async ask(message: Message, mentions: readonly string[]): Promise<void> {
    this.thread.unsent = [...this.thread.unsent, message];
    const turn = this.begin(mentions);
    this.thread.set({ status: "submitted", error: undefined });
    await (await loadEngine()).drive(this, turn);
  }

  /** Goes on where something failed. */
  async drive(): Promise<void> {
    await (await loadEngine()).drive(this);
  }

  begin(mentions: readonly string[]): Turn {
    this.again = undefined;
    return (this.turn = { controller: new AbortController(), mentions, before: new Set() });
  }

  endTurn(turn: Turn): void {
    turn.release?.();
    turn.onEnd?.();
    if (this.turn === turn) this.turn = undefined;
  }

  fail(error: ClientError, again: () => Promise<void>): void {
    if (this.closed.signal.aborted) return;
    this.again = again;
    this.hold(true);
    this.settle("error", error);
  }

  settle(status: "idle" | "error", error?: ClientError): void {
    this.shared.memory.write({ threadId: this.thread.view.threadId });
    const connection = error && LOST.test(error.code) ? "offline" : "idle";
    this.thread.set({ status, error, connection, streamingMessageId: undefined, retrying: undefined });
  }
}

/** Codes of errors after which nobody knows what became of the run. */
export const LOST = /^(connection_lost|network)$/;
