// One conversation of one stock client, as a host application would lead it.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { recorded } from "./streams.mjs";

/** The frontend tools of every run that declares no others. */
export const tools = [
  {
    name: "set_colour",
    description: "Paints the page.",
    parameters: { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] },
  },
  {
    name: "scroll_to",
    description: "Scrolls the page.",
    parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  },
];

export class Conversation {
  /**
   * `place` is where the user is, `transport` what is used in place of fetch. A `plain` one knows
   * nothing of Pageside.
   */
  constructor({
    HttpAgent,
    url,
    agent = "default",
    threadId = randomUUID(),
    place,
    plain = false,
    transport = fetch,
    ...config
  }) {
    this.agent = new HttpAgent({
      url: `${url}/v1/agents/${agent}/run`,
      threadId,
      fetch: (address, init) => recorded(transport, address, init, (bytes) => (this.turns.at(-1).bytes = bytes)),
      ...config,
    });
    this.place = place;
    this.plain = plain;
    /**
     * Run by run: what was new when it began, the ids of all there was then and of all there was
     * afterwards, what the host application changed in between, the state it began with, and what
     * came: `{sent, kept, changed, state, held, runId, events, bytes}`.
     */
    this.turns = [];
    this.events = [];
    this.runErrors = [];
    /**
     * Why what the client holds afterwards is not what the server shows, where a scenario means it
     * so.
     */
    this.differs = "";
  }

  /** Runs the agent with what its messages hold now and collects the events. */
  async run({ forwardedProps, runId = randomUUID(), ...parameters } = {}) {
    this.events = [];
    const place = { ...this.place, ...forwardedProps?.pageside };
    const held = new Set(this.turns.at(-1)?.held);
    const before = this.turns.at(-1)?.contents ?? {};
    const changed = this.messages.filter((m) => held.has(m.id) && m.content !== before[m.id]);
    const sent = this.messages.filter((m) => !held.has(m.id)).map((m) => structuredClone(m));
    const kept = this.messages.map((m) => m.id);
    const state = structuredClone(this.agent.state);
    const turn = {
      sent,
      kept,
      changed: structuredClone(changed),
      state,
      held: [],
      runId,
      bytes: () => "",
      events: this.events,
    };
    this.turns.push(turn);
    await this.agent.runAgent(
      { tools, runId, forwardedProps: this.plain ? {} : { ...forwardedProps, pageside: place }, ...parameters },
      {
        onEvent: ({ event }) => void turn.events.push(event),
        onRunErrorEvent: ({ event }) => void this.runErrors.push(event),
      },
    );
    turn.held = this.messages.map((m) => m.id);
    turn.contents = Object.fromEntries(this.messages.map((m) => [m.id, m.content]));
    this.legal();
    return this;
  }

  /** Says something and runs. */
  say(content, parameters) {
    this.agent.addMessage({ id: randomUUID(), role: "user", content });
    return this.run(parameters);
  }

  /** The thread goes on: what is said next is answered. */
  async goesOn() {
    await this.say("say hello");
    assert.match(this.last().content, /^Hello/, "the thread goes on");
  }

  /**
   * Answers interrupts and runs: `[interrupt, answer]`, where the answer is a payload or
   * "cancelled".
   */
  resume(...answers) {
    return this.run({ resume: answers.map(([interrupt, answer]) => entry(interrupt, answer)) });
  }

  /** Is the host application loaded again: the client knows of no interrupt any more. */
  forgetInterrupts() {
    this.agent.pendingInterrupts = [];
    return this;
  }

  /** One terminal event, at the end, and one RUN_STARTED, at the beginning. */
  legal() {
    const types = this.types();
    assert.equal(types[0], "RUN_STARTED");
    assert.equal(types.filter((t) => t === "RUN_STARTED").length, 1, types.join(" "));
    assert.equal(types.filter((t) => t === "RUN_FINISHED" || t === "RUN_ERROR").length, 1, types.join(" "));
    assert.match(types.at(-1), /RUN_FINISHED|RUN_ERROR/);
  }

  get threadId() {
    return this.agent.threadId;
  }
  get messages() {
    return this.agent.messages;
  }
  get interrupts() {
    return this.agent.pendingInterrupts;
  }
  roles() {
    return this.messages.map((m) => m.role).join(" ");
  }
  last() {
    return this.messages.at(-1);
  }
  /** What has happened, for who looks for the cause of a failure. */
  told() {
    const runs = this.turns.map(
      ({ runId, events }) => `run ${runId}: ${events.map((e) => e.type).join(" ") || "no event"}`,
    );
    return [`thread ${this.threadId}`, ...runs].join("\n");
  }
  types() {
    return this.events.map((e) => e.type);
  }
  /** Whether the last run has sent an event of this type. */
  sent(type) {
    return this.types().includes(type);
  }
  outcome() {
    return this.events.at(-1).outcome;
  }
  cards() {
    return this.messages.filter((m) => m.role === "activity");
  }
  calls() {
    return this.messages.flatMap((m) => m.toolCalls ?? []);
  }
  call(name) {
    return this.calls().find((c) => c.function.name === name);
  }
  /** The result of the call of a tool, decoded. */
  result(name) {
    const id = this.call(name)?.id;
    const found = this.messages.filter((m) => m.role === "tool" && m.toolCallId === id);
    assert.ok(found.length < 2, `${name} has ${found.length} results`);
    return found[0] && JSON.parse(found[0].content);
  }
  /** The calls that have no result yet, as the host application would find them. */
  unanswered() {
    const answered = new Set(this.messages.filter((m) => m.role === "tool").map((m) => m.toolCallId));
    return this.calls().filter((c) => !answered.has(c.id));
  }
  /** The names of the tools whose calls have no result yet. */
  waiting() {
    return this.unanswered().map((c) => c.function.name);
  }
  /** Answers a frontend call as the page would. */
  answer(call, result) {
    this.agent.addMessage({ id: randomUUID(), role: "tool", toolCallId: call.id, content: JSON.stringify(result) });
  }
}

/** An entry of resume[]: a payload resolves the interrupt. */
export function entry(interrupt, answer) {
  const interruptId = typeof interrupt === "string" ? interrupt : interrupt.id;
  return answer === "cancelled"
    ? { interruptId, status: "cancelled" }
    : { interruptId, status: "resolved", payload: answer };
}

/** How long anything may take, in milliseconds: a guard against what hangs. */
const PATIENCE = 90_000;

/**
 * Waits until something holds, which another part of the test makes true: `work`, whose failure
 * ends the waiting.
 */
export async function until(what, holds, work) {
  let failure;
  work.catch((error) => (failure = error));
  for (const end = Date.now() + PATIENCE; !holds(); await sleep(5)) {
    if (failure) throw failure;
    if (Date.now() > end) throw new Error(`waited ${PATIENCE / 1000} s in vain until ${what}`);
  }
}

/** Waits until what the agent `hasty` has asked is too old to be answered. */
export const untilExpired = () => sleep(1050);
