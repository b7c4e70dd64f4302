// What comes with an answer: reasoning, long results, titles, state.
import assert from "node:assert/strict";

export const answers = {
  "reasoning is a message of its own": async (start) => {
    const c = await start().say("think");
    assert.equal(c.roles(), "user reasoning assistant");
    assert.equal(c.messages[1].content, "The user wants me to think first.");
    await c.goesOn();
  },

  "a long result is cut and read on": async (start) => {
    const c = await start().say("read all rows");
    assert.equal(c.last().content, "The row 871 is there.");
    const cut = c.result("list_rows");
    assert.ok(cut.length < 900, "the client is shown what the model is shown");
    assert.match(cut.at(-1), /read_result/);
    assert.equal(cut[0].number, 0);
    await c.goesOn();
  },

  "the first run tells the title, once": async (start, { get }) => {
    const c = await start().say("say hello to everybody who reads this");
    const titles = c.events.filter((e) => e.type === "CUSTOM" && e.name === "conversation_title");
    assert.deepEqual(
      titles.map((e) => e.value),
      ["say hello to everybody who reads this"],
    );
    await c.say("second question");
    assert.ok(!c.sent("CUSTOM"));
    assert.equal((await get(`/v1/threads/${c.threadId}`)).title, titles[0].value);
  },

  "a model names the thread": async (start, { get }) => {
    const c = await start({ agent: "titled" }).say("say hello");
    const titles = c.events.filter((e) => e.type === "CUSTOM" && e.name === "conversation_title");
    assert.equal(titles.at(-1).value, "A fine **conversation");
    assert.equal((await get(`/v1/threads/${c.threadId}`)).title, "A fine **conversation");
  },

  "tool progress is told and leaves nothing behind": async (start) => {
    const c = await start().say("weather and time in Ulm");
    const [progress] = c.events.filter((e) => e.type === "CUSTOM" && e.name === "tool_progress");
    assert.deepEqual(progress.value, {
      toolCallId: c.call("get_time").id,
      tool: "get_time",
      stage: "asking",
      message: "Asking the clock of Ulm",
      progress: 0.5,
    });
    assert.equal(c.roles(), "user assistant tool tool assistant");
  },

  "the client's state reaches the server, which does not repeat it": async (start) => {
    const state = { pluginState: { map: { zoom: 7, empty: null, list: [1.5, "a"] } } };
    const c = start({ initialState: structuredClone(state) });
    await c.say("weather and time in Ulm");
    await c.say("plan my garden");
    assert.deepEqual(c.agent.state, state);
    assert.ok(!c.types().some((t) => t.startsWith("STATE_")));
    const other = await start({ threadId: c.threadId }).run();
    assert.deepEqual(other.agent.state, state, "another client of the thread is given it");
  },

  "the agent changes the state, and who knows nothing of it wipes nothing": async (start) => {
    const c = start({ agent: "sharing", initialState: { likes: "tea", colour: "red" } });
    await c.say("I like coffee");
    assert.deepEqual(c.agent.state, { likes: "coffee", colour: "red" });
    assert.ok(c.sent("STATE_SNAPSHOT") && !c.sent("STATE_DELTA"), "a run's first change is told whole");
    const other = start({ agent: "sharing", threadId: c.threadId });
    await other.run();
    assert.deepEqual(other.agent.state, c.agent.state, "which loads the thread");
    other.agent.setState({});
    await other.say("say hello");
    assert.deepEqual(other.agent.state, { likes: "coffee", colour: "red" });
    other.agent.setState({ ...other.agent.state, colour: "blue" });
    await other.say("say hello");
    c.agent.setMessages(c.messages.slice(1)); // a window of the thread, as it was before that
    await c.say("I like milk");
    assert.deepEqual(c.agent.state, { likes: "milk", colour: "blue" });
  },

  "two clients that hold what they have seen go on from there, each with its state": async (start) => {
    const c = start({ agent: "sharing", initialState: { likes: "tea", colour: "red" } });
    await c.say("I like coffee");
    const other = start({ agent: "sharing", threadId: c.threadId });
    await other.run();
    other.agent.setState({ ...other.agent.state, colour: "blue" });
    await other.say("say hello");
    await c.say("I like milk"); // it has not seen that
    assert.deepEqual(c.agent.state, { likes: "milk", colour: "red" });
    await other.say("say hello");
    assert.deepEqual(other.agent.state, { likes: "coffee", colour: "blue" });
    assert.equal(other.roles(), "user assistant tool assistant user assistant user assistant");
  },

  "a run tells what it used and cost, its steps added, and its thread what all runs did": async (start, { get }) => {
    const c = await start().say("count the tokens");
    const usage = {
      ...{ provider: "script", model: "conformance", inputTokens: 250, outputTokens: 30 },
      ...{ reasoningTokens: 4, cachedInputTokens: 130 },
    };
    const cost = (120 * 1 + 130 * 0.1 + 30 * 2) / 1e6;
    const end = c.events.at(-1);
    assert.deepEqual(end.usage, [usage]);
    assert.ok(Math.abs(end.metadata.pageside.cost - cost) < 1e-9, `it cost ${end.metadata.pageside.cost}`);
    await c.say("count the tokens");
    const thread = await get(`/v1/threads/${c.threadId}`);
    assert.equal(thread.usage.length, 1);
    assert.equal(thread.usage[0].inputTokens, 500);
    assert.ok(Math.abs(thread.cost - 2 * cost) < 1e-9, `the thread cost ${thread.cost}`);
  },

  "a cut answer goes on in the same message, twice": async (start) => {
    const c = await start().say("tell a long story");
    const { id } = c.last();
    assert.deepEqual(c.last().metadata.pageside, { status: "cut", reason: "length" });
    const goOn = () => c.run({ forwardedProps: { pageside: { continues: id } } });
    await goOn();
    assert.equal(c.roles(), "user assistant");
    assert.equal(c.last().id, id);
    assert.equal(
      c.last().content,
      "Once upon a time there was a dog. It lived in a small house by the sea, and it was hap",
    );
    assert.equal(c.last().metadata.pageside.status, "cut");
    await goOn();
    assert.equal(c.roles(), "user assistant");
    assert.match(c.last().content, /it was happy\.$/);
    assert.deepEqual(c.last().metadata.pageside, {});
    await c.say("say hello");
    assert.equal(c.roles(), "user assistant user assistant");
  },
};
