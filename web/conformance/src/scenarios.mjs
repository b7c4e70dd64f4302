// The scenarios every stock client must run without an error, a warning or a surprise.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

const setColour = {
  name: "set_colour",
  description: "Paints the page.",
  parameters: { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] },
};

/** One conversation of one stock client. */
class Conversation {
  constructor({ HttpAgent, url, threadId = randomUUID() }) {
    this.agent = new HttpAgent({ url: `${url}/v1/agents/default/run`, threadId });
    this.events = [];
    this.runErrors = [];
  }

  /** Runs the agent with what its messages hold now and collects the events. */
  async run(parameters = {}) {
    this.events = [];
    await this.agent.runAgent(
      { tools: [setColour], ...parameters },
      {
        onEvent: ({ event }) => void this.events.push(event),
        onRunErrorEvent: ({ event }) => void this.runErrors.push(event),
      },
    );
    return this;
  }

  /** Says something and runs. */
  say(content, parameters) {
    this.agent.addMessage({ id: randomUUID(), role: "user", content });
    return this.run(parameters);
  }

  get messages() {
    return this.agent.messages;
  }
  roles() {
    return this.messages.map((m) => m.role).join(" ");
  }
  last() {
    return this.messages.at(-1);
  }
  types() {
    return this.events.map((e) => e.type);
  }
  outcome() {
    return this.events.at(-1).outcome;
  }
  /** The calls that have no result yet, as the host application would find them. */
  unanswered() {
    const answered = new Set(this.messages.filter((m) => m.role === "tool").map((m) => m.toolCallId));
    return this.messages.flatMap((m) => m.toolCalls ?? []).filter((c) => !answered.has(c.id));
  }
  /** Answers a frontend call as the page would. */
  answer(call, result) {
    this.agent.addMessage({ id: randomUUID(), role: "tool", toolCallId: call.id, content: JSON.stringify(result) });
  }
}

function legal(conversation) {
  const types = conversation.types();
  assert.equal(types[0], "RUN_STARTED");
  assert.equal(types.filter((t) => t === "RUN_FINISHED" || t === "RUN_ERROR").length, 1, types.join(" "));
  assert.match(types.at(-1), /RUN_FINISHED|RUN_ERROR/);
}

/** name → (client, server, version) → runs the scenario. */
export const scenarios = {
  "text streams into one message": async (start) => {
    const c = await start().say("say hello");
    legal(c);
    assert.equal(c.roles(), "user assistant");
    assert.equal(c.last().content, "Hello! Grüße, 世界 and 👋🏽 from a stream.");
    assert.ok(c.types().filter((t) => t === "TEXT_MESSAGE_CONTENT").length > 1, "the text comes in pieces");
  },

  "reasoning precedes the answer": async (start) => {
    const c = await start().say("think");
    legal(c);
    assert.ok(c.types().includes("REASONING_MESSAGE_CONTENT"));
    assert.equal(c.last().content, "I have thought.");
  },

  "two backend calls run in one turn": async (start) => {
    const c = await start().say("weather and time in Ulm");
    legal(c);
    assert.equal(c.roles(), "user assistant tool tool assistant");
    assert.equal(c.messages[1].content, "Let me look.");
    assert.deepEqual(
      c.messages[1].toolCalls.map((t) => t.function.name),
      ["get_weather", "get_time"],
    );
    assert.equal(c.last().content, "It is 3 degrees and 12:00 in Ulm.");
    assert.deepEqual(c.unanswered(), []);
  },

  "a frontend tool makes a round trip": async (start) => {
    const c = await start().say("paint the page green");
    legal(c);
    const [call] = c.unanswered();
    assert.equal(call.function.name, "set_colour");
    assert.deepEqual(JSON.parse(call.function.arguments), { colour: "green" });
    assert.ok(!c.types().includes("TOOL_CALL_RESULT"), "the server does not answer for the page");
    c.answer(call, { colour: "green", ok: true });
    await c.run();
    legal(c);
    assert.equal(c.roles(), "user assistant tool assistant");
    assert.equal(c.last().content, "The page is now green.");
  },

  "a mixed turn answers backend calls and leaves the frontend call": async (start) => {
    const c = await start().say("paint and check blue");
    legal(c);
    const pending = c.unanswered();
    assert.deepEqual(
      pending.map((p) => p.function.name),
      ["set_colour"],
    );
    const types = c.types();
    assert.ok(
      types.lastIndexOf("TOOL_CALL_RESULT") < types.lastIndexOf("TOOL_CALL_END"),
      "the frontend call ends after the backend results",
    );
    c.answer(pending[0], { colour: "blue" });
    await c.run();
    assert.equal(c.last().content, "Painted blue, 3 degrees at 12:00.");
  },

  "pending calls are listed for 1.0 and not for 0.x": async (start, { version }) => {
    const c = await start().say("paint the page red");
    const pending = c.unanswered().map((p) => p.id);
    if (version === 1) assert.deepEqual(c.outcome().pendingToolCallIds, pending);
    else assert.equal(c.outcome()?.pendingToolCallIds, undefined);
  },

  "an unknown tool is an error the model reads": async (start) => {
    const c = await start().say("use a tool that does not exist");
    legal(c);
    assert.equal(c.last().content, "I could not: unknown_tool.");
    assert.match(c.messages.find((m) => m.role === "tool").content, /get_weather/, "the nearest name is suggested");
    assert.deepEqual(c.unanswered(), []);
  },

  "bad arguments never reach the tool": async (start) => {
    const c = await start().say("use bad arguments");
    legal(c);
    assert.equal(c.last().content, "Both were refused: invalid_args and invalid_args.");
  },

  "a panic in a tool is an error the model reads": async (start) => {
    const c = await start().say("crash");
    legal(c);
    assert.match(c.last().content, /^The tool failed: \w+\.$/);
    await c.say("say hello");
    assert.match(c.last().content, /^Hello/);
  },

  "the step limit ends with an answer": async (start) => {
    const c = await start().say("go on for ever");
    legal(c);
    assert.equal(c.types().at(-1), "RUN_FINISHED");
    assert.equal(c.last().content, "I stopped after many steps; this is what I have.");
    assert.deepEqual(c.unanswered(), []);
  },

  "a model error in the middle of the text ends the run with RUN_ERROR": async (start) => {
    const c = await start().say("fail in the middle");
    legal(c);
    assert.equal(c.types().at(-1), "RUN_ERROR");
    assert.equal(c.runErrors[0].code, "llm_overloaded");
    assert.match(c.last().content, /^This answer breaks off/);
    await c.say("say hello");
    assert.match(c.last().content, /^Hello/, "the thread goes on");
  },

  "a client that sends the whole history again is understood": async (start) => {
    const c = await start().say("say hello");
    await c.say("second question");
    legal(c);
    assert.equal(c.roles(), "user assistant user assistant");
    assert.equal(c.last().content, "Answer two.");
  },

  "a client that sends only what is new is understood": async (start, { threadOf }) => {
    const threadId = randomUUID();
    await start({ threadId }).say("say hello");
    const c = await start({ threadId }).say("second question");
    legal(c);
    assert.equal(c.last().content, "Answer two.");
    assert.deepEqual(
      (await threadOf(threadId)).map((m) => m.role),
      ["user", "assistant", "user", "assistant"],
    );
  },

  "messages: [] shows the thread and asks no model": async (start) => {
    const threadId = randomUUID();
    await start({ threadId }).say("say hello");
    const c = await start({ threadId }).run();
    legal(c);
    assert.deepEqual(c.types(), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
    assert.equal(c.roles(), "user assistant");
  },

  "messages: [] on a thread that does not exist is empty": async (start) => {
    const c = await start().run();
    legal(c);
    assert.deepEqual(c.messages, []);
  },

  "a new message while a call waits closes the call": async (start) => {
    const c = await start().say("paint the page black");
    assert.equal(c.unanswered().length, 1);
    await c.say("say hello");
    legal(c);
    assert.deepEqual(c.unanswered(), [], "the server has answered the call");
    assert.match(c.last().content, /^Hello/);
  },

  "page context reaches the model": async (start) => {
    const c = await start().say("what is on the page?", {
      context: [{ description: "Open document", value: '{"title":"Q3 <report>"}' }],
    });
    legal(c);
    assert.equal(c.last().content, 'On the page: {"title":"Q3 <report>"}.');
  },

  "a cancelled run ends in order and keeps what was said": async (start, { post, version, threadOf }) => {
    const threadId = randomUUID();
    const c = start({ threadId });
    const runId = randomUUID();
    const done = c.say("wait for it", { runId });
    while (!c.types().includes("TEXT_MESSAGE_CONTENT")) await new Promise((resolve) => setTimeout(resolve, 20));
    await post(`/v1/runs/${runId}/cancel`);
    await done;
    legal(c);
    assert.equal(c.types().at(-1), "RUN_FINISHED");
    assert.equal(c.outcome()?.type ?? "success", version === 1 ? "cancelled" : "success");
    const stored = await threadOf(threadId);
    assert.match(stored.at(-1).content, /^one/);
    assert.ok(!stored.at(-1).content.includes("sixteen"));
  },
};

export { Conversation };
