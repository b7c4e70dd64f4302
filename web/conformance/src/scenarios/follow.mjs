// Streams read again, from anywhere: a run belongs to the server, and a connection that breaks
// costs nothing.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { connected, follower, plain, reloads, replays } from "../checks.mjs";
import { Conversation, until } from "../conversation.mjs";
import { withServer } from "../server.mjs";
import { breaking, frames, idOf, randomOf, textOf } from "../streams.mjs";

/** What a client holds after it has read a stream. */
async function held(HttpAgent, stream, threadId, initialMessages = []) {
  const reader = follower(HttpAgent, { url: "http://stream.test", threadId, initialMessages });
  reader.fetch = async () => new Response(stream, { headers: { "Content-Type": "text/event-stream" } });
  await reader.runAgent();
  return plain(reader.messages);
}

const questions = [
  "plan my garden",
  "weather and time in Ulm",
  "think",
  "mail and paint blue",
  "read all rows",
  "fail in the middle",
];

export const follow = {
  "a connection that breaks anywhere is joined to the same bytes": async (start, { url, query }) => {
    const random = randomOf(20261);
    for (const question of questions) {
      for (const size of [200, 1500]) {
        const c = start({ transport: breaking(url, query, random, size) });
        await c.say(question);
        const whole = await textOf(`${url}/v1/runs/${c.turns[0].runId}/events${query}`);
        assert.equal(c.turns[0].bytes(), whole, `${question}, broken about every ${size} characters`);
        assert.equal(c.messages.length > 1, true);
      }
    }
  },

  "a connection that breaks while the model writes is joined": async (start, { url, query }) => {
    const c = start({ transport: breaking(url, query, randomOf(7), 600) });
    await c.say("wait for it", { runId: randomUUID() });
    assert.equal(c.last().content.split(" ").length, 16);
    assert.equal(c.turns[0].bytes(), await textOf(`${url}/v1/runs/${c.turns[0].runId}/events${query}`));
  },

  "a run is read on from every event": async (start, { url, query }) => {
    const c = await start().say("weather and time in Ulm");
    const address = `${url}/v1/runs/${c.turns[0].runId}/events${query}`;
    const whole = frames(await textOf(address));
    assert.ok(whole.length > 15);
    for (let i = 0; i < whole.length; i++) {
      const rest = await textOf(address, { "Last-Event-ID": idOf(whole[i]) });
      assert.equal(rest, whole.slice(i + 1).join(""), `from ${idOf(whole[i])}`);
    }
    const separator = query === "" ? "?" : "&";
    assert.equal(await textOf(`${address}${separator}lastEventId=${idOf(whole[3])}`), whole.slice(4).join(""));
  },

  "a second tab follows a live run": async (start, { url, query, HttpAgent, release }) => {
    const c = start();
    const runId = randomUUID();
    const done = c.say("pause for a sign", { runId });
    await until("the run waits", () => c.sent("TOOL_CALL_END"), done);
    const tab = connected({ HttpAgent, url, threadId: c.threadId, query });
    const run = await fetch(`${url}/v1/runs/${runId}/events${query}`); // it is there, the run not over
    await release(c.threadId);
    await done;
    assert.deepEqual(plain((await tab).messages), plain(c.messages));
    assert.equal(await run.text(), c.turns[0].bytes());
  },

  "a thread's stream is legal from any position": async (start, { url, query, HttpAgent }) => {
    const c = await start().say("plan my garden");
    await c.say("send a mail to ada");
    await c.resume([c.interrupts[0], { approved: true }]);
    await c.say("think");
    const address = `${url}/v1/threads/${c.threadId}/events${query}`;
    const want = plain(c.messages);
    const whole = await textOf(address);
    assert.deepEqual(await held(HttpAgent, whole, c.threadId), want);
    // A client that was cut off somewhere in the second run, with what it had until then.
    const [first, second] = c.turns;
    const log = frames(second.bytes());
    const before = await held(HttpAgent, first.bytes(), c.threadId, first.sent);
    for (const cut of [1, 3, log.length - 1, log.length]) {
      const rest = await textOf(address, { "Last-Event-ID": idOf(log[cut - 1]) });
      const joined = log.slice(0, cut).join("") + rest;
      assert.deepEqual(
        await held(HttpAgent, joined, c.threadId, [...before, ...second.sent]),
        want,
        `cut after ${cut}`,
      );
    }
    for (const id of frames(whole).map(idOf)) {
      const rest = await textOf(address, { "Last-Event-ID": id });
      if (rest !== "") await held(HttpAgent, rest, c.threadId);
    }
  },

  "an ended thread is connected to with its cards and questions": async (start, { url, query, HttpAgent }) => {
    const c = await start().say("plan my garden");
    await c.say("mail and paint blue");
    const tab = await connected({ HttpAgent, url, threadId: c.threadId, query });
    assert.deepEqual(tab.pendingInterrupts, c.interrupts);
    assert.deepEqual(tab.messages.find((m) => m.role === "activity").content, c.cards()[0].content);
  },

  "a run that its client leaves goes on": async (start, { url, query, HttpAgent, release }) => {
    const agent = new HttpAgent({ url: `${url}/v1/agents/default/run`, threadId: randomUUID() });
    agent.addMessage({ id: randomUUID(), role: "user", content: "pause for a sign" });
    const runId = randomUUID();
    await agent.runAgent({ runId }, { onTextMessageContentEvent: () => agent.abortRun() });
    assert.ok(!JSON.stringify(agent.messages).includes("sixteen"));
    await release(agent.threadId);
    const all = await textOf(`${url}/v1/runs/${runId}/events${query}`);
    assert.match(frames(all).at(-1), /RUN_FINISHED/);
    const again = await start({ threadId: agent.threadId }).run();
    assert.equal(again.roles(), "user assistant tool assistant");
    assert.equal(again.last().content, "fourteen fifteen sixteen");
  },

  "two tabs that ask at once are answered one after the other": async (start, { HttpAgent, url, threadOf }) => {
    const c = start();
    c.differs = "the tabs do not know of each other";
    await c.say("say hello");
    const tab = new HttpAgent({ url: `${url}/v1/agents/default/run`, threadId: c.threadId });
    tab.addMessage({ id: randomUUID(), role: "user", content: "second question" });
    const first = c.say("think");
    // Where the tab came first, this client's list, which knows nothing of the tab, would decide.
    await until("the question is taken", () => c.turns.at(-1).events.length > 0, first);
    await Promise.all([first, tab.runAgent()]);
    assert.equal(c.last().content, "I have thought.");
    assert.equal(tab.messages.at(-1).content, "Answer two.");
    const stored = (await threadOf(c.threadId)).filter((m) => m.role !== "reasoning").map((m) => m.role);
    assert.deepEqual(stored, ["user", "assistant", "user", "assistant", "user", "assistant"]);
  },

  "what was said is there after the server died": (_, world) =>
    withServer(world, async (own, server) => {
      const c = new Conversation(own);
      await c.say("plan my garden");
      await c.say("weather and time in Ulm");
      await c.say("mail and paint blue");
      const asked = structuredClone(c.interrupts);
      await server.restart("SIGKILL");
      await replays(c, own);
      await reloads([c], own);
      const address = `${own.url}/v1/runs/${c.turns[1].runId}/events${own.query}`;
      const whole = frames(c.turns[1].bytes());
      for (let i = 0; i < whole.length; i++) {
        const rest = await textOf(address, { "Last-Event-ID": idOf(whole[i]) });
        assert.equal(rest, whole.slice(i + 1).join(""), `from ${idOf(whole[i])}`);
      }
      const again = new Conversation({ ...own, threadId: c.threadId });
      await again.run();
      assert.deepEqual(again.interrupts, asked);
      again.answer(again.call("set_colour"), { colour: "blue" });
      await again.resume([asked[0], { approved: true }]);
      assert.equal(again.last().content, "Weather 3, mail ada, colour blue, time 12:00.");
      assert.equal((await own.effects(c.threadId)).length, 1);
    }),

  "a run that the server's death cut off ends, and the thread goes on": (_, world) =>
    withServer(world, async (own, server) => {
      const c = new Conversation({ ...own, transport: breaking(own.url, own.query, randomOf(3), 900, restarting) });
      let killed = false;
      async function restarting(whole) {
        if (killed || whole.length < 8) return;
        killed = true;
        await server.restart("SIGKILL");
      }
      await c.say("wait for it");
      assert.ok(killed);
      assert.equal(c.turns[0].bytes(), await textOf(`${own.url}/v1/runs/${c.turns[0].runId}/events${own.query}`));
      assert.match(c.last().content, /sixteen$/, "the run was taken over");
      await reloads([c], own);
      await c.goesOn();
    }),
};
