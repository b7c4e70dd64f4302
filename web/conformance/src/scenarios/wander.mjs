// Conversations that go anywhere: whatever a client and its user do in whatever order, no client
// complains, nothing runs that nobody approved, nothing approved runs twice, and the thread goes
// on. CONFORMANCE_SEEDS=100 plays more of them.
import assert from "node:assert/strict";
import { entry } from "../conversation.mjs";
import { breaking, randomOf } from "../streams.mjs";

const plain = [
  "say hello",
  "think",
  "second question",
  "weather and time in Ulm",
  "plan my garden",
  "plan badly",
  "chart of 1,2",
];
const odd = ["use bad arguments", "crash", "fail in the middle", "plan the week and the month"];
const waiting = [
  "send a mail to ada",
  "clean up",
  "mail and paint blue",
  "paint, scroll and look",
  "ask me which",
  "ask me everything",
];
const sayings = [...plain, ...odd, ...waiting, ...waiting];

const results = { set_colour: { colour: "blue" }, scroll_to: { to: "top" } };

/** One user with one client at a time. */
class Wanderer {
  constructor(start, world, seed) {
    Object.assign(this, { start, world, random: randomOf(seed), answered: new Set(), approved: 0, steps: [] });
    this.client = this.open();
  }

  open(threadId) {
    const size = 200 + this.random(4000);
    const transport = this.random(3) === 0 ? breaking(this.world.url, this.world.query, this.random, size) : fetch;
    return this.start({ threadId, transport });
  }
  one(list) {
    return list[this.random(list.length)];
  }

  /** An answer to an interrupt, and whether it approves a call. */
  answerTo({ reason, responseSchema }) {
    const yes = { approved: true };
    if (reason === "tool_call") return this.one([yes, yes, yes, yes, { approved: false }, "cancelled", 7]);
    const { type, enum: options } = responseSchema.properties.answer;
    const fitting = { string: options?.[0] ?? "text", boolean: true, array: ["web"] }[type];
    return this.one([{ answer: fitting }, fitting, "cancelled", { answer: 7 }]);
  }

  /**
   * Answers interrupts. After a run that failed the stock clients want those answered again that
   * they answered already.
   */
  resume(interrupts) {
    const answers = interrupts.map((i) => entry(i, this.answerTo(i)));
    for (const { interruptId, payload } of answers) {
      if (!this.answered.has(interruptId) && payload?.approved === true) this.approved++;
      this.answered.add(interruptId);
    }
    return answers;
  }

  async step() {
    const c = this.client;
    const open = [...c.interrupts];
    const ways = {
      say: () => c.forgetInterrupts().say(this.one(sayings)),
      answer: () => c.run({ resume: this.resume(open) }),
      answerSome: () => c.forgetInterrupts().run({ resume: this.resume(open.filter(() => this.random(2) === 0)) }),
      answerAndSay: () => c.say(this.one(sayings), { resume: this.resume(open) }),
      act: () => {
        for (const call of c.unanswered()) {
          if (results[call.function.name] && this.random(3) > 0) c.answer(call, results[call.function.name]);
        }
        return c.run({ resume: this.resume(open) });
      },
      again: () => c.forgetInterrupts().run(),
      reload: async () => {
        this.client = this.open(c.threadId);
        await this.client.run();
      },
      decide: async () => {
        const cards = c.cards().filter((m) => m.metadata.pageside.status !== "failed");
        if (cards.length === 0) return;
        const status = this.one(["accepted", "dismissed", "open"]);
        await this.world.put(`/v1/threads/${c.threadId}/payloads/${this.one(cards).id}`, { status });
        await ways.reload();
      },
    };
    const possible = open.length > 0 ? Object.keys(ways) : ["say", "say", "act", "again", "reload", "decide"];
    const way = this.one(possible);
    this.steps.push(way);
    await ways[way]();
  }
}

async function wander(start, world, seed) {
  const w = new Wanderer(start, world, seed);
  try {
    await w.client.say("say hello");
    for (let i = 0; i < 14; i++) await w.step();
    await w.client.forgetInterrupts().goesOn();
    assert.deepEqual(w.client.waiting(), []);
    const { effects } = world;
    assert.equal((await effects(w.client.threadId)).length, w.approved, "what ran is what was approved");
  } catch (error) {
    throw new Error(`seed ${seed}: ${w.steps.join(" ")}`, { cause: error });
  }
}

export const wandering = Object.fromEntries(
  Array.from({ length: Number(process.env.CONFORMANCE_SEEDS ?? 8) }, (_, seed) => [
    `a conversation that goes anywhere (${seed + 1})`,
    (start, world) => wander(start, world, seed + 1),
  ]),
);
