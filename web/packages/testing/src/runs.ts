/** Begins runs: chooses the script, and finds what is new in the client's messages. */
import { textOf, type Message } from "@pageside/core";
import { toolCallsOf } from "@pageside/core/events";
import type { RunInput } from "./events.js";
import { Names, Performance, type Stage } from "./performance.js";
import type { Reply, Rule } from "./parts.js";
import { Run, type Waiting } from "./run.js";
import { Script, turnOf, type OpenCall } from "./script.js";
import { refusal } from "./streams.js";
import { Thread } from "./threads.js";

/** A minute between two runs, so that sorting by time keeps their order. */
const MINUTE = 60_000;

/** All runs of the agent, and the threads that they are on. */
export class Runs {
  readonly inputs: RunInput[] = [];
  readonly threads = new Map<string, Thread>();
  readonly all = new Map<string, Run>();
  #rules: (Rule & { left: number })[];
  readonly #stage: Stage;
  readonly #starting = new Map<string, Promise<Run | Response>>();
  /** Scripts that refused a message, for when it comes again. */
  readonly #refused = new Map<string, Script>();

  constructor(rules: readonly Rule[], stage: Omit<Stage, "names">) {
    this.#rules = rules.map(withCount);
    this.#stage = { ...stage, names: new Names() };
  }

  add(rule: Rule): void {
    this.#rules = [withCount(rule), ...this.#rules];
  }

  /** The run of a request: a new one, the same one if the request is repeated, or a refusal. */
  start(input: RunInput, body: string): Promise<Run | Response> {
    const known = this.all.get(input.runId);
    if (known && known.body !== body)
      return Promise.resolve(refusal(409, "run_conflict", "There is another run of that id."));
    if (known) return Promise.resolve(known);
    const started = this.#starting.get(input.runId) ?? this.#begin(input, body);
    this.#starting.set(input.runId, started);
    return started.finally(() => this.#starting.delete(input.runId));
  }

  async #begin(input: RunInput, body: string): Promise<Run | Response> {
    const thread = this.threads.get(input.threadId) ?? new Thread(input.threadId);
    const { live } = thread;
    if (live) return refusal(409, "thread_busy", "Another run of the thread goes on.", { details: { runId: live.id } });
    const parent = parentOf(thread, input);
    const before = thread.messages(parent);
    const brought = newOf(input.messages, before);
    const question = brought.findLast(({ role }) => role === "user");
    const waiting = parent?.waiting;
    const { script, refused } = await this.#scriptFor(input, question, waiting, before);
    if (refused) return refused;
    const createdAt = new Date((this.all.size + 1) * MINUTE).toISOString();
    const run = new Run(input, body, { before, brought }, { parent, createdAt });
    this.inputs.push(input);
    this.threads.set(thread.id, thread);
    this.all.set(run.id, run);
    thread.add(run);
    void this.#execute(run, script, waiting);
    return run;
  }

  /** The script to continue, or the one that a rule has for the message. */
  async #scriptFor(
    input: RunInput,
    question: Message | undefined,
    waiting: Waiting | undefined,
    messages: readonly Message[],
  ): Promise<{ script?: Script; refused?: Response }> {
    const { continues } = input.forwardedProps?.pageside ?? {};
    if (continues !== undefined && (question || continues !== waiting?.cut))
      return { refused: refusal(422, "invalid_request", `The message "${continues}" cannot be continued.`) };
    if (!question && waiting && waiting.cut === continues) return { script: waiting.script };
    const asked =
      question ?? (input.messages.length > 0 ? messages.findLast(({ role }) => role === "user") : undefined);
    if (!asked) return {};
    const script = this.#refused.get(asked.id) ?? this.#match(textOf(asked.content), input);
    this.#refused.delete(asked.id);
    if (!script) return {};
    const { done, value: first } = await script.peek().catch(() => ({ done: true, value: undefined }));
    if (done || first?.kind !== "refuse") return { script };
    await script.next();
    this.#refused.set(asked.id, script);
    const { status, code, message, retryAfter } = first;
    return { refused: refusal(status, code, message, { retryAfter }) };
  }

  #match(message: string, input: RunInput): Script | undefined {
    let script: Script | undefined;
    const turn = turnOf(message, input, () => script?.run);
    const rule = this.#rules.find(({ when, left }) => left > 0 && fits(when, message, () => turn));
    const reply: Reply = rule?.reply ?? [{ kind: "fail", code: "no_rule", message: `No rule of the script fits "${message}".` }]; // prettier-ignore
    if (rule) rule.left--;
    return (script = new Script(() => reply, turn));

    function fits(when: Rule["when"], text: string, turnNow: () => typeof turn): boolean {
      if (typeof when === "string") return text.toLowerCase().includes(when.toLowerCase());
      if (typeof when === "function") return when(turnNow());
      return when === undefined || text.search(when) >= 0;
    }
  }

  async #execute(run: Run, script: Script | undefined, waiting: Waiting | undefined): Promise<void> {
    const { id: runId, threadId, input } = run;
    run.emit({ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" });
    const open = withoutResult(waiting?.open ?? [], run.brought);
    if (!script) {
      run.emit({ type: "MESSAGES_SNAPSHOT", messages: [...this.threads.get(threadId)!.messages(run)] });
      return run.emit({ type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } });
    }
    script.run = run;
    const performance = new Performance(run, script, this.#stage);
    if (script === waiting?.script && waiting.cut) performance.goOn(waiting.cut);
    else if (script === waiting?.script) await performance.resume(open, answersOf(input));
    else performance.giveUp(open); // the user went on: it is never executed
    await performance.play();
  }
}

/**
 * The client's messages that the server takes: unknown ones, and results of calls that have none.
 */
function newOf(messages: RunInput["messages"], before: readonly Message[]): Message[] {
  const known = new Set(before.map(({ id }) => id));
  const answered = new Set(before.map((message) => (message.role === "tool" ? message.toolCallId : undefined)));
  const calls = new Set(before.flatMap(toolCallsOf).map(({ id }) => id));
  return messages.filter((message) => {
    if (message.role !== "tool") return !known.has(message.id);
    const isOpen = calls.has(message.toolCallId) && !answered.has(message.toolCallId);
    answered.add(message.toolCallId); // the first one counts
    return isOpen;
  });
}

function withoutResult(open: readonly OpenCall[], brought: readonly Message[]): OpenCall[] {
  const results = new Set(brought.map((message) => (message.role === "tool" ? message.toolCallId : undefined)));
  return open.filter(({ id }) => !results.has(id));
}

/** The parent of a new run: if a message is replaced, the parent of the run that brought it. */
function parentOf(thread: Thread, { forwardedProps }: RunInput): Run | undefined {
  const { replaces } = forwardedProps?.pageside ?? {};
  const replaced = replaces && thread.runs.find(({ brought }) => brought.some(({ id }) => id === replaces));
  return replaced ? replaced.parent : thread.head;
}

function answersOf({ resume = [] }: RunInput): ReadonlyMap<string, { status: string; payload?: unknown }> {
  return new Map(resume.map(({ interruptId, status, payload }) => [interruptId, { status, payload }]));
}

function withCount(rule: Rule): Rule & { left: number } {
  return { ...rule, left: rule.times ?? Infinity };
}
