// Calls of the page and of the server in one turn, and the shapes in which clients bring the page's
// results.
import assert from "node:assert/strict";

const done = "Colour green, weather 3, at the top.";

async function asked(start) {
  const c = await start().say("paint, scroll and look");
  assert.deepEqual(c.waiting(), ["set_colour", "scroll_to"]);
  assert.equal(c.result("get_weather").celsius, 3);
  const types = c.types();
  assert.ok(types.lastIndexOf("TOOL_CALL_RESULT") < types.lastIndexOf("TOOL_CALL_END"), "the page's calls end last");
  return c;
}

export const mixed = {
  "one run brings all results of the page": async (start) => {
    const c = await asked(start);
    c.answer(c.call("set_colour"), { colour: "green" });
    c.answer(c.call("scroll_to"), { to: "top" });
    await c.run();
    assert.equal(c.last().content, done);
    assert.equal(c.roles(), "user assistant tool tool tool assistant");
  },

  "one run per result of the page, in any order": async (start) => {
    const results = { set_colour: { colour: "green" }, scroll_to: { to: "top" } };
    for (const order of [Object.keys(results), Object.keys(results).reverse()]) {
      const c = await asked(start);
      for (const name of order) {
        c.answer(c.call(name), results[name]);
        await c.run();
        if (name === order[0]) assert.deepEqual(c.types(), ["RUN_STARTED", "RUN_FINISHED"], "the model waits");
      }
      assert.equal(c.last().content, done);
    }
  },

  "a result that is sent again changes nothing": async (start, { threadOf }) => {
    const c = await asked(start);
    c.answer(c.call("set_colour"), { colour: "green" });
    await c.run();
    c.differs = "the client shows two results of one call";
    c.answer(c.call("set_colour"), { colour: "red" });
    await c.run();
    c.answer(c.call("scroll_to"), { to: "top" });
    await c.run();
    assert.equal(c.last().content, done, "the first result counts");
    assert.equal((await threadOf(c.threadId)).filter((m) => m.role === "tool").length, 3);
  },

  "a result for a backend call is not the client's to give": async (start, { threadOf }) => {
    const c = await asked(start);
    c.differs = "the client shows a result that the server refuses";
    c.answer(c.call("get_weather"), { celsius: 40 });
    c.answer(c.call("set_colour"), { colour: "green" });
    c.answer(c.call("scroll_to"), { to: "top" });
    await c.run();
    assert.equal(c.last().content, done);
    assert.equal(
      JSON.parse((await threadOf(c.threadId)).find((m) => m.toolCallId === c.call("get_weather").id).content).celsius,
      3,
    );
  },

  "an error of the page is told to the model": async (start) => {
    const c = await asked(start);
    c.answer(c.call("set_colour"), { error: { code: "no_paint", message: "There is no paint." } });
    c.answer(c.call("scroll_to"), { to: "top" });
    await c.run();
    assert.equal(c.last().content, "Colour no_paint, weather 3, at the top.");
  },

  "a message instead of the results closes the calls": async (start) => {
    const c = await asked(start);
    await c.say("say hello");
    assert.equal(c.result("set_colour").error.code, "not_executed");
    assert.equal(c.result("scroll_to").error.code, "not_executed");
    assert.deepEqual(c.waiting(), []);
    assert.match(c.last().content, /^Hello/);
  },

  "a message beside one result closes the other call": async (start) => {
    const c = await asked(start);
    c.answer(c.call("set_colour"), { colour: "green" });
    await c.say("say hello");
    assert.equal(c.result("set_colour").colour, "green");
    assert.equal(c.result("scroll_to").error.code, "not_executed");
    assert.match(c.last().content, /^Hello/);
  },

  "the provider is sent one result per call, in order": async (start, { provider }) => {
    const c = await start({ agent: "provided" }).say("all at once");
    assert.deepEqual(c.waiting(), ["send_mail", "set_colour"]);
    c.answer(c.call("set_colour"), { colour: "red" });
    await c.resume([c.interrupts[0], { approved: false }]);
    assert.equal(c.last().content, "All done.");
    const prompt = provider.lastPrompt();
    const from = prompt.findIndex((m) => m.tool_calls);
    const results = prompt.slice(from + 1, from + 4);
    assert.deepEqual(
      results.map((m) => [m.role, m.tool_call_id]),
      prompt[from].tool_calls.map((t) => ["tool", t.id]),
    );
    assert.match(results[0].content, /denied/);
    assert.match(results[1].content, /red/);
    assert.match(results[2].content, /12:00/);
    assert.equal(prompt.filter((m) => m.role === "tool").length, 3);
  },
};
