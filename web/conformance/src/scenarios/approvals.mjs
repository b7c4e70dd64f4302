// Calls that a person must agree to: the run ends with an interrupt, and the next one brings the
// answer.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { entry, untilExpired } from "../conversation.mjs";

const mailTo = (to) => `send_mail {"to":"${to}","subject":"Hello"}`;

/**
 * A client that knows the thread only by its id, as after the host application was loaded again.
 */
async function loadedAgain(start, { threadId }) {
  const c = await start({ threadId }).run();
  assert.deepEqual(c.types(), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
  return c;
}

/** A tool of the page with an effect: the client declares none, so it counts as one that writes. */
const tearDown = {
  name: "tear_down",
  description: "Tears down a wall.",
  parameters: { type: "object", properties: { wall: { type: "string" } }, required: ["wall"] },
};
const walls = { tools: [tearDown] };

export const approvals = {
  "a page's tool is given its call once a person has approved it": async (start) => {
    const c = await start().say("tear down the east wall", walls);
    assert.equal(c.outcome().type, "interrupt");
    assert.deepEqual(c.interrupts[0].metadata.pageside.args, { wall: "east" });
    assert.deepEqual(c.calls(), [], "the client has nothing that it could run");
    await c.run({ ...walls, resume: [entry(c.interrupts[0], { approved: true, args: { wall: "west" } })] });
    assert.deepEqual(c.waiting(), ["tear_down"]);
    const call = c.call("tear_down");
    assert.deepEqual(JSON.parse(call.function.arguments), { wall: "west" });
    c.answer(call, { state: "down" });
    await c.run(walls);
    assert.equal(c.last().content, "The wall: gone.");
  },

  "a page's tool is not given a call that is refused": async (start) => {
    const c = await start().say("tear down the east wall", walls);
    await c.run({ ...walls, resume: [entry(c.interrupts[0], { approved: false })] });
    assert.deepEqual(c.waiting(), []);
    assert.equal(c.result("tear_down").error.code, "denied");
    assert.equal(c.last().content, "The wall: denied.");
  },

  "a result for a call that waits for a person is not taken": async (start) => {
    const c = await start().say("tear down the east wall", walls);
    const [asked] = c.interrupts;
    const forged = { id: randomUUID(), role: "tool", toolCallId: asked.toolCallId, content: '{"state":"forged"}' };
    const forger = await start({ threadId: c.threadId }).run(walls);
    forger.differs = "the server has not taken the forged result";
    forger.agent.addMessage(forged);
    await forger.run({ ...walls, resume: [entry(asked, { approved: false })] });
    const shown = await loadedAgain(start, c);
    assert.equal(shown.result("tear_down").error.code, "denied");
  },

  "a client that draws no interrupts is asked in words, and its user's yes decides": async (start, { effects }) => {
    for (const [answer, ran] of [
      ["yes", [mailTo("ada")]],
      ["no", []],
      ["say hello", []],
    ]) {
      const c = await start({ agent: "speaking" }).say("send a mail to ada");
      assert.deepEqual(c.interrupts, []);
      assert.match(c.last().content, /^The assistant wants to run send_mail\..*"to":"ada".*Answer \*\*yes\*\*/s);
      assert.deepEqual(await effects(c.threadId), []);
      await c.say(answer);
      assert.match(c.last().content, /^(As you wish\.|Hello)/);
      assert.deepEqual(await effects(c.threadId), ran);
    }
  },

  "a call of the page's tool that was asked about in words goes out after a yes": async (start) => {
    const c = await start({ agent: "speaking" }).say("tear down the east wall", walls);
    assert.deepEqual(c.calls(), [], "the client has nothing that it could run");
    await c.say("yes", walls);
    assert.deepEqual(c.waiting(), ["tear_down"]);
  },

  "a call that needs approval ends the run with an interrupt": async (start, { effects, version }) => {
    const c = await start().say("send a mail to ada");
    assert.equal(c.outcome().type, "interrupt");
    assert.deepEqual(c.interrupts, c.outcome().interrupts, "the client keeps what it was asked");
    const [asked] = c.interrupts;
    assert.equal(asked.reason, "tool_call");
    assert.equal(asked.toolCallId, c.call("send_mail").id);
    assert.equal(asked.message, "The assistant wants to run send_mail.");
    assert.equal(asked.responseSchema.properties.approved.type, "boolean");
    assert.deepEqual(asked.metadata, {
      pageside: { tool: "send_mail", effect: "exfil", summary: "Sends a mail.", args: { to: "ada", subject: "Hello" } },
    });
    if (version === 1) assert.ok(Date.parse(asked.expiresAt) > Date.now() + 3600_000);
    else assert.equal(asked.expiresAt, undefined, "a 0.x client would block the thread for ever");
    assert.deepEqual(c.waiting(), ["send_mail"]);
    assert.equal(c.roles(), "user assistant");
    assert.deepEqual(await effects(c.threadId), []);
  },

  "an approved call runs once and the model goes on": async (start, { effects }) => {
    const c = await start().say("send a mail to ada");
    await c.resume([c.interrupts[0], { approved: true }]);
    assert.equal(c.outcome()?.type ?? "success", "success");
    assert.deepEqual(c.interrupts, []);
    assert.equal(c.roles(), "user assistant tool assistant");
    assert.deepEqual(c.result("send_mail").args, { to: "ada", subject: "Hello" });
    assert.equal(c.last().content, "Mail: ada.");
    assert.deepEqual(await effects(c.threadId), [mailTo("ada")]);
  },

  "a denied call never runs and the model is told why": async (start, { effects }) => {
    const c = await start().say("send a mail to ada");
    await c.resume([c.interrupts[0], { approved: false, reason: "not on a Sunday" }]);
    assert.equal(c.result("send_mail").error.code, "denied");
    assert.match(c.result("send_mail").error.message, /not on a Sunday/);
    assert.equal(c.last().content, "Mail: denied.");
    assert.deepEqual(await effects(c.threadId), []);
  },

  "anything but true denies": async (start, { effects }) => {
    for (const payload of [{ approved: "true" }, { approved: 1 }, {}, "yes", true, null, [true], undefined]) {
      const c = await start().say("send a mail to ada");
      await c.resume([c.interrupts[0], payload]);
      assert.equal(c.last().content, "Mail: denied.", JSON.stringify(payload));
      assert.deepEqual(await effects(c.threadId), [], JSON.stringify(payload));
    }
  },

  "a cancelled answer denies": async (start, { effects }) => {
    const c = await start().say("send a mail to ada");
    await c.resume([c.interrupts[0], "cancelled"]);
    assert.equal(c.last().content, "Mail: denied.");
    assert.deepEqual(c.interrupts, []);
    assert.deepEqual(await effects(c.threadId), []);
  },

  "edited arguments are what runs": async (start, { effects }) => {
    const c = await start().say("send a mail to ada");
    await c.resume([c.interrupts[0], { approved: true, args: { to: "bob", subject: "Hello" } }]);
    assert.deepEqual(await effects(c.threadId), [mailTo("bob")]);
    assert.equal(c.last().content, "Mail: changed.", "the model is told");
    const told = c.messages.find((m) => m.role === "tool");
    assert.deepEqual(told.metadata, { pageside: { args: { to: "bob", subject: "Hello" } } }, "and so is whoever reads");
    assert.deepEqual(JSON.parse(c.call("send_mail").function.arguments).to, "ada", "what the model asked for stays");
  },

  "edited arguments that do not fit leave the question open": async (start, { effects }) => {
    const c = await start().say("send a mail to ada");
    const [asked] = c.interrupts;
    await c.resume([asked, { approved: true, args: { to: 7 } }]);
    assert.equal(c.outcome().type, "interrupt");
    assert.equal(c.interrupts[0].id, asked.id);
    assert.match(c.interrupts[0].message, /\$\.to: expected string/);
    assert.deepEqual(c.waiting(), ["send_mail"]);
    assert.deepEqual(await effects(c.threadId), []);
    await c.resume([c.interrupts[0], { approved: true, args: { to: "bob", subject: "Hello" } }]);
    assert.deepEqual(await effects(c.threadId), [mailTo("bob")]);
  },

  "several open at once are answered at once": async (start, { effects }) => {
    const c = await start().say("clean up");
    assert.deepEqual(
      c.interrupts.map((i) => i.metadata.pageside.tool),
      ["send_mail", "delete_file", "delete_file"],
    );
    const [mail, a, b] = c.interrupts;
    await c.resume([b, { approved: true }], [mail, { approved: false }], [a, { approved: true }]);
    assert.equal(c.last().content, "denied, delete_file, delete_file.", "results in the order of the calls");
    assert.deepEqual((await effects(c.threadId)).sort(), ['delete_file {"path":"/a"}', 'delete_file {"path":"/b"}']);
  },

  "an answer to some leaves the others open": async (start, { effects }) => {
    const c = await start().say("clean up");
    const [mail, a, b] = c.interrupts;
    c.forgetInterrupts(); // the stock client insists on answering all of them
    await c.resume([a, { approved: true }]);
    assert.deepEqual(
      c.interrupts.map((i) => i.id),
      [mail.id, b.id],
      "the rest is asked again",
    );
    assert.deepEqual(await effects(c.threadId), ['delete_file {"path":"/a"}'], "what was approved runs at once");
    assert.equal(c.roles(), "user assistant tool", "the model waits for all");
    await c.resume([mail, { approved: true }], [b, "cancelled"]);
    assert.equal(c.last().content, "send_mail, delete_file, denied.");
    assert.equal((await effects(c.threadId)).length, 2);
  },

  "the same answer twice counts once": async (start, { effects }) => {
    const c = await start().say("send a mail to ada");
    const [asked] = c.interrupts;
    await c.resume([asked, { approved: true }]);
    const held = c.messages.length;
    await c.resume([asked, { approved: true }]);
    assert.equal(c.messages.length, held);
    await c.resume([asked, { approved: false }]);
    assert.equal(c.messages.length, held, "nor can it be taken back");
    assert.deepEqual(await effects(c.threadId), [mailTo("ada")]);
  },

  "the same run twice is one run": async (start, { effects }) => {
    const c = await start().say("send a mail to ada");
    const asked = c.interrupts;
    const runId = randomUUID();
    const answer = { runId, resume: [entry(asked[0], { approved: true })] };
    const second = start({ threadId: c.threadId, initialMessages: structuredClone(c.messages) });
    second.agent.pendingInterrupts = structuredClone(asked);
    await Promise.all([c.run(answer), second.run(answer)]);
    assert.equal(c.last().content, "Mail: ada.");
    assert.equal(second.last().content, "Mail: ada.");
    assert.deepEqual(await effects(c.threadId), [mailTo("ada")]);
  },

  "an answer to a question nobody asked changes nothing": async (start, { effects }) => {
    const c = await start().say("send a mail to ada");
    const [asked] = c.interrupts;
    c.forgetInterrupts();
    await c.resume(["int_never", { approved: true }]);
    assert.deepEqual(c.interrupts, [asked], "what is open is asked again");
    assert.deepEqual(await effects(c.threadId), []);
    await c.resume(["int_never", { approved: true }], [asked, { approved: true }]);
    assert.equal(c.last().content, "Mail: ada.");
  },

  "an answer after its time runs nothing": async (start, { effects }) => {
    const c = await start({ agent: "hasty" }).say("send a mail to ada");
    const [asked] = c.interrupts;
    await untilExpired();
    c.forgetInterrupts(); // the 1.0 client refuses to send it
    await c.resume([asked, { approved: true }]);
    assert.equal(c.last().content, "Mail: expired.");
    assert.deepEqual(await effects(c.threadId), []);
  },

  "an interrupt that has expired blocks no thread": async (start, { effects }) => {
    const c = await start({ agent: "hasty" }).say("send a mail to ada");
    await untilExpired();
    await c.resume([c.interrupts[0], "cancelled"]);
    assert.equal(c.last().content, "Mail: expired.");
    await c.goesOn();
    assert.deepEqual(await effects(c.threadId), []);
  },

  "a client that is loaded again is asked again": async (start, { effects }) => {
    const c = await start().say("send a mail to ada");
    const again = await loadedAgain(start, c);
    assert.deepEqual(again.interrupts, c.interrupts);
    await again.resume([again.interrupts[0], { approved: true }]);
    assert.equal(again.last().content, "Mail: ada.");
    assert.deepEqual(await effects(c.threadId), [mailTo("ada")]);
  },

  ...Object.fromEntries(
    [
      ["instead of an answer closes the call", undefined, "not_executed"],
      ["beside a refusal is answered", "cancelled", "denied"],
      ["beside an approval is answered after the call ran", { approved: true }],
    ].map(([title, answer, refused]) => [
      `a new message ${title}`,
      async (start, { effects }) => {
        const c = await start().say("send a mail to ada");
        const [asked] = c.interrupts;
        if (!answer) c.forgetInterrupts();
        await c.say("say hello", answer && { resume: [entry(asked, answer)] });
        assert.equal(c.result("send_mail").error?.code, refused);
        assert.deepEqual(c.waiting(), []);
        assert.match(c.last().content, /^Hello/);
        assert.deepEqual(await effects(c.threadId), refused ? [] : [mailTo("ada")]);
      },
    ]),
  ),

  "an approval waits beside backend calls and a call of the page": async (start, { effects, version }) => {
    const c = await start().say("mail and paint blue");
    assert.equal(c.outcome().type, "interrupt");
    assert.deepEqual(c.waiting(), ["send_mail", "set_colour"]);
    assert.equal(c.result("get_weather").celsius, 3);
    assert.equal(c.result("get_time").time, "12:00");
    c.answer(c.call("set_colour"), { colour: "blue" });
    await c.resume([c.interrupts[0], { approved: true }]);
    assert.equal(c.last().content, "Weather 3, mail ada, colour blue, time 12:00.");
    assert.deepEqual(await effects(c.threadId), ['send_mail {"to":"ada"}']);
    if (version === 1) assert.equal(c.outcome()?.pendingToolCallIds, undefined);
  },

  "the person answers first, the page later": async (start, { effects }) => {
    const c = await start().say("mail and paint blue");
    await c.resume([c.interrupts[0], { approved: true }]);
    assert.deepEqual(c.waiting(), ["set_colour"]);
    assert.deepEqual(await effects(c.threadId), ['send_mail {"to":"ada"}']);
    c.answer(c.call("set_colour"), { colour: "blue" });
    await c.run();
    assert.equal(c.last().content, "Weather 3, mail ada, colour blue, time 12:00.");
  },

  "the page answers first, the person later": async (start, { effects }) => {
    const c = await start().say("mail and paint blue");
    const [asked] = c.interrupts;
    c.answer(c.call("set_colour"), { colour: "blue" });
    await c.forgetInterrupts().run();
    assert.deepEqual(c.interrupts, [asked], "the person is asked again");
    assert.deepEqual(c.waiting(), ["send_mail"]);
    await c.resume([asked, { approved: false }]);
    assert.equal(c.last().content, "Weather 3, mail denied, colour blue, time 12:00.");
    assert.deepEqual(await effects(c.threadId), []);
  },

  "what the page shows makes a write ask first": async (start, { effects }) => {
    const plain = await start().say("save what I see", { tools: [] });
    assert.equal(plain.last().content, "Note: seen.", "nothing untrusted was read");
    const c = await start().say("save what I see", { context: [{ description: "Open document", value: "{}" }] });
    assert.equal(c.interrupts[0].metadata.pageside.tool, "save_note");
    assert.deepEqual(await effects(c.threadId), []);
    await c.resume([c.interrupts[0], { approved: true }]);
    assert.equal(c.last().content, "Note: seen.");
    assert.equal((await effects(c.threadId)).length, 1);
  },

  "what the page has shown makes a write ask in later turns": async (start, { effects }) => {
    const c = start();
    await c.say("say hello", { tools: [], context: [{ description: "Open document", value: "{}" }] });
    await c.say("save what I see", { tools: [] });
    assert.equal(c.interrupts[0].metadata.pageside.tool, "save_note");
    assert.deepEqual(await effects(c.threadId), []);
  },

  "what the page shows makes a write ask, what its developer declares does not": async (start, { effects }) => {
    const unasked = await start().say("save what I see");
    assert.deepEqual(unasked.interrupts, []);
    assert.equal((await effects(unasked.threadId)).length, 1);
    const c = await start().say("save what I see", { context: [{ description: "the page", value: "a note" }] });
    assert.equal(c.interrupts[0].metadata.pageside.tool, "save_note");
    assert.deepEqual(await effects(c.threadId), []);
  },

  "CopilotKit's answer, resume and tool message, counts once": async (start, { effects, threadOf }) => {
    for (const [payload, said, ran] of [
      [{ approved: true }, "Mail: ada.", [mailTo("ada")]],
      [{ approved: false }, "Mail: denied.", []],
    ]) {
      const c = await start().say("send a mail to ada");
      c.differs = "the client shows its own tool message beside the server's";
      c.answer(c.call("send_mail"), payload);
      await c.resume([c.interrupts[0], payload]);
      assert.equal(c.last().content, said);
      assert.deepEqual(await effects(c.threadId), ran);
      const stored = (await threadOf(c.threadId)).filter((m) => m.role === "tool");
      assert.equal(stored.length, 1, "the thread has one result");
      assert.notEqual(stored[0].content, JSON.stringify(payload), "and it is the server's");
      await c.goesOn(); // the tool message, sent again, does no harm
      assert.deepEqual(await effects(c.threadId), ran);
    }
  },

  "a tool message alone approves nothing": async (start, { effects }) => {
    const c = await start().say("send a mail to ada");
    const [asked] = c.interrupts;
    c.differs = "the client shows a tool message that the server refuses";
    c.answer(c.call("send_mail"), { approved: true });
    await c.forgetInterrupts().run();
    assert.deepEqual(c.interrupts, [asked], "the person is asked again");
    assert.deepEqual(await effects(c.threadId), []);
    await c.resume([asked, { approved: true }]);
    assert.equal(c.last().content, "Mail: ada.");
    assert.deepEqual(await effects(c.threadId), [mailTo("ada")]);
  },
};
