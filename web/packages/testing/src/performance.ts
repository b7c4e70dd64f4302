/** Playing a script: parts become the events of a run. */
import type { JsonPatchOperation } from "@ag-ui/core";
import type { Clock, Json } from "@pageside/core";
import { settled } from "./clock.js";
import type { AgUiEvent } from "./events.js";
import type { BackendOutcome, CallPart, Card, CutReason, OrMade, Part } from "./parts.js";
import type { Run } from "./run.js";
import type { OpenCall, Script } from "./script.js";

/** Ids of what the agent makes, the same in every test: `answer-1`, `call-1`. */
export class Names {
  readonly #counts = new Map<string, number>();

  next(kind: string): string {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return `${kind}-${count}`;
  }
}

/** What the replies of an agent share. */
export interface Stage {
  readonly names: Names;
  readonly clock: Clock;
  /** Milliseconds between two pieces of a text. */
  readonly pace: number;
  /** Breaks the connections that read a run. */
  disconnect(run: Run): void;
}

const DENIED = { code: "denied", message: "the user denied this call; it was not executed", retryable: false };
const DECLINED = { code: "declined", message: "the user did not want to answer", retryable: false };
const NOT_EXECUTED = {
  code: "not_executed",
  message: "not executed: the user sent a new message",
  retryable: false,
};

/** Answers given to interrupts, by their ids. */
export type Answers = ReadonlyMap<string, { status: string; payload?: unknown }>;

/** Plays a script into a run, until it ends or waits for the client. */
export class Performance {
  readonly #run: Run;
  readonly #script: Script;
  readonly #stage: Stage;
  /** The message of the step that goes on; calls hang on it. */
  #message: string | undefined;
  #isTextOpen = false;
  /** Calls that wait for the page, or for the user. */
  readonly #open: OpenCall[] = [];
  #metadata: { pageside: object } | undefined;
  /** The cut message that this goes on with, and whether the next text belongs to it. */
  #goesOn: string | undefined;
  #continued: string | undefined;

  constructor(run: Run, script: Script, stage: Stage) {
    this.#run = run;
    this.#script = script;
    this.#stage = stage;
  }

  /** Plays on until the script ends, waits, fails, or is cancelled. */
  async play(): Promise<void> {
    const { signal } = this.#run;
    try {
      while (this.#open.length === 0) {
        const { done, value } = await this.#next();
        if (signal.aborted) return this.#finish({ type: "cancelled" });
        if (done || !value) return this.#finish();
        if (value.kind === "fail") return this.#fail(value.code, value.message);
        if (value.kind === "cut") return this.#cut(value.reason);
        await this.#perform(value);
        if (signal.aborted) return this.#finish({ type: "cancelled" });
      }
      this.#wait();
    } catch (cause) {
      this.#fail("script_error", `The script failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }

  /**
   * The next part, or nothing more once the run is cancelled: a script may wait for something that
   * never comes.
   */
  #next(): Promise<{ done?: boolean; value: Part | undefined }> {
    const { signal } = this.#run;
    const cancelled = new Promise<{ done: true; value: undefined }>((resolve) => {
      const stop = () => resolve({ done: true, value: undefined });
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
    });
    return Promise.race([this.#script.next(), cancelled]);
  }

  /** Ends the run with what the script waits for. */
  #wait(): void {
    const open = this.#open;
    const interrupts = open.flatMap(({ interrupt }) => interrupt ?? []);
    this.#run.waiting = { script: this.#script, open };
    if (interrupts.length > 0) this.#finish({ type: "interrupt", interrupts });
    else this.#finish({ type: "success", pendingToolCallIds: open.map(({ id }) => id) });
  }

  /** Ends the run in the middle of a text; a run that goes on with its message plays the rest. */
  #cut(reason: CutReason): void {
    if (!this.#isTextOpen) this.#openText();
    this.#run.waiting = { script: this.#script, open: [], cut: this.#message! };
    this.#metadata = { pageside: { ...this.#metadata?.pageside, status: "cut", reason } };
    this.#finish();
  }

  /** Goes on with a message that was cut. */
  goOn(messageId: string): void {
    this.#goesOn = this.#continued = messageId;
  }

  /** Takes the answers of the user to what is open. What has none stays open. */
  async resume(open: readonly OpenCall[], answers: Answers): Promise<void> {
    for (const call of open) {
      const answer = call.interrupt && answers.get(call.interrupt.id);
      if (answer) await this.#answer(call, answer);
      else this.#open.push(call);
    }
  }

  /** Settles what will not be answered any more. */
  giveUp(calls: readonly OpenCall[]): void {
    for (const { id } of calls) this.#result(id, JSON.stringify({ error: NOT_EXECUTED }));
  }

  async #answer(call: OpenCall, { status, payload }: { status: string; payload?: unknown }): Promise<void> {
    const { approved, args } = (payload ?? {}) as { approved?: unknown; args?: Json };
    if (!call.outcome) {
      const content = status === "resolved" ? payload : { error: DECLINED };
      return this.#result(call.id, JSON.stringify(content));
    }
    if (status !== "resolved" || approved !== true) return this.#result(call.id, JSON.stringify({ error: DENIED }));
    const metadata = args === undefined ? undefined : { pageside: { args } };
    await this.#execute({ ...call, args: args ?? call.args }, call.outcome, metadata);
  }

  // -------------------------------------------------------------- parts

  async #perform(part: Part): Promise<void> {
    switch (part.kind) {
      case "text":
        return this.#say(made(part.content, this.#script), part.pieces);
      case "reasoning":
        return this.#think(made(part.content, this.#script));
      case "frontend":
      case "backend":
      case "asked":
        return this.#call([part]);
      case "together":
        return this.#call(part.calls);
      case "payload":
        return this.#show(part.card, part.grow);
      case "suggestions": {
        const { values: suggestedValues, actions: suggestedActions } = part;
        this.#metadata = {
          pageside: { suggestedValues: [...suggestedValues], suggestedActions: [...suggestedActions] },
        };
        if (!this.#isTextOpen) this.#openText();
        return;
      }
      case "pause":
        return this.#stage.clock.sleep(part.milliseconds, this.#run.signal);
      case "disconnect":
        await settled(); // what was said before arrives
        return this.#stage.disconnect(this.#run);
      case "event":
        this.#closeText();
        return this.#run.emit(part.event);
      case "refuse":
        throw new Error("only the first part of a script can refuse the run");
      case "cut":
      case "fail":
    }
  }

  async #say(content: string, pieces: readonly string[] = content.match(/\S+\s*|\s+/g) ?? []): Promise<void> {
    if (!this.#isTextOpen) this.#openText();
    for (const [index, delta] of pieces.entries()) {
      if (index > 0 && this.#stage.pace > 0) await this.#stage.clock.sleep(this.#stage.pace, this.#run.signal);
      if (this.#run.signal.aborted) return;
      this.#run.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: this.#message!, delta });
    }
  }

  #openText(): void {
    this.#message = this.#continued ?? this.#stage.names.next("answer");
    if (this.#continued) this.#metadata ??= { pageside: {} };
    this.#continued = undefined;
    this.#isTextOpen = true;
    this.#run.emit({ type: "TEXT_MESSAGE_START", messageId: this.#message, role: "assistant" });
  }

  #closeText(): void {
    if (!this.#isTextOpen) return;
    this.#isTextOpen = false;
    this.#run.emit({
      type: "TEXT_MESSAGE_END",
      messageId: this.#message!,
      ...(this.#metadata && { metadata: this.#metadata }),
    });
    this.#metadata = undefined;
  }

  /** A message that is broken off while it goes on stays marked as it was. */
  #stayCut(): void {
    if (this.#goesOn && this.#message === this.#goesOn) this.#metadata = undefined;
  }

  #think(delta: string): void {
    this.#closeText();
    const messageId = this.#stage.names.next("reasoning");
    this.#run.emit({ type: "REASONING_START", messageId });
    this.#run.emit({ type: "REASONING_MESSAGE_START", messageId, role: "reasoning" });
    this.#run.emit({ type: "REASONING_MESSAGE_CONTENT", messageId, delta });
    this.#run.emit({ type: "REASONING_MESSAGE_END", messageId });
    this.#run.emit({ type: "REASONING_END", messageId });
  }

  #show({ type: activityType, data }: Card, grow: readonly Card["data"][]): void {
    const messageId = this.#stage.names.next("card");
    const show = (content: Card["data"], more?: object) => {
      const metadata = { pageside: { source: "llm", status: "open", ...more } };
      this.#run.emit({ type: "ACTIVITY_SNAPSHOT", messageId, activityType, content, metadata });
    };
    if (grow.length > 0) show(grow[0]!, { streaming: true });
    for (const [index, step] of grow.slice(1).entries()) {
      this.#run.emit({ type: "ACTIVITY_DELTA", messageId, activityType, patch: difference(grow[index]!, step) });
    }
    show(data);
  }

  // -------------------------------------------------------------- calls

  async #call(parts: readonly CallPart[]): Promise<void> {
    this.#closeText();
    this.#message ??= this.#stage.names.next("answer");
    const calls = parts.map((part) => ({ part, call: this.#begin(part) }));
    for (const { call } of calls) this.#run.emit({ type: "TOOL_CALL_END", toolCallId: call.id });
    for (const { part, call } of calls) {
      if (part.kind !== "backend") this.#open.push(call);
      else await this.#execute(call, part.outcome);
    }
    this.#message = undefined; // what follows is another step
  }

  /** A real model calls what it was offered: a misspelt name fails the test that has it. */
  #expectTool(name: string): void {
    const offered = this.#run.input.tools?.map((tool) => tool.name) ?? [];
    if (offered.includes(name)) return;
    const there = offered.length > 0 ? `It offers: ${offered.join(", ")}.` : "It offers none.";
    throw new Error(`the page offers no tool "${name}". ${there}`);
  }

  #begin(part: CallPart): OpenCall {
    if (part.kind === "frontend") this.#expectTool(part.name);
    const toolCallId = part.id ?? this.#stage.names.next("call");
    const args = made(part.args, this.#script);
    this.#run.emit({ type: "TOOL_CALL_START", toolCallId, toolCallName: part.name, parentMessageId: this.#message });
    for (const delta of halvesOf(JSON.stringify(args))) this.#run.emit({ type: "TOOL_CALL_ARGS", toolCallId, delta });
    const call = { id: toolCallId, name: part.name, args };
    if (part.kind !== "asked") return call;
    const interrupt = { ...part.asks, id: this.#stage.names.next("interrupt"), toolCallId };
    return { ...call, interrupt, outcome: part.outcome };
  }

  async #execute(
    { id: toolCallId, name: tool, args }: OpenCall,
    { result = "ok", error, progress = [], takes = 0, payload }: BackendOutcome,
    metadata?: AgUiEvent["metadata"],
  ): Promise<void> {
    const { clock } = this.#stage;
    for (const { after = 0, stage, message = "", progress: fraction } of progress) {
      if (after > 0) await clock.sleep(after, this.#run.signal);
      if (this.#run.signal.aborted) return;
      const value = { toolCallId, tool, stage, message, ...(fraction !== undefined && { progress: fraction }) };
      this.#run.emit({ type: "CUSTOM", name: "tool_progress", value });
    }
    if (takes > 0) await clock.sleep(takes, this.#run.signal);
    if (this.#run.signal.aborted) return;
    const given = typeof result === "function" ? result(args, this.#script.turn) : result;
    const content = error ? { error: { retryable: false, ...error } } : given;
    this.#result(toolCallId, typeof content === "string" ? content : JSON.stringify(content), metadata);
    if (!payload || error) return;
    const messageId = this.#stage.names.next("card");
    const { type: activityType, data } = payload;
    const details = { pageside: { source: "tool", toolCallId, status: "open" } };
    this.#run.emit({ type: "ACTIVITY_SNAPSHOT", messageId, activityType, content: data, metadata: details });
  }

  #result(toolCallId: string, content: string, metadata?: AgUiEvent["metadata"]): void {
    const messageId = `result-${toolCallId}`;
    this.#run.emit({ type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool", ...(metadata && { metadata }) }); // prettier-ignore
  }

  // -------------------------------------------------------------- ends

  #finish(outcome?: (AgUiEvent & { type: "RUN_FINISHED" })["outcome"]): void {
    if (outcome?.type === "cancelled" && this.#goesOn) {
      this.#stayCut();
      this.#run.waiting = { script: this.#script, open: [], cut: this.#goesOn };
    }
    this.#closeText();
    const { id: runId, threadId } = this.#run;
    this.#run.emit({ type: "RUN_FINISHED", threadId, runId, outcome: outcome ?? { type: "success" } });
  }

  #fail(code: string, message: string): void {
    this.#stayCut();
    this.#closeText();
    this.#run.waiting = { script: this.#script, open: [], cut: this.#goesOn }; // for a retry
    this.#run.emit({ type: "RUN_ERROR", code, message });
  }
}

/** A text as it streams. */
function halvesOf(text: string): string[] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

/** The patch from one step of a growing payload to the next, field by field. */
function difference(before: Card["data"], after: Card["data"]): JsonPatchOperation[] {
  const pathOf = (key: string) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const gone = Object.keys(before).filter((key) => !(key in after));
  const changed = Object.entries(after).filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value));
  return [
    ...gone.map((key): JsonPatchOperation => ({ op: "remove", path: pathOf(key) })),
    ...changed.map(([key, value]): JsonPatchOperation => ({ op: "add", path: pathOf(key), value })),
  ];
}

function made<Value extends Json>(value: OrMade<Value>, { turn }: Script): Value {
  return typeof value === "function" ? value(turn) : value;
}
