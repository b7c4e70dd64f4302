/** A script's rules: which of them answers a message, and playing what it says. */
import { textOf, type Message } from "@pageside/core";
import type { RunInput } from "./events.js";
import { Performance, type Stage } from "./performance.js";
import { fail, type Rule, type Turn } from "./parts.js";
import type { Run, Waiting } from "./run.js";
import type { Asked, Chosen } from "./runs.js";
import { Script, turnOf, type OpenCall } from "./script.js";
import { refusal } from "./streams.js";

/** The rules of an agent, first one first. */
export class Rules {
  #rules: (Rule & { left: number })[];
  readonly #stage: Stage;
  /** Scripts that refused a message, for when it comes again. */
  readonly #refused = new Map<string, Script>();

  constructor(rules: readonly Rule[], stage: Stage) {
    this.#rules = rules.map(withCount);
    this.#stage = stage;
  }

  add(rule: Rule): void {
    this.#rules = [withCount(rule), ...this.#rules];
  }

  /** The script to continue, or the one that a rule has for the message. */
  async choose({ input, question, waiting, messages }: Asked): Promise<Chosen> {
    const { continues } = input.forwardedProps?.pageside ?? {};
    if (continues !== undefined && (question || continues !== waiting?.cut))
      return refusal(422, "invalid_request", `The message "${continues}" cannot be continued.`);
    const play = (script: Script) => (run: Run) => this.#play(run, script, waiting);
    if (!question && waiting && waiting.cut === continues) return play(waiting.script);
    const asked =
      question ?? (input.messages.length > 0 ? messages.findLast(({ role }) => role === "user") : undefined);
    if (!asked) return undefined;
    const script = this.#refused.get(asked.id) ?? this.#match(textOf(asked.content), input);
    this.#refused.delete(asked.id);
    const { done, value: first } = await script.peek().catch(() => ({ done: true, value: undefined }));
    if (done || first?.kind !== "refuse") return play(script);
    await script.next();
    this.#refused.set(asked.id, script);
    const { status, code, message, retryAfter } = first;
    return refusal(status, code, message, { retryAfter });
  }

  #match(message: string, input: RunInput): Script {
    let script: Script | undefined;
    const turn = turnOf(message, input, () => script?.run);
    const rule = this.#rules.find(({ when, left }) => left > 0 && fits(when, turn));
    if (rule) rule.left--;
    return (script = new Script(rule?.reply ?? fail(`No rule of the script fits "${message}".`, "no_rule"), turn));
  }

  async #play(run: Run, script: Script, waiting: Waiting | undefined): Promise<void> {
    const open = withoutResult(waiting?.open ?? [], run.brought);
    script.run = run;
    const performance = new Performance(run, script, this.#stage);
    if (script === waiting?.script && waiting.cut) performance.goOn(waiting.cut);
    else if (script === waiting?.script) await performance.resume(open, answersOf(run.input));
    else performance.giveUp(open); // the user went on: it is never executed
    await performance.play();
  }
}

function fits(when: Rule["when"], turn: Turn): boolean {
  if (typeof when === "string") return turn.message.toLowerCase().includes(when.toLowerCase());
  if (typeof when === "function") return when(turn);
  return when === undefined || turn.message.search(when) >= 0;
}

function withoutResult(open: readonly OpenCall[], brought: readonly Message[]): OpenCall[] {
  const results = new Set(brought.map((message) => (message.role === "tool" ? message.toolCallId : undefined)));
  return open.filter(({ id }) => !results.has(id));
}

function answersOf({ resume = [] }: RunInput): ReadonlyMap<string, { status: string; payload?: unknown }> {
  return new Map(resume.map(({ interruptId, status, payload }) => [interruptId, { status, payload }]));
}

function withCount(rule: Rule): Rule & { left: number } {
  return { ...rule, left: rule.times ?? Infinity };
}
