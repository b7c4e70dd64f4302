/** The open thread: its messages, its tool calls, and the runs on it. A client has one at a time. */
import type { ToolCall, ToolMessage } from "@ag-ui/core";
import type { AgUiEvent, EventOf } from "./events.js";
import { fold, insertToolMessage, toolCallsOf } from "./fold.js";
import { Failure, toClientError } from "./failure.js";
import type { Http } from "./http.js";
import { newId } from "./id.js";
import type { ContextRegistry, PlaceRegistry, ToolRegistry } from "./registry.js";
import { streamRun, type RunEnd } from "./run.js";
import { macrotask } from "./schedule.js";
import { ToolCalls } from "./tool-calls.js";
import type { AgentModel, ClientError, Message, ThreadSnapshot } from "./types.js";

/** What the sessions of a client share. */
export interface Shared {
  readonly http: Http;
  readonly agent: string;
  readonly context: ContextRegistry;
  readonly tools: ToolRegistry;
  readonly places: PlaceRegistry;
  /** Every tool call that was ever begun here: none runs twice, whoever asks. */
  readonly begun: Set<string>;
  model: AgentModel | undefined;
}

/** Tool results lead to a further run, which may call tools again: this often within one turn. */
const MAX_FOLLOW_UPS = 25;

/** A server that has not seen the run yet when it is stopped is told once more after this many milliseconds. */
const CANCEL_AGAIN = 1000;

/** Runs and tools in progress. */
interface Turn {
  readonly controller: AbortController;
  readonly mentions: readonly string[];
  /** The run that is open on the server, if any. */
  runId?: string;
  /** The messages there were before the run began. */
  before: ReadonlySet<string>;
}

const loadRunner = () => import("./tool-runner.js");

/** The snapshot without what is kept elsewhere. */
type View = Omit<ThreadSnapshot, "toolCalls" | "model">;

export class Session {
  readonly #shared: Shared;
  /** Called after a change: `true` when it should be seen at once. */
  readonly #changed: (now: boolean) => void;

  #view: View;
  readonly #calls: ToolCalls;

  /** Messages no run has taken yet, and those that were sent last. */
  #outbox: Message[] = [];
  #lastSent: Message[] = [];
  #turn: Turn | undefined;
  #queue: Promise<void> = Promise.resolve();
  #retry: (() => Promise<void>) | undefined;
  readonly #closed = new AbortController();

  constructor(threadId: string, shared: Shared, changed: (now: boolean) => void) {
    this.#view = { threadId, messages: [], state: undefined, status: "idle", stoppedMessageIds: [] };
    this.#shared = shared;
    this.#changed = changed;
    this.#calls = new ToolCalls((name) => shared.tools.runnable(name) !== undefined);
  }

  snapshot(): ThreadSnapshot {
    return { ...this.#view, toolCalls: this.#calls.record(), model: this.#shared.model };
  }

  #set(change: Partial<View>, now = true): void {
    this.#view = { ...this.#view, ...change };
    this.#changed(now);
  }

  // -------------------------------------------------------------- what a user does

  send(text: string, mentions: readonly string[] = []): Promise<void> {
    const message: Message = { id: newId(), role: "user", content: text };
    return this.#enqueue(() => {
      this.#set({ messages: [...this.#view.messages, message] });
      return this.#drive([message], mentions);
    });
  }

  retry(): Promise<void> {
    return this.#enqueue(async () => {
      const again = this.#retry;
      this.#retry = undefined;
      await again?.();
    });
  }

  clearError(): void {
    const { status } = this.#view;
    this.#set({ status: status === "error" ? "idle" : status, error: undefined });
  }

  async stop(): Promise<void> {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = undefined;
    turn.controller.abort();
    this.#calls.settleOpen({ status: "cancelled" });
    this.#markStopped(turn);
    this.#settle("idle");
    if (turn.runId) await this.#cancelRun(turn.runId);
  }

  /** Leaves the thread: its runs go on on the server, nothing happens here any more. */
  close(): void {
    this.#closed.abort();
    this.#turn?.controller.abort();
    this.#turn = undefined;
  }

  // -------------------------------------------------------------- loading

  /** Loads the thread. With `isNew`, it is no error where the server does not know it. */
  load(isNew = false): Promise<void> {
    this.#set({ loading: true });
    return this.#enqueue(() => this.#load(isNew));
  }

  async #load(isNew: boolean): Promise<void> {
    this.#set({ loading: true, status: "idle", error: undefined });
    try {
      await this.#fetchMessages();
    } catch (cause) {
      if (!(isNew && cause instanceof Failure && cause.status === 404))
        this.#fail(toClientError(cause), () => this.#load(isNew));
    }
    this.#set({ loading: false });
  }

  async #fetchMessages(): Promise<void> {
    const { loadThread } = await import("./queries.js");
    const { title, messages, createdAt } = await loadThread(
      this.#shared.http,
      this.#view.threadId,
      this.#closed.signal,
    );
    this.#set({ messages, title: title ?? this.#view.title });
    this.#calls.learn(messages, (message) => createdAt.get(message.id) ?? Date.now());
  }

  resumePending(): Promise<void> {
    return this.#enqueue(async () => {
      const calls = this.#unanswered().filter(({ function: { name } }) => this.#shared.tools.runnable(name));
      if (calls.length === 0) return;
      const turn = this.#begin([]);
      const results = await this.#runTools(calls, turn);
      this.#outbox.push(...results);
      if (!turn.controller.signal.aborted) await this.#drive([], [], turn);
    });
  }

  // -------------------------------------------------------------- the loop

  /** One piece of work after the other; what went wrong in one never stops the next. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue
      .then(() => (this.#closed.signal.aborted ? undefined : work()))
      .catch((cause: unknown) => this.#fail(toClientError(cause), () => this.#drive([], [])));
    return this.#queue;
  }

  /** Runs, and as long as a run calls tools of this page, runs again with their results. */
  async #drive(fresh: readonly Message[], mentions: readonly string[], turn = this.#begin(mentions)): Promise<void> {
    this.#outbox.push(...fresh);
    for (let followUps = 0; followUps <= MAX_FOLLOW_UPS; followUps++) {
      const end = await this.#run(turn);
      if (!end || turn.controller.signal.aborted) return;
      const calls = end.kind === "finished" && !end.cancelled ? await this.#callsFor(end, turn) : [];
      if (calls.length === 0) return this.#finish(end, turn);
      const results = await this.#runTools(calls, turn);
      this.#outbox.push(...results); // also when stopped: the model must not think they were not executed
      await macrotask();
      if (turn.controller.signal.aborted) return;
    }
    const message = `The assistant used tools of this page ${MAX_FOLLOW_UPS} times in a row and was stopped.`;
    this.#endTurn(turn);
    this.#fail({ code: "follow_up_limit", message, retryable: true }, () => this.#drive([], mentions));
  }

  #begin(mentions: readonly string[]): Turn {
    this.#retry = undefined;
    return (this.#turn = { controller: new AbortController(), mentions, before: new Set() });
  }

  #endTurn(turn: Turn): void {
    if (this.#turn === turn) this.#turn = undefined;
  }

  /** One run. Resolves with undefined where it failed before its end, or was stopped. */
  async #run(turn: Turn): Promise<RunEnd | undefined> {
    const { signal } = turn.controller;
    const messages = (this.#lastSent = this.#outbox.length > 0 ? [...this.#outbox] : this.#lastSent);
    turn.runId = newId();
    turn.before = new Set(this.#view.messages.map(({ id }) => id));
    this.#set({ status: "submitted", error: undefined });
    try {
      const path = `/v1/agents/${encodeURIComponent(this.#shared.agent)}/run`;
      const input = this.#input(turn, messages);
      if (input.tools.length > 0) void loadRunner().catch(() => undefined); // so that it is there when a tool is called
      return await streamRun(
        this.#shared.http,
        path,
        input,
        signal,
        (event) => signal.aborted || this.#apply(event, messages),
        () => signal.aborted || this.#changed(false),
      );
    } catch (cause) {
      if (!signal.aborted) this.#finish({ kind: "failed", error: toClientError(cause) }, turn);
      return undefined;
    } finally {
      turn.runId = undefined;
    }
  }

  #input(turn: Turn, messages: readonly Message[]) {
    const context = this.#shared.context.collect(turn.mentions);
    const pageside = { ...this.#shared.places.current(), context: context.map(({ detail }) => detail) };
    return {
      threadId: this.#view.threadId,
      runId: turn.runId,
      protocolVersion: "1.0",
      state: this.#view.state ?? {},
      messages,
      tools: this.#shared.tools.list(),
      context: context.map(({ item }) => item),
      forwardedProps: { pageside },
    };
  }

  #apply(event: AgUiEvent, sent: Message[]): void {
    this.#view = fold(this.#view, event);
    this.#calls.apply(event);
    switch (event.type) {
      case "RUN_STARTED":
        this.#outbox = this.#outbox.filter((message) => !sent.includes(message));
        break;
      case "MESSAGES_SNAPSHOT":
        this.#calls.learn(this.#view.messages);
        break;
      case "CUSTOM":
        this.#applyCustom(event);
    }
    if (/^(TEXT|REASONING)_MESSAGE_/.test(event.type)) {
      this.#view.streamingMessageId = event.type.endsWith("END")
        ? undefined
        : (event as { messageId: string }).messageId;
    }
    if (/^(TEXT|REASONING|TOOL|ACTIVITY)_/.test(event.type)) {
      this.#view.retrying = undefined;
      if (this.#view.status === "submitted") this.#view.status = "streaming";
    }
  }

  #applyCustom({ name, value }: EventOf<"CUSTOM">): void {
    if (name === "conversation_title" && typeof value === "string") this.#view.title = value;
    if (name === "retrying") this.#view.retrying = typeof value === "object" && value !== null ? value : {};
  }

  // -------------------------------------------------------------- tools

  /** The calls that wait for this page: those the server named, or else those without a result that a tool here can answer. */
  async #callsFor(end: RunEnd & { kind: "finished" }, turn: Turn): Promise<ToolCall[]> {
    if (end.interrupted) return [];
    if (end.pending.some((id) => !this.#calls.get(id))) {
      await this.#fetchMessages().catch(() => undefined); // called in a run whose stream was lost
      if (turn.controller.signal.aborted) return [];
    }
    const named = new Set(end.pending);
    return this.#unanswered().filter(({ id, function: { name } }) =>
      named.size > 0 ? named.has(id) : this.#shared.tools.runnable(name) !== undefined,
    );
  }

  /** The calls of the last turn that have no result and were never begun here. */
  #unanswered(): ToolCall[] {
    const { messages } = this.#view;
    const answered = new Set(messages.map((message) => (message.role === "tool" ? message.toolCallId : undefined)));
    const lastUser = messages.findLastIndex(({ role }) => role === "user");
    return messages
      .slice(lastUser + 1)
      .flatMap(toolCallsOf)
      .filter(({ id }) => !answered.has(id) && !this.#shared.begun.has(id));
  }

  /** Runs the calls and puts their results into the transcript. */
  async #runTools(calls: readonly ToolCall[], turn: Turn): Promise<ToolMessage[]> {
    for (const { id } of calls) this.#calls.change(id, { frontend: true });
    this.#set({ status: "executing" });
    const { signal } = turn.controller;
    const host = {
      find: (name: string) => this.#shared.tools.runnable(name),
      report: (id: string, change: object) => {
        if (signal.aborted) return;
        this.#calls.change(id, change);
        this.#changed(false);
      },
    };
    const { runTools } = await loadRunner();
    if (signal.aborted) return []; // none of them was begun
    for (const { id } of calls) this.#shared.begun.add(id);
    const results = await runTools(calls, host, signal);
    const messages = results.reduce(insertToolMessage, this.#view.messages);
    this.#set({ messages }, false);
    return results;
  }

  // -------------------------------------------------------------- ends

  #finish(end: RunEnd, turn: Turn): void {
    this.#endTurn(turn);
    if (end.kind === "failed") {
      if (!end.error.retryable) this.#outbox = []; // or every message that follows is refused with it
      const lost = { message: "The run ended before the tool did.", code: "interrupted" };
      this.#calls.settleOpen({ status: "failed", error: lost });
      return this.#fail(end.error, () => this.#again(turn));
    }
    if (end.cancelled) {
      this.#calls.settleOpen({ status: "cancelled" });
      this.#markStopped(turn);
    }
    this.#settle("idle");
  }

  /** Runs the last turn again. What the failed run had written so far goes; what its tools did stays. */
  #again(turn: Turn): Promise<void> {
    const isPartial = (message: Message) =>
      !turn.before.has(message.id) &&
      (message.role === "reasoning" || (message.role === "assistant" && toolCallsOf(message).length === 0));
    const messages = this.#view.messages.filter((message) => !isPartial(message));
    this.#set({ messages });
    return this.#drive([], turn.mentions);
  }

  #fail(error: ClientError, retry: () => Promise<void>): void {
    if (this.#closed.signal.aborted) return;
    this.#retry = retry;
    this.#settle("error", error);
  }

  #settle(status: "idle" | "error", error?: ClientError): void {
    this.#set({ status, error, streamingMessageId: undefined, retrying: undefined });
  }

  #markStopped(turn: Turn): void {
    const { messages } = this.#view;
    const last = messages.findLast(({ id, role }) => role === "assistant" && !turn.before.has(id)) ?? messages.at(-1);
    if (last) this.#view.stoppedMessageIds = [...this.#view.stoppedMessageIds, last.id];
  }

  /** The server may not have seen the run yet: then it is told once more. */
  async #cancelRun(runId: string): Promise<void> {
    const cancel = () =>
      this.#shared.http.send(`/v1/runs/${encodeURIComponent(runId)}/cancel`, { json: {}, keepalive: true });
    try {
      await cancel();
    } catch (cause) {
      if (!(cause instanceof Failure && cause.status === 404)) return;
      setTimeout(() => void cancel().catch(() => undefined), CANCEL_AGAIN);
    }
  }
}
