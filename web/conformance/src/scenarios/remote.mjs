// An AG-UI agent that is somewhere else, behind the server.
import assert from "node:assert/strict";
import { until } from "../conversation.mjs";

/** Nothing that the agent was sent was wrong. */
function wellAsked(elsewhere) {
  assert.deepEqual(elsewhere.refused.splice(0), []);
}

const door = {
  name: "paint_door",
  description: "Paints the door.",
  parameters: { type: "object", properties: { colour: { type: "string" } } },
};

export const remote = {
  "a remote agent's text, reasoning, steps, state, own calls and activities arrive": async (start, { elsewhere }) => {
    const c = await start({ agent: "far" }).say("everything");
    assert.equal(c.last().content, "Found three.");
    assert.equal(c.roles(), "user reasoning assistant tool activity assistant");
    assert.deepEqual(c.result("look_up"), { found: 3 });
    assert.deepEqual(c.agent.state, { steps: ["thought"] });
    assert.deepEqual(c.events.find((e) => e.type === "CUSTOM" && e.name === "mine").value, { a: null });
    assert.deepEqual(c.events.at(-1).result, { found: 3 });
    wellAsked(elsewhere);
    await c.say("and now?");
    assert.equal(c.last().content, "You have said 2 things.");
    assert.deepEqual(elsewhere.last().state, { steps: ["thought"] });
    wellAsked(elsewhere);
  },

  "a remote agent of AG-UI 0.x is understood": async (start, { elsewhere }) => {
    const c = await start({ agent: "far-0" }).say("go");
    assert.equal(c.roles(), "user reasoning assistant tool assistant");
    assert.equal(c.last().content, "Found three.");
    await c.say("again");
    assert.equal(elsewhere.last().protocolVersion, undefined);
    assert.equal(elsewhere.last().messages.length, 5);
    wellAsked(elsewhere);
  },

  "a remote agent calls the page's tools": async (start, { elsewhere }) => {
    const c = await start({ agent: "far" }).say("paint");
    assert.deepEqual(c.waiting(), ["set_colour"]);
    c.answer(c.call("set_colour"), { painted: "red" });
    await c.run();
    assert.equal(c.last().content, 'The page says {"painted":"red"}.');
    wellAsked(elsewhere);
  },

  "a person approves a remote agent's call of a tool that writes": async (start, { elsewhere }) => {
    const c = await start({ agent: "far" }).say("paint the door", { tools: [door] });
    assert.deepEqual(c.calls(), []);
    assert.equal(c.interrupts[0].reason, "tool_call");
    const asked = elsewhere.inputs.length;
    await c.run({
      tools: [door],
      resume: [{ interruptId: c.interrupts[0].id, status: "resolved", payload: { approved: true } }],
    });
    assert.deepEqual(c.waiting(), ["paint_door"]);
    assert.equal(elsewhere.inputs.length, asked, "the agent was asked before the page had run the call");
    c.answer(c.call("paint_door"), { ok: true });
    await c.run({ tools: [door] });
    assert.equal(c.last().content, 'The page says {"ok":true}.');
    wellAsked(elsewhere);
  },

  "a remote agent's own question goes to the user and the answer back": async (start, { elsewhere }) => {
    const c = await start({ agent: "far" }).say("ask");
    const [asked] = c.interrupts;
    assert.deepEqual([asked.reason, asked.message], ["graph:seat", "Which seat?"]);
    assert.deepEqual(asked.metadata, { node: "book", pageside: { agent: "far" } });
    await c.resume([asked, { seat: 7 }]);
    assert.equal(c.last().content, 'resolved {"seat":7}');
    assert.deepEqual(c.interrupts, []);
    wellAsked(elsewhere);
  },

  "a remote agent that fails, or dies, ends the run with its name": async (start) => {
    const c = await start({ agent: "far" }).say("fail");
    assert.deepEqual(
      [c.runErrors[0].code, c.runErrors[0].message],
      ["agent_error", 'the agent "far" failed: the graph broke'],
    );
    await c.say("die");
    assert.deepEqual(
      [c.runErrors[1].code, c.runErrors[1].message],
      ["agent_broke_off", 'the agent "far" broke off in the middle of its answer'],
    );
    await c.say("hello");
    assert.equal(c.last().content, "You have said 3 things.");
  },

  "a cancelled run ends the request to the remote agent": async (start, { elsewhere, post }) => {
    const c = start({ agent: "far" });
    const left = elsewhere.left;
    const run = c.say("wait");
    await until("it speaks", () => c.sent("TEXT_MESSAGE_CONTENT"), run);
    await post(`/v1/runs/${c.turns.at(-1).runId}/cancel`);
    await run;
    await until("the agent is left", () => elsewhere.left > left, run);
    await c.say("hello");
    assert.equal(c.last().content, "You have said 2 things.");
  },

  "a remote agent cannot rewrite the thread": async (start, { threadOf }) => {
    const c = await start({ agent: "far" }).say("restate");
    assert.deepEqual(
      c.messages.map((m) => `${m.role}: ${m.content}`),
      ["user: restate", "assistant: New words.", "assistant: And more."],
    );
    assert.equal((await threadOf(c.threadId)).filter((m) => m.role === "user").length, 1);
  },
};
