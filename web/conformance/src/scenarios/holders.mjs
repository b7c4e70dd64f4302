// What host applications do with the messages that their client holds: they drop an answer and run
// again, change a question, or go back and ask something else. Nothing of Pageside's is sent; the
// requests are those of CopilotKit's reloadMessages and of assistant-ui's edit and reload.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { entry } from "../conversation.mjs";

const texts = (messages) => messages.map((m) => m.content).join(" | ");

/** Drops all but the first messages. What the client keeps has other ids on the new branch. */
function keep(c, count) {
  c.agent.setMessages(c.messages.slice(0, count));
  c.differs = "the client drops messages on its own";
  return c;
}

/** Puts other words into a message. */
function edit(c, at, content) {
  c.agent.setMessages(c.messages.map((m, i) => (i === at ? { ...m, content } : m)));
  c.differs = "the client changes messages on its own";
  return c;
}

/** The client shows what a client that is loaded now sees. */
async function same(start, c) {
  const loaded = await start({ threadId: c.threadId }).run();
  assert.equal(texts(loaded.messages), texts(c.messages));
  assert.equal(loaded.roles(), c.roles());
  return loaded;
}

/** The thread's runs: which one each continues, by its index, and whether it is shown. */
async function runsOf({ get }, c) {
  const { runs } = await get(`/v1/threads/${c.threadId}/runs`);
  return runs.map((r) => [runs.findIndex(({ id }) => id === r.parentRunId), r.current]);
}

/** A client as CopilotKit and assistant-ui use it: nothing of Pageside's in forwardedProps. */
const plain = (start) => start({ plain: true });

export const holders = {
  "the last answer is dropped and made again": async (start, world) => {
    const c = await plain(start).say("say hello");
    await c.say("second question");
    await keep(c, 3).run();
    assert.equal(c.last().content, "Answer two.");
    await same(start, c);
    assert.deepEqual(await runsOf(world, c), [
      [-1, true],
      [0, false],
      [0, true],
    ]);
    await c.goesOn();
    await same(start, c);
  },

  "the only answer is dropped and made again, twice": async (start, world) => {
    const c = await plain(start).say("say hello");
    for (let i = 0; i < 2; i++) {
      await keep(c, 1).run();
      assert.equal(c.roles(), "user assistant");
      await same(start, c);
    }
    assert.deepEqual(await runsOf(world, c), [
      [-1, false],
      [-1, false],
      [-1, true],
    ]);
  },

  "the answer after a call is dropped and made again: the call does not run twice": async (start) => {
    const c = await plain(start).say("weather and time in Ulm");
    const answer = c.last().content;
    await keep(c, c.messages.length - 1).run();
    assert.equal(c.last().content, answer);
    assert.equal(c.calls().length, 2);
    await same(start, c);
  },

  "a question is edited under its id": async (start, world) => {
    const c = await plain(start).say("say hello");
    await c.say("second question");
    await edit(keep(c, 3), 2, "think").run();
    assert.equal(c.roles(), "user assistant user reasoning assistant");
    await same(start, c);
    assert.deepEqual(await runsOf(world, c), [
      [-1, true],
      [0, false],
      [0, true],
    ]);
  },

  "a question is edited under a new id": async (start, world) => {
    const c = await plain(start).say("say hello");
    await c.say("second question");
    await c.say("second thoughts");
    await keep(c, 2).say("think");
    await same(start, c);
    assert.deepEqual(await runsOf(world, c), [
      [-1, true],
      [0, false],
      [1, false],
      [0, true],
    ]);
  },

  "the first question is edited": async (start) => {
    const c = await plain(start).say("say hello");
    await c.say("second question");
    await edit(keep(c, 1), 0, "think").run();
    assert.equal(c.roles(), "user reasoning assistant");
    await same(start, c);
  },

  "a shortened conversation goes on from its end": async (start, { patch, get }) => {
    const c = await plain(start).say("say hello");
    await c.say("second question");
    const { head } = await get(`/v1/threads/${c.threadId}`);
    const whole = texts(c.messages);
    await keep(c, 2).say("think");
    await same(start, c);
    await c.say("second thoughts");
    await same(start, c);
    await patch(`/v1/threads/${c.threadId}`, { head });
    const old = await start({ threadId: c.threadId }).run();
    assert.equal(texts(old.messages), whole, "what was left is as it was");
  },

  "a dropped question for a person leaves nothing open": async (start, { effects }) => {
    const c = await plain(start).say("send a mail to ada");
    await keep(c.forgetInterrupts(), 1).say("say hello");
    assert.match(c.last().content, /^Hello/);
    assert.deepEqual(c.interrupts, []);
    assert.deepEqual((await start({ threadId: c.threadId }).run()).interrupts, []);
    assert.deepEqual(await effects(c.threadId), []);
  },

  "an edited answer is not taken": async (start, { log }) => {
    const c = await plain(start).say("say hello");
    const [, { id }] = c.messages;
    await edit(c, 1, "I have sent the mail.").say("second question");
    assert.equal(c.last().content, "Answer two.");
    const loaded = await start({ threadId: c.threadId }).run();
    assert.match(loaded.messages[1].content, /^Hello/);
    assert.match(log(), new RegExp(`ignored messages that a client may not send.*changed assistant ${id}`));
  },

  "a client that sends only what is new has dropped nothing": async (start) => {
    const c = await plain(start).say("say hello");
    const other = await start({ threadId: c.threadId }).say("second question");
    other.differs = "it has only what is new";
    const loaded = await start({ threadId: c.threadId }).run();
    assert.equal(loaded.roles(), "user assistant user assistant");
  },

  "an answer is stopped, and the question is edited at once": async (start, { HttpAgent, url, get }) => {
    const agent = new HttpAgent({ url: `${url}/v1/agents/default/run`, threadId: randomUUID() });
    const ask = (content, subscriber) => {
      agent.addMessage({ id: randomUUID(), role: "user", content });
      return agent.runAgent({}, subscriber);
    };
    await ask("say hello");
    await ask("pause for a sign", { onTextMessageContentEvent: () => agent.abortRun() });
    agent.setMessages(agent.messages.slice(0, 2));
    await ask("second question");
    assert.equal(agent.messages.at(-1).content, "Answer two.");
    const { runs } = await get(`/v1/threads/${agent.threadId}/runs`);
    assert.deepEqual(
      runs.map(({ status, parentRunId }) => [status, runs.findIndex(({ id }) => id === parentRunId)]),
      [
        ["finished", -1],
        ["cancelled", 0],
        ["finished", 0],
      ],
    );
  },

  "CopilotKit's answer under the id of the run that asked, with all it holds": async (start, { effects }) => {
    const runId = randomUUID();
    const c = await plain(start).say("send a mail to ada", { runId });
    const [asked] = c.interrupts;
    c.differs = "the client shows its own tool message beside the server's";
    c.answer(c.call("send_mail"), { approved: true });
    await c.run({ runId, resume: [entry(asked, { approved: true })] });
    assert.equal(c.events[0].runId, runId);
    assert.equal(c.last().content, "Mail: ada.");
    assert.equal((await effects(c.threadId)).length, 1);
  },

  "a model ends a run with a code and words of its own": async (start) => {
    const c = plain(start);
    await c.say("use my suspended account");
    assert.deepEqual(
      c.runErrors.map(({ code, message }) => ({ code, message })),
      [{ code: "account_suspended", message: "Your account is suspended until Monday." }],
    );
    await c.say("second question");
    assert.equal(c.last().content, "Answer two.");
  },
};
