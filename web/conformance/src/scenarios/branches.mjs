// Edited questions and answers made again: the thread branches, and nothing is overwritten.
import assert from "node:assert/strict";

/**
 * Asks again in place of an earlier question, as a host application does: what came after it goes
 * from the screen.
 */
function instead(c, messageId, content) {
  const at = c.messages.findIndex((m) => m.id === messageId);
  c.agent.setMessages(c.messages.slice(0, at));
  c.differs = "the client drops messages on its own";
  return c.say(content, { forwardedProps: { pageside: { replaces: messageId } } });
}

const texts = (c) => c.messages.map((m) => m.content).join(" | ");

/** The branch the thread shows, as a client that is loaded now sees it. */
async function shown(start, c) {
  return texts(await start({ threadId: c.threadId }).run());
}

export const branches = {
  "a question is asked in place of an earlier one": async (start, { get, patch }) => {
    const c = await start().say("say hello");
    await c.say("second question");
    const first = texts(c);
    const { head } = await get(`/v1/threads/${c.threadId}`);
    await instead(c, c.messages[2].id, "plan my garden");
    assert.equal(c.roles(), "user assistant user assistant activity assistant");
    assert.equal(await shown(start, c), texts(c));

    const { runs } = await get(`/v1/threads/${c.threadId}/runs`);
    const siblings = runs.filter((r) => r.parentRunId === runs[0].id);
    assert.deepEqual(
      siblings.map((r) => [r.userMessage.preview, r.current]),
      [
        ["second question", false],
        ["plan my garden", true],
      ],
    );

    await patch(`/v1/threads/${c.threadId}`, { head });
    assert.equal(await shown(start, c), first, "the other branch is as it was");
    const old = await start({ threadId: c.threadId }).run();
    await old.say("second thoughts");
    assert.equal(await shown(start, c), texts(old), "and goes on");
    await patch(`/v1/threads/${c.threadId}`, { head: siblings[1].id });
    assert.equal(await shown(start, c), texts(c));
  },

  "an answer is made again": async (start, { get }) => {
    const c = await start().say("say hello");
    const question = c.messages[0];
    c.agent.setMessages([]);
    c.differs = "the client drops messages on its own";
    await c.run({ forwardedProps: { pageside: { replaces: question.id } } });
    assert.match(c.last().content, /^Hello/);
    const again = await start({ threadId: c.threadId }).run();
    assert.equal(again.roles(), "user assistant");
    assert.equal(again.messages[0].content, question.content);
    const { runs } = await get(`/v1/threads/${c.threadId}/runs`);
    assert.deepEqual(
      runs.map((r) => [r.parentRunId, r.current]),
      [
        [undefined, false],
        [undefined, true],
      ],
    );
  },

  "the first question can be replaced": async (start) => {
    const c = await start().say("say hello");
    await c.say("second question");
    await instead(c, c.messages[0].id, "think");
    assert.equal(c.roles(), "user reasoning assistant");
    assert.equal(await shown(start, c), texts(c));
  },

  "a branch leaves an open approval behind": async (start, { effects, patch, get }) => {
    const c = await start().say("send a mail to ada");
    const { head } = await get(`/v1/threads/${c.threadId}`);
    const [asked] = c.interrupts;
    await instead(c.forgetInterrupts(), c.messages[0].id, "say hello");
    assert.match(c.last().content, /^Hello/);
    assert.deepEqual((await start({ threadId: c.threadId }).run()).interrupts, []);
    await patch(`/v1/threads/${c.threadId}`, { head });
    const back = await start({ threadId: c.threadId }).run();
    assert.deepEqual(back.interrupts, [asked], "on its branch it is still open");
    await back.resume([asked, { approved: true }]);
    assert.equal(back.last().content, "Mail: ada.");
    assert.equal((await effects(c.threadId)).length, 1);
  },

  "a run goes on from an earlier one": async (start, { get }) => {
    const c = await start().say("say hello");
    const { head } = await get(`/v1/threads/${c.threadId}`);
    await c.say("second question");
    c.agent.setMessages(c.messages.slice(0, 2));
    c.differs = "the client drops messages on its own";
    // No field of the stock clients' runAgent carries it: a host application sets it on the way
    // out.
    const post = c.agent.requestInit.bind(c.agent);
    c.agent.requestInit = (input) => post({ ...input, parentRunId: head });
    await c.say("think");
    assert.equal(c.roles(), "user assistant user reasoning assistant");
    assert.equal(await shown(start, c), texts(c));
  },
};
