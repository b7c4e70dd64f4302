// What host applications of the stock clients do that the protocol leaves open: they answer a
// question under the id of the run that asked, and stop an answer by closing the connection.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Conversation, entry } from "../conversation.mjs";
import { reloads, replays } from "../checks.mjs";
import { withServer } from "../server.mjs";
import { frames, idOf, textOf } from "../streams.mjs";

const mail = 'send_mail {"to":"ada","subject":"Hello"}';

/** Runs under the id of the run that asked. */
function pinned(c, runId, ...answers) {
  return c.run({ runId, resume: answers.map(([interrupt, answer]) => entry(interrupt, answer)) });
}

/** The run that a stream is of, as the server calls it. */
const runOf = (bytes) => idOf(frames(bytes)[0]).replace(/:[^:]*$/, "");

const text = async (address, headers) => frames(await textOf(address, headers)).join("");

export const habits = {
  "a resume under the interrupted run's own id is its continuation": async (start, { effects, url, query }) => {
    const runId = randomUUID();
    const c = await start().say("send a mail to ada", { runId });
    const [asked] = c.interrupts;
    await pinned(c, runId, [asked, { approved: true }]);
    assert.equal(c.events[0].runId, runId);
    assert.equal(c.events.at(-1).runId, runId);
    assert.equal(c.outcome()?.type ?? "success", "success");
    assert.deepEqual(c.interrupts, []);
    assert.equal(c.roles(), "user assistant tool assistant");
    assert.equal(c.last().content, "Mail: ada.");
    assert.deepEqual(await effects(c.threadId), [mail]);

    const [first, second] = c.turns.map((turn) => frames(turn.bytes()));
    const address = `${url}/v1/runs/${runId}/events${query}`;
    assert.equal(await text(address), second.join(""), "whoever knows only that id reads the newest run");
    for (const turn of [first, second])
      for (let i = 0; i < turn.length; i++)
        assert.equal(await text(address, { "Last-Event-ID": idOf(turn[i]) }), turn.slice(i + 1).join(""));

    await c.say("second question");
    assert.equal(c.last().content, "Answer two.");
  },

  "several questions are answered under one run id": async (start, { effects }) => {
    const runId = randomUUID();
    const c = await start().say("send a mail to ada", { runId });
    const [asked] = c.interrupts;
    await pinned(c, runId, [asked, { approved: true, args: { to: 7 } }]);
    assert.equal(c.outcome().type, "interrupt", "the arguments do not fit");
    await pinned(c, runId, [c.interrupts[0], { approved: true, args: { to: 8 } }]);
    assert.equal(c.outcome().type, "interrupt");
    assert.deepEqual(await effects(c.threadId), []);
    await pinned(c, runId, [c.interrupts[0], { approved: true }]);
    assert.equal(c.last().content, "Mail: ada.");
    assert.deepEqual(await effects(c.threadId), [mail]);
    assert.equal(new Set(c.turns.map((turn) => runOf(turn.bytes()))).size, 4, "each has positions of its own");
  },

  "the same resume under the interrupted run's id, twice at once, is one run": async (start, { effects }) => {
    const runId = randomUUID();
    const c = await start().say("send a mail to ada", { runId });
    const asked = c.interrupts;
    const answer = { runId, resume: [entry(asked[0], { approved: true })] };
    const second = start({ threadId: c.threadId, initialMessages: structuredClone(c.messages) });
    second.agent.pendingInterrupts = structuredClone(asked);
    await Promise.all([c.run(answer), second.run(answer)]);
    for (const tab of [c, second]) assert.equal(tab.last().content, "Mail: ada.");
    assert.equal(c.turns.at(-1).bytes(), second.turns.at(-1).bytes());
    assert.deepEqual(await effects(c.threadId), [mail]);
  },

  "another body under the interrupted run's id is refused": async (start, { effects, post }) => {
    const runId = randomUUID();
    const c = await start().say("send a mail to ada", { runId });
    const body = {
      threadId: c.threadId,
      runId,
      state: {},
      messages: [{ id: randomUUID(), role: "user", content: "second question" }],
      tools: [],
      context: [],
      forwardedProps: {},
    };
    const never = { ...body, resume: [entry(randomUUID(), { approved: true })] };
    for (const other of [body, never])
      await assert.rejects(post("/v1/agents/default/run", other), /409 .*run_conflict.*"field":"runId"/);
    assert.deepEqual(await effects(c.threadId), []);
    await pinned(c, runId, [c.interrupts[0], { approved: false }]);
    assert.equal(c.last().content, "Mail: denied.");
  },

  "a resume under the interrupted run's id comes after a restart": (_, world) =>
    withServer(world, async (own, server) => {
      const runId = randomUUID();
      const c = new Conversation(own);
      await c.say("send a mail to ada", { runId });
      const [asked] = structuredClone(c.interrupts);
      await server.restart("SIGKILL");
      await pinned(c, runId, [asked, { approved: true }]);
      assert.equal(c.last().content, "Mail: ada.");
      assert.deepEqual(await own.effects(c.threadId), [mail]);
      await server.restart("SIGKILL");
      await replays(c, own);
      await reloads([c], own);
      assert.equal(await text(`${own.url}/v1/runs/${runId}/events${own.query}`), frames(c.turns[1].bytes()).join(""));
    }),

  "an answer is stopped by closing the connection, and the next message is answered": async (start, world) => {
    const { HttpAgent, url, query, get } = world;
    const agent = new HttpAgent({ url: `${url}/v1/agents/default/run`, threadId: randomUUID() });
    const ask = (content, runId, subscriber) => {
      agent.addMessage({ id: randomUUID(), role: "user", content });
      return agent.runAgent({ runId }, subscriber);
    };
    const [stopped, next] = [randomUUID(), randomUUID()];
    await ask("pause for a sign", stopped, { onTextMessageContentEvent: () => agent.abortRun() });
    // the run before would wait for its sign until it is refused
    await ask("second question", next);
    assert.equal(agent.messages.at(-1).content, "Answer two.");
    const { runs } = await get(`/v1/threads/${agent.threadId}/runs`);
    assert.deepEqual(
      runs.map(({ id, status, parentRunId }) => ({ id, status, parentRunId })),
      [
        { id: stopped, status: "cancelled", parentRunId: runs[0].parentRunId },
        { id: next, status: "finished", parentRunId: stopped },
      ],
    );
    const end = JSON.parse(/data: (.*)/.exec(frames(await text(`${url}/v1/runs/${stopped}/events${query}`)).at(-1))[1]);
    assert.equal(end.type, "RUN_FINISHED");
    assert.equal(end.outcome?.type, world.version === 0 ? "success" : "cancelled");
    const again = await start({ threadId: agent.threadId }).run();
    const kept = again.messages.find((m) => m.role === "assistant");
    assert.match(kept.content, /^one/, "what it had said is kept");
    assert.equal(again.last().content, "Answer two.");
  },

  "a message waits while another tab reads the answer": async (start, { HttpAgent, url, query, get, release }) => {
    const agent = new HttpAgent({ url: `${url}/v1/agents/default/run`, threadId: randomUUID() });
    agent.addMessage({ id: randomUUID(), role: "user", content: "pause for a sign" });
    const runId = randomUUID();
    const tab = new AbortController();
    let reading;
    await agent.runAgent(
      { runId },
      {
        onTextMessageContentEvent: async () => {
          reading ??= await fetch(`${url}/v1/runs/${runId}/events${query}`, { signal: tab.signal });
          agent.abortRun();
        },
      },
    );
    const other = start({ threadId: agent.threadId });
    other.differs = "it does not know of the other tab";
    const asked = other.say("second question");
    await release(agent.threadId);
    await asked;
    assert.equal(other.last().content, "Answer two.");
    assert.match(frames(await reading.text()).at(-1), /RUN_FINISHED/);
    const { runs } = await get(`/v1/threads/${agent.threadId}/runs`);
    assert.deepEqual(
      runs.map(({ status }) => status),
      ["finished", "finished"],
    );
  },
};
