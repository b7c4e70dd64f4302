/** The open thread: its messages, its tool calls, and the runs on it. A client has one at a time. */
import type { ToolCall, ToolMessage } from "@ag-ui/core";
import type { AgUiEvent, EventOf } from "./events.js";
import { fold, insertToolMessage, toolCallsOf, type Transcript } from "./fold.js";
import { HttpError, toClientError, type Http } from "./http.js";
import { newId } from "./id.js";
import type { ContextRegistry, PlaceRegistry, ToolRegistry } from "./registry.js";
import { streamRun, type RunEnd } from "./run.js";
import { macrotask } from "./schedule.js";
import { loadThread } from "./thread.js";
import { ToolCalls } from "./tool-calls.js";
import type { ToolRunner } from "./tool-runner.js";
import type { AgentModel, ClientError, Message, RunStatus, ThreadSnapshot } from "./types.js";

/** What the sessions of a client share. */
export interface Shared {
  readonly http: Http;
  readonly agent: string;
  readonly context: ContextRegistry;
  readonly tools: ToolRegistry;
  readonly places: PlaceRegistry;
  readonly runner: ToolRunner;
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

export class Session {
  readonly threadId: string;
  readonly #shared: Shared;
  /** Called after a change: `true` when it should be seen at once. */
  readonly #changed: (now: boolean) => void;

  #transcript: Transcript = { messages: [], state: undefined };
  readonly #calls: ToolCalls;
  #title: string | undefined;
  #status: RunStatus = "idle";
  #error: ClientError | undefined;
  #retrying: ThreadSnapshot["retrying"];
  #loading = false;
  #streamingMessageId: string | undefined;
  #stopped: readonly string[] = [];

  /** Messages no run has taken yet, and those of the last run that took some. */
  #outbox: Message[] = [];
  #lastSent: Message[] = [];
  #turn: Turn | undefined;
  #queue: Promise<void> = Promise.resolve();
  #retry: (() => Promise<void>) | undefined;
  readonly #closed = new AbortController();

  constructor(threadId: string, shared: Shared, changed: (now: boolean) => void) {
    this.threadId = threadId;
    this.#shared = shared;
    this.#changed = changed;
    this.#calls = new ToolCalls((name) => shared.tools.runnable(name) !== undefined);
  }

  snapshot(): ThreadSnapshot {
    return {
      threadId: this.threadId,
      title: this.#title,
      messages: this.#transcript.messages,
      status: this.#status,
      streamingMessageId: this.#streamingMessageId,
      stoppedMessageIds: this.#stopped,
      toolCalls: this.#calls.record(),
      error: this.#error,
      retrying: this.#retrying,
      loading: this.#loading,
      state: this.#transcript.state,
      model: this.#shared.model,
    };
  }

  // -------------------------------------------------------------- what a user does

  send(text: string, mentions: readonly string[] = []): Promise<void> {
    const message: Message = { id: newId(), role: "user", content: text };
    return this.#enqueue(() => {
      this.#append(message);
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
    if (this.#status === "error") this.#status = "idle";
    this.#error = undefined;
    this.#changed(true);
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
    return this.#enqueue(() => this.#load(isNew));
  }

  async #load(isNew: boolean): Promise<void> {
    this.#loading = true;
    this.#error = undefined;
    this.#changed(true);
    try {
      await this.#fetchMessages();
      if (this.#status === "error") this.#status = "idle";
    } catch (cause) {
      if (!(isNew && cause instanceof HttpError && cause.status === 404))
        this.#fail(toClientError(cause), () => this.#load(isNew));
    }
    this.#loading = false;
    this.#changed(true);
  }

  async #fetchMessages(): Promise<void> {
    const { title, messages, createdAt } = await loadThread(this.#shared.http, this.threadId, this.#closed.signal);
    this.#title = title ?? this.#title;
    this.#transcript = { ...this.#transcript, messages };
    this.#calls.learn(messages, (message) => createdAt.get(message.id) ?? Date.now());
  }

  resumePending(): Promise<void> {
    return this.#enqueue(async () => {
      const calls = this.#unanswered().filter(({ function: { name } }) => this.#shared.tools.runnable(name));
      if (calls.length === 0) return;
      const turn = this.#begin([]);
      const results = await this.#runTools(calls, turn);
      if (results.length > 0) await this.#drive(results, [], turn);
    });
  }

  // -------------------------------------------------------------- the loop

  /** One piece of work after the other; what went wrong in one never stops the next. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue
      .then(() => (this.#closed.signal.aborted ? undefined : work()))
      .catch((cause: unknown) => this.#fail(toClientError(cause), work));
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
      if (turn.controller.signal.aborted) return;
      this.#outbox.push(...results);
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
    const messages = this.#outbox.length > 0 ? [...this.#outbox] : this.#lastSent;
    turn.runId = newId();
    turn.before = new Set(this.#transcript.messages.map(({ id }) => id));
    this.#error = undefined;
    this.#setStatus("submitted");
    try {
      const path = `/v1/agents/${encodeURIComponent(this.#shared.agent)}/run`;
      const input = this.#input(turn, messages);
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

  #input(turn: Turn, messages: readonly Message[]): unknown {
    const context = this.#shared.context.collect(turn.mentions);
    const pageside = { ...this.#shared.places.current(), context: context.map(({ detail }) => detail) };
    return {
      threadId: this.threadId,
      runId: turn.runId,
      protocolVersion: "1.0",
      state: this.#transcript.state ?? {},
      messages,
      tools: this.#shared.tools.list(),
      context: context.map(({ item }) => item),
      forwardedProps: { pageside },
    };
  }

  #apply(event: AgUiEvent, sent: Message[]): void {
    this.#transcript = fold(this.#transcript, event);
    this.#calls.apply(event);
    switch (event.type) {
      case "RUN_STARTED":
        this.#outbox = this.#outbox.filter((message) => !sent.includes(message));
        this.#lastSent = sent;
        return;
      case "MESSAGES_SNAPSHOT":
        return this.#calls.learn(this.#transcript.messages);
      case "CUSTOM":
        return this.#applyCustom(event);
      case "TEXT_MESSAGE_START":
      case "REASONING_MESSAGE_START":
        this.#streamingMessageId = event.messageId;
        break;
      case "TEXT_MESSAGE_END":
      case "REASONING_MESSAGE_END":
        this.#streamingMessageId = undefined;
        break;
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
      case "TOOL_CALL_START":
      case "ACTIVITY_SNAPSHOT":
        break;
      default:
        return;
    }
    this.#retrying = undefined;
    if (this.#status === "submitted") this.#status = "streaming";
  }

  #applyCustom({ name, value }: EventOf<"CUSTOM">): void {
    if (name === "conversation_title" && typeof value === "string") this.#title = value;
    if (name === "retrying") this.#retrying = typeof value === "object" && value !== null ? value : {};
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
    const { messages } = this.#transcript;
    const answered = new Set(messages.map((message) => (message.role === "tool" ? message.toolCallId : undefined)));
    const lastUser = messages.findLastIndex(({ role }) => role === "user");
    return messages
      .slice(lastUser + 1)
      .flatMap(toolCallsOf)
      .filter(({ id }) => !answered.has(id) && this.#shared.runner.isNew(id));
  }

  /** Runs the calls and puts their results into the transcript. */
  async #runTools(calls: readonly ToolCall[], turn: Turn): Promise<ToolMessage[]> {
    for (const { id } of calls) this.#calls.change(id, { frontend: true });
    this.#setStatus("executing");
    const { signal } = turn.controller;
    const host = {
      find: (name: string) => this.#shared.tools.runnable(name),
      report: (id: string, change: object) => {
        if (signal.aborted) return;
        this.#calls.change(id, change);
        this.#changed(false);
      },
    };
    const results = await this.#shared.runner.run(calls, host, signal);
    const messages = results.reduce(insertToolMessage, this.#transcript.messages);
    if (results.length > 0) this.#transcript = { ...this.#transcript, messages };
    return results;
  }

  // -------------------------------------------------------------- ends

  #finish(end: RunEnd, turn: Turn): void {
    this.#endTurn(turn);
    if (end.kind === "failed") {
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
    const messages = this.#transcript.messages.filter((message) => !isPartial(message));
    this.#transcript = { ...this.#transcript, messages };
    return this.#drive([], turn.mentions);
  }

  #fail(error: ClientError, retry: () => Promise<void>): void {
    if (this.#closed.signal.aborted) return;
    this.#error = error;
    this.#retry = retry;
    this.#settle("error");
  }

  #settle(status: "idle" | "error"): void {
    this.#streamingMessageId = undefined;
    this.#retrying = undefined;
    this.#setStatus(status);
  }

  #markStopped(turn: Turn): void {
    const last = this.#transcript.messages.findLast(({ id, role }) => role === "assistant" && !turn.before.has(id));
    if (last) this.#stopped = [...this.#stopped, last.id];
  }

  /** The server may not have seen the run yet: then it is told once more. */
  async #cancelRun(runId: string): Promise<void> {
    const cancel = () =>
      this.#shared.http.send(`/v1/runs/${encodeURIComponent(runId)}/cancel`, {
        method: "POST",
        json: {},
        keepalive: true,
      });
    try {
      await cancel();
    } catch (cause) {
      if (!(cause instanceof HttpError && cause.status === 404)) return;
      setTimeout(() => void cancel().catch(() => undefined), CANCEL_AGAIN);
    }
  }

  #setStatus(status: RunStatus): void {
    this.#status = status;
    this.#changed(true);
  }

  #append(message: Message): void {
    this.#transcript = { ...this.#transcript, messages: [...this.#transcript.messages, message] };
  }
}
