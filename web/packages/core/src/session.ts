/**
 * The open thread and the runs on it, one after the other. A client has one at a time. What a first answer in text does
 * not need works on it from `later.ts`: tools, stopping and retrying, stored threads, approvals, branches.
 */
import type { ResumeEntry } from "@ag-ui/core";
import { toClientError } from "./failure.js";
import { compact } from "./fold.js";
import type { Http } from "./http.js";
import { newId } from "./id.js";
import type { Memory } from "./memory.js";
import type { ContextRegistry, InstructionRegistry, Page, PlaceRegistry, ToolRegistry } from "./registry.js";
import { messageOf } from "./user-message.js";
import { connect, endOf, EventReader, interrupted, loadLater, type RunEnd } from "./run.js";
import { Thread } from "./thread.js";
import type { AgentModel, ClientError, Message, QueuedMessage, ReconnectOptions, SendOptions } from "./types.js";

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

/** Tool results lead to a further run, which may call tools again: this often within one turn. */
const MAX_FOLLOW_UPS = 25;

/** How often a message waits for a run of another tab. */
const MAX_BUSY = 3;

export const loadRunner = () => import("./tool-runner.js");

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

  /** Leaves the thread: its runs go on on the server, nothing happens here any more. Returns what was not sent. */
  close(): readonly QueuedMessage[] {
    this.closed.abort();
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
  ask(message: Message, mentions: readonly string[]): Promise<void> {
    this.thread.unsent = [...this.thread.unsent, message];
    return this.drive(this.begin(mentions));
  }

  /** Runs, or goes on after a run, and as long as a run calls tools of this page, runs again with their results. */
  async drive(turn = this.begin([]), end?: RunEnd): Promise<void> {
    const { signal } = turn.controller;
    for (let followUps = 0; followUps <= MAX_FOLLOW_UPS; followUps++) {
      end ??= await this.#run(turn);
      if (!end || signal.aborted) return;
      if (!(await this.#answerCalls(end, turn))) return signal.aborted ? undefined : this.finish(end, turn);
      end = undefined;
    }
    const message = `The assistant used tools of this page ${MAX_FOLLOW_UPS} times in a row and was stopped.`;
    this.endTurn(turn);
    this.fail({ code: "follow_up_limit", message, retryable: true }, () => this.drive(this.begin(turn.mentions)));
  }

  /** Resolves with whether there is something to run on with. */
  async #answerCalls(end: RunEnd, turn: Turn): Promise<boolean> {
    if (end.kind === "failed" || end.cancelled || turn.stopping) return false;
    if (!this.thread.calls && end.pending.length === 0) return false; // a mere text
    return (await loadLater()).answerCalls(this, end, turn);
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

  /** One run. Resolves with undefined where it failed before its end, or was stopped. */
  async #run(turn: Turn, busy = 0): Promise<RunEnd | undefined> {
    const { thread } = this;
    const messages = (this.lastSent = thread.unsent.length > 0 ? thread.unsent : this.lastSent);
    turn.runId = newId();
    turn.before = new Set(thread.messages().map(({ id }) => id));
    this.shared.memory.write({ threadId: thread.view.threadId, runId: turn.runId });
    thread.set({ status: "submitted", error: undefined });
    if (this.shared.context.slow().length > 0) {
      await (await loadLater()).prepare(this, turn);
      if (turn.controller.signal.aborted) return undefined;
    }
    const input = this.input(turn, messages);
    if (input.tools.length > 0) void loadRunner().catch(() => undefined); // so that it is there when a tool is called
    turn.read = this.#reading(turn, input, messages);
    return this.read(turn, busy < MAX_BUSY ? () => this.#run(turn, busy + 1) : undefined);
  }

  /** Reads the run of a turn. `again` runs it anew after another run of the thread has ended. */
  async read(turn: Turn, again?: () => Promise<RunEnd | undefined>): Promise<RunEnd | undefined> {
    const { signal } = turn.controller;
    try {
      const end = await turn.read!();
      turn.runId = undefined;
      return end;
    } catch (cause) {
      if (signal.aborted) return undefined;
      const error = toClientError(cause);
      if (error.code !== "thread_busy" || !again) return this.finish({ kind: "failed", error }, turn) as undefined;
      await (await loadLater()).watch(this, turn);
      return signal.aborted ? undefined : again();
    }
  }

  /** How a run is read to its end, over as many connections as it takes. */
  #reading(turn: Turn, input: { runId: string }, messages: readonly Message[]): () => Promise<RunEnd> {
    const { thread, shared } = this;
    const { signal } = turn.controller;
    let isAccepted = false;
    let isOwn = false; // what a broken stream goes on with may begin with a snapshot, as a run of its own
    let end: RunEnd | undefined;
    const reader: EventReader = new EventReader({
      apply: (event, later) => {
        if (signal.aborted) return true;
        if (event.type === "RUN_STARTED") {
          isOwn = event.runId === input.runId || !reader.lastId;
          if (isOwn) {
            isAccepted = true;
            thread.accept(messages);
            this.replaces = undefined;
            turn.release?.();
          }
        }
        // The snapshot of a server that numbers its events is complete.
        if (reader.lastId && event.type === "MESSAGES_SNAPSHOT") later!.replaceMessages(thread, event.messages);
        else thread.apply(event, later);
        end = isOwn ? endOf(event) : undefined;
        return end !== undefined;
      },
      flush: () => {
        this.lastId = reader.lastId ?? this.lastId;
        if (!signal.aborted) thread.touch();
      },
      opened: () => (thread.view.connection = "live"),
    });
    const post = () => connect(shared.http, this.path, { json: input }, reader, signal);
    const run = { runId: input.runId, reader, signal, post, isAccepted: () => isAccepted };
    let isBegun = false;
    return async () => {
      let broken: { cause?: unknown } | undefined;
      if (!isBegun) {
        isBegun = true;
        broken = await post().then(
          (done) => (done ? undefined : {}),
          (cause: unknown) => ({ cause }),
        );
        if (signal.aborted) throw signal.reason;
        if (!broken) return end!;
      }
      const later = await loadLater().catch(() => undefined);
      if (later) await later.resume(this, run, broken);
      else if (broken?.cause) throw broken.cause;
      return end ?? interrupted();
    };
  }

  get path(): string {
    return `/v1/agents/${encodeURIComponent(this.shared.agent)}/run`;
  }

  input(turn: Turn, messages: readonly Message[]) {
    const { shared, thread, replaces } = this;
    const context = shared.context.collect(turn.mentions);
    const { interrupts, threadId, state } = thread.view;
    // An interrupt that is not answered now never will be: the user went on.
    const resume = interrupts.map(({ id, answer = { status: "cancelled" } }): ResumeEntry => ({ interruptId: id, ...answer })); // prettier-ignore
    return {
      threadId,
      runId: turn.runId!,
      protocolVersion: "1.0",
      state: state ?? {},
      messages: [...systemMessages(shared), ...messages],
      tools: shared.tools.list(),
      context: context.map(({ item }) => item),
      forwardedProps: {
        pageside: { ...shared.places.current(), context: context.map(({ detail }) => detail), replaces },
      },
      ...(resume.length > 0 && { resume }),
    };
  }

  // -------------------------------------------------------------- ends

  finish(end: RunEnd, turn: Turn): void {
    const { thread } = this;
    this.endTurn(turn);
    const isFailed = end.kind === "failed";
    if (isFailed ? turn.stopping : end.cancelled || (turn.stopping && end.pending.length > 0)) this.stopped(turn);
    else if (isFailed) this.#failed(end.error, turn);
    else {
      if (thread.view.interrupts.length > 0) this.hold(true); // the next message would cancel them
      this.#settle("idle");
    }
  }

  #failed(error: ClientError, turn: Turn): void {
    const { thread } = this;
    const isLost = LOST.test(error.code); // its fate is unknown: it may go on
    if (!error.retryable) {
      thread.accept(thread.unsent); // or every message that follows is refused with it
      thread.unsent = [];
    }
    const lost = { message: "The run ended before the tool did.", code: "interrupted" };
    if (!isLost) thread.calls?.settleOpen({ status: "failed", error: lost });
    this.fail(error, async () => (await loadLater())[isLost ? "readOn" : "runAgain"](this, turn));
  }

  stopped(turn: Turn): void {
    this.hold(true);
    this.thread.calls?.settleOpen({ status: "cancelled" });
    this.thread.markStopped(turn.before);
    this.#settle("idle");
  }

  fail(error: ClientError, again: () => Promise<void>): void {
    if (this.closed.signal.aborted) return;
    this.again = again;
    this.hold(true);
    this.#settle("error", error);
  }

  #settle(status: "idle" | "error", error?: ClientError): void {
    this.shared.memory.write({ threadId: this.thread.view.threadId });
    const connection = error && LOST.test(error.code) ? "offline" : "idle";
    this.thread.set({ status, error, connection, streamingMessageId: undefined, retrying: undefined });
  }
}

/** What the page tells the model in its own words. */
function systemMessages({ instructions, page }: Shared): Message[] {
  return instructions
    .list()
    .filter(({ id }) => page.isOn("instructions", id))
    .map(({ id, text }) => ({ id: `pageside:${id}`, role: "system", content: text }));
}

/** Codes of errors after which nobody knows what became of the run. */
export const LOST = /^(connection_lost|network)$/;
