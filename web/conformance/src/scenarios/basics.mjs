// One question, one answer: text, tools, errors, and what a client may send.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { until } from "../conversation.mjs";

export const basics = {
  "text streams into one message": async (start) => {
    const c = await start().say("say hello");
    assert.equal(c.roles(), "user assistant");
    assert.equal(c.last().content, "Hello! Grüße, 世界 and 👋🏽 from a stream.");
    assert.ok(c.types().filter((t) => t === "TEXT_MESSAGE_CONTENT").length > 1, "the text comes in pieces");
  },

  "reasoning precedes the answer": async (start) => {
    const c = await start().say("think");
    assert.ok(c.types().includes("REASONING_MESSAGE_CONTENT"));
    assert.equal(c.last().content, "I have thought.");
  },

  "two backend calls run in one turn": async (start) => {
    const c = await start().say("weather and time in Ulm");
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
    const [call] = c.unanswered();
    assert.equal(call.function.name, "set_colour");
    assert.deepEqual(JSON.parse(call.function.arguments), { colour: "green" });
    assert.ok(!c.types().includes("TOOL_CALL_RESULT"), "the server does not answer for the page");
    c.answer(call, { colour: "green", ok: true });
    await c.run();
    assert.equal(c.roles(), "user assistant tool assistant");
    assert.equal(c.last().content, "The page is now green.");
  },

  "a mixed turn answers backend calls and leaves the frontend call": async (start) => {
    const c = await start().say("paint and check blue");
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
    assert.equal(c.last().content, "I could not: unknown_tool.");
    assert.match(c.messages.find((m) => m.role === "tool").content, /get_weather/, "the nearest name is suggested");
    assert.deepEqual(c.unanswered(), []);
  },

  "bad arguments never reach the tool": async (start) => {
    const c = await start().say("use bad arguments");
    assert.equal(c.last().content, "Both were refused: invalid_args and invalid_args.");
  },

  "a panic in a tool is an error the model reads": async (start) => {
    const c = await start().say("crash");
    assert.match(c.last().content, /^The tool failed: \w+\.$/);
    await c.goesOn();
  },

  "the step limit ends with an answer": async (start) => {
    const c = await start().say("go on for ever");
    assert.equal(c.types().at(-1), "RUN_FINISHED");
    assert.equal(c.last().content, "I stopped after many steps; this is what I have.");
    assert.deepEqual(c.unanswered(), []);
  },

  "a model error in the middle of the text ends the run with RUN_ERROR": async (start) => {
    const c = await start().say("fail in the middle");
    assert.equal(c.types().at(-1), "RUN_ERROR");
    assert.equal(c.runErrors[0].code, "llm_overloaded");
    assert.match(c.last().content, /^This answer breaks off/);
    await c.goesOn();
  },

  "an answer that was cut is marked and ends well": async (start) => {
    const c = start();
    for (const reason of ["length", "filter"]) {
      await c.say(`be cut by ${reason}`);
      assert.equal(c.types().at(-1), "RUN_FINISHED");
      assert.equal(c.last().content, "Half of an");
      const end = c.turns.at(-1).events.find(({ type }) => type === "TEXT_MESSAGE_END");
      assert.deepEqual(end.metadata, { pageside: { status: "cut", reason } });
    }
    await c.goesOn();
  },

  "a model that says nothing ends the run with RUN_ERROR": async (start) => {
    for (const [question, code] of [
      ["say nothing", "llm_empty"],
      ["look and say nothing", "llm_empty"],
      ["be filtered", "llm_filtered"],
    ]) {
      const c = await start().say(question);
      assert.equal(c.types().at(-1), "RUN_ERROR", question);
      assert.equal(c.runErrors[0].code, code);
      assert.ok(c.runErrors[0].message);
      await c.goesOn();
    }
  },

  "a client that sends the whole history again is understood": async (start) => {
    const c = await start().say("say hello");
    await c.say("second question");
    assert.equal(c.roles(), "user assistant user assistant");
    assert.equal(c.last().content, "Answer two.");
  },

  "a client that sends only what is new is understood": async (start, { threadOf }) => {
    const threadId = randomUUID();
    await start({ threadId }).say("say hello");
    const c = await start({ threadId }).say("second question");
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
    assert.deepEqual(c.types(), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
    assert.equal(c.roles(), "user assistant");
  },

  "messages: [] on a thread that does not exist is empty": async (start) => {
    const c = await start().run();
    assert.deepEqual(c.messages, []);
  },

  "a new message while a call waits closes the call": async (start) => {
    const c = await start().say("paint the page black");
    assert.equal(c.unanswered().length, 1);
    await c.say("say hello");
    assert.deepEqual(c.unanswered(), [], "the server has answered the call");
    assert.match(c.last().content, /^Hello/);
  },

  "page context reaches the model": async (start) => {
    const c = await start().say("what is on the page?", {
      context: [{ description: "Open document", value: '{"title":"Q3 <report>"}' }],
    });
    assert.equal(c.last().content, 'On the page: {"title":"Q3 <report>"}.');
  },

  "a cancelled run ends in order and keeps what was said": async (start, { post, version }) => {
    const c = start();
    const done = c.say("say one for ever");
    await until("the answer begins", () => c.sent("TEXT_MESSAGE_CONTENT"), done);
    await post(`/v1/runs/${c.turns[0].runId}/cancel`);
    await done;
    assert.equal(c.types().at(-1), "RUN_FINISHED");
    assert.equal(c.outcome()?.type ?? "success", version === 1 ? "cancelled" : "success");
    assert.match(c.last().content, /^one/);
    assert.ok(!c.last().content.includes("the end"));
    await c.goesOn();
  },

  "a run that is cancelled while a tool runs answers its calls": async (start, { post, version }) => {
    const c = start();
    const done = c.say("use the slow tool");
    await until("both calls are made", () => c.types().filter((t) => t === "TOOL_CALL_END").length === 2, done);
    await post(`/v1/runs/${c.turns[0].runId}/cancel`);
    await done;
    assert.equal(c.outcome()?.type ?? "success", version === 1 ? "cancelled" : "success");
    assert.deepEqual(c.waiting(), []);
    assert.equal(c.roles(), "user assistant tool tool");
    assert.ok(c.result("slow").error.code);
    await c.goesOn();
  },

  "a late cancel does nothing": async (start, { post }) => {
    const c = await start().say("send a mail to ada");
    await post(`/v1/runs/${c.turns[0].runId}/cancel`);
    await c.resume([c.interrupts[0], { approved: true }]);
    assert.equal(c.last().content, "Mail: ada.");
  },
};
