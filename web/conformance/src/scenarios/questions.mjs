// What the assistant asks the user: select, confirm, text.
import assert from "node:assert/strict";
import { untilExpired } from "../conversation.mjs";

export const questions = {
  "ask_user asks with a schema per kind, and the answers come back in order": async (start) => {
    const c = await start().say("ask me everything");
    assert.deepEqual(
      c.interrupts.map((i) => [i.reason, i.message]),
      [
        ["input_required", "Which range?"],
        ["input_required", "Which logs?"],
        ["confirmation", "Overwrite?"],
        ["input_required", "What name?"],
      ],
    );
    const schemas = c.interrupts.map((i) => i.responseSchema.properties.answer);
    assert.deepEqual(schemas[0], { type: "string", enum: ["today", "week"] });
    assert.deepEqual(schemas[1].items, { type: "string", enum: ["web", "api"] });
    assert.deepEqual(schemas[2], { type: "boolean" });
    assert.equal(schemas[3].type, "string");
    const [range, logs, overwrite, name] = c.interrupts;
    await c.resume(
      [name, { answer: "Größe 7" }],
      [overwrite, { answer: false }],
      [logs, { answer: ["api", "web"] }],
      [range, { answer: "week" }],
    );
    assert.equal(c.last().content, '{"answer":"week"} {"answer":["api","web"]} {"answer":false} {"answer":"Größe 7"}');
    assert.deepEqual(c.waiting(), []);
  },

  "an answer that is not wrapped in an object counts": async (start) => {
    const c = await start().say("ask me which");
    await c.resume([c.interrupts[0], "today"]);
    assert.equal(c.last().content, "You chose today.");
  },

  "an answer that does not fit leaves the question open": async (start) => {
    const c = await start().say("ask me which");
    for (const payload of [{ answer: "year" }, { answer: ["today"] }, {}, 7, undefined]) {
      const [asked] = c.interrupts;
      await c.resume([asked, payload]);
      assert.equal(c.interrupts.length, 1, JSON.stringify(payload));
      assert.equal(c.interrupts[0].id, asked.id);
      assert.match(c.interrupts[0].message, /^Which range\?\n/);
      assert.deepEqual(c.waiting(), ["ask_user"]);
    }
    await c.resume([c.interrupts[0], { answer: "week" }]);
    assert.equal(c.last().content, "You chose week.");
  },

  "a user need not answer": async (start) => {
    const c = await start().say("ask me which");
    await c.resume([c.interrupts[0], "cancelled"]);
    assert.equal(c.last().content, "You chose declined.");
  },

  "a question that has expired is told to the model": async (start) => {
    const c = await start({ agent: "hasty" }).say("ask me which");
    await untilExpired();
    await c.resume([c.interrupts[0], "cancelled"]);
    assert.equal(c.last().content, "You chose expired.");
  },

  "CopilotKit's answer to a question counts once": async (start, { threadOf }) => {
    const c = await start().say("ask me which");
    c.differs = "the client shows its own tool message beside the server's";
    c.answer(c.call("ask_user"), { answer: "week" });
    await c.resume([c.interrupts[0], { answer: "week" }]);
    assert.equal(c.last().content, "You chose week.");
    assert.equal((await threadOf(c.threadId)).filter((m) => m.role === "tool").length, 1);
  },

  "a new message instead of an answer closes the question": async (start) => {
    const c = await start().say("ask me which");
    await c.forgetInterrupts().goesOn();
    assert.equal(c.result("ask_user").error.code, "not_executed");
  },
};
