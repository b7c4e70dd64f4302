// The AG-UI mode of ml-commons' agents, with a stock client of AG-UI 0.x. ml-commons itself makes
// that client fail at each tool of the page and at each history.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import { quiet } from "./console.mjs";
import { startServer } from "./server.mjs";

const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) });
const paint = { name: "paint", description: "Paints.", parameters: object({ colour: { type: "string" } }) };
const askUser = { name: "ask_user", description: "Asks.", parameters: object({ question: { type: "string" } }) };
const context = [{ description: "Page", value: '{"appId":"discover"}' }];

describe("@ag-ui/client 0.0.59 in the AG-UI mode of ml-commons", () => {
  let server;
  let count = 0;
  before(async () => {
    server = await startServer({ config: { dropIns: ["opensearch"] } });
  });
  after(() => server?.stop());
  const test = (name, work) => it(name, { timeout: 120_000 }, () => quiet(work));

  const id = (kind) => `${kind}-1763800000000-${String(++count).padStart(9, "0")}`;
  const agentOf = (threadId = id("thread"), initialMessages = []) => {
    const url = `${server.url}/_plugins/_ml/agents/default/_execute/stream`;
    return new HttpAgent({ url, threadId, initialMessages });
  };
  /** Runs once, as the plugin asks, and returns what was seen. */
  const run = async (agent, messages, tools = [askUser, paint]) => {
    const events = [];
    let error;
    agent.addMessages(messages.map((m) => ({ id: id("msg"), ...m })));
    const subscriber = {
      onEvent: ({ event }) => void events.push(event),
      onRunErrorEvent: ({ event }) => void (error = event.message),
    };
    const failed = await agent.runAgent({ runId: id("run"), tools, context }, subscriber).then(
      () => undefined,
      (cause) => cause,
    );
    return { events, types: events.map((e) => e.type), error, failed };
  };
  const say = async (agent, content, tools) => {
    const seen = await run(agent, [{ role: "user", content }], tools);
    assert.equal(seen.failed, undefined, "the client fails");
    return seen;
  };
  const textOf = (agent) => agent.messages.findLast((m) => m.role === "assistant" && m.content)?.content;
  const openCall = (agent) => agent.messages.findLast((m) => m.toolCalls).toolCalls.at(-1);
  const result = (call, content) => ({ role: "tool", toolCallId: call.id, content });

  test("text, without what the plugin does not know", async () => {
    const agent = agentOf();
    assert.deepEqual(new Set((await say(agent, "think")).types).has("REASONING_START"), false);
    assert.equal(textOf(agent), "It is 42.");
    await say(agent, "say hello");
    assert.equal(textOf(agent), "Hello! Grüße, 世界 and 👋🏽.");
  });

  test("a tool of the server", async () => {
    const agent = agentOf();
    const { types } = await say(agent, "weather in Ulm");
    assert.equal(types.filter((t) => t === "TOOL_CALL_RESULT").length, 1);
    assert.equal(types.filter((t) => t === "RUN_FINISHED").length, 1);
    assert.equal(textOf(agent), "It has 21 degrees.");
  });

  test("a tool of the page: one end of the run, and the result goes on", async () => {
    for (const [question, answer] of [
      ["paint it red", "The page says: painted."],
      ["weather and paint it red", "With 2 results: painted."],
    ]) {
      const agent = agentOf();
      const { types } = await say(agent, question);
      assert.equal(types.filter((t) => t === "RUN_FINISHED").length, 1);
      const { failed } = await run(agent, [result(openCall(agent), "painted")]);
      assert.equal(failed, undefined);
      assert.equal(textOf(agent), answer);
    }
  });

  for (const [answer, sent, said] of [
    ["yes", ["ada"], "It is sent."],
    ["no", [], "Then I will not."],
  ]) {
    test(`an approval, asked with the plugin's ask_user: ${answer}`, async () => {
      const agent = agentOf();
      server.model.done.mails.length = 0;
      await say(agent, "send a mail to ada");
      const call = openCall(agent);
      assert.equal(call.function.name, "ask_user");
      const { question, type } = JSON.parse(call.function.arguments);
      assert.equal(type, "confirm");
      assert.deepEqual(server.model.done.mails, []);
      const told = result(call, JSON.stringify({ answered: true, question, answer }));
      assert.equal((await run(agent, [told])).failed, undefined);
      assert.equal(textOf(agent), said);
      assert.deepEqual(server.model.done.mails, sent);
    });
  }

  test("errors end the run, and the next question is answered", async () => {
    const agent = agentOf();
    for (const question of ["fail at once", "fail in the middle"]) {
      const { error, types } = await run(agent, [{ role: "user", content: question }]);
      assert.match(error, /vllm\/mock/);
      assert.equal(types.at(-1), "RUN_ERROR");
    }
    await say(agent, "say hello");
    assert.equal(textOf(agent), "Hello! Grüße, 世界 and 👋🏽.");
  });

  test("a long answer is stopped, and the next question answered", async () => {
    const agent = agentOf();
    agent.addMessage({ id: id("msg"), role: "user", content: "count for ever" });
    await agent.runAgent(
      { runId: id("run"), tools: [askUser], context },
      {
        onTextMessageContentEvent: ({ textMessageBuffer }) =>
          void (textMessageBuffer.includes("w2") && agent.abortRun()),
      },
    );
    await say(agent, "say hello");
    assert.equal(textOf(agent), "Hello! Grüße, 世界 and 👋🏽.");
  });

  test("the history, also with a call of the page in it and while an answer is under way", async () => {
    const agent = agentOf();
    await say(agent, "weather in Ulm");
    await say(agent, "paint it red");
    const loaded = agentOf(agent.threadId);
    const { types, failed } = await run(loaded, []);
    assert.equal(failed, undefined);
    assert.deepEqual(types, ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
    const shown = ({ messages }) => messages.map((m) => [m.role, m.content || "", m.toolCalls?.length ?? 0]);
    assert.deepEqual(shown(loaded), shown(agent));
    await run(loaded, [result(openCall(loaded), "painted")]);
    assert.equal(textOf(loaded), "The page says: painted.");

    const slow = agentOf();
    const leave = { onTextMessageContentEvent: () => slow.abortRun() };
    slow.addMessage({ id: id("msg"), role: "user", content: "count slowly" });
    await slow.runAgent({ runId: id("run"), tools: [askUser], context }, leave);
    const back = agentOf(slow.threadId);
    assert.equal((await run(back, [])).failed, undefined);
    assert.match(textOf(back), /w1 .* w60$/);
  });
});
