// What AG-UI's own examples show of shared state, predictive state and steps, as their clients do.
import assert from "node:assert/strict";

const recipe = () => ({ title: "Pasta", ingredients: [{ name: "Noodles", amount: "500 g" }], skill: "easy" });

/** Shows what streaming arguments will set, as AG-UI's examples do: what was shown, in order. */
function predicting({ agent }) {
  const shown = [];
  let rules = [];
  agent.subscribe({
    onCustomEvent({ event }) {
      if (event.name === "PredictState") rules = event.value;
    },
    onToolCallArgsEvent({ event, toolCallName, toolCallBuffer }) {
      for (const { state_key: key, tool, tool_argument: argument } of rules) {
        const value = tool === toolCallName && textIn(toolCallBuffer + event.delta, argument);
        if (value) shown.push({ ...agent.state, [key]: value }[key]);
      }
    },
  });
  return shown;
}

/** What there is of an argument, a text, in JSON that is still being written. */
function textIn(json, argument) {
  return new RegExp(`"${argument}":\\s*"([^"]*)`).exec(json)?.[1];
}

export const sharing = {
  "a recipe is edited by the page and by the agent": async (start) => {
    const c = start({ agent: "sharing", initialState: { recipe: recipe() } });
    await c.say("improve the recipe");
    const basil = { name: "Basil", amount: "5 leaves" };
    const better = { ...recipe(), title: "Better pasta", ingredients: [...recipe().ingredients, basil] };
    assert.deepEqual(c.agent.state, { recipe: better });
    const eggs = { name: "Eggs", amount: "3" };
    c.agent.setState({ recipe: { ...better, title: "My pasta", ingredients: [eggs] } });
    await c.say("improve the recipe");
    assert.deepEqual(c.agent.state, { recipe: { ...better, ingredients: [eggs, basil] } });
    const other = await start({ agent: "sharing", threadId: c.threadId }).run();
    assert.deepEqual(other.agent.state, c.agent.state);
  },

  "a document grows while the agent writes it, and is then what was written": async (start) => {
    const c = start({ agent: "sharing", initialState: { document: "old", other: 1 } });
    const shown = predicting(c);
    await c.say("write a story");
    const story = "Once upon a time there was a dog named Rex, who loved long words.";
    assert.ok(shown.length > 3, `it was shown ${shown.length} times`);
    shown.forEach((text, at) => {
      assert.ok(story.startsWith(text), text);
      assert.ok(text.length >= (shown[at - 1] ?? "").length);
    });
    assert.deepEqual(c.agent.state, { document: story, other: 1 });
  },

  "a document that is refused is as it was": async (start) => {
    const c = start({ agent: "sharing", initialState: { document: "old" } });
    const shown = predicting(c);
    await c.say("write nothing");
    assert.equal(c.last().content, "It was refused.");
    assert.ok(shown.some((text) => "This will be refused.".startsWith(text)));
    assert.deepEqual(c.agent.state, { document: "old" });
    assert.ok(c.sent("STATE_SNAPSHOT"), "which tells clients that keep predictions in their state");
  },

  "an agent shows its steps in the state, as steps of the run and in events of its own": async (start) => {
    const c = start({ agent: "sharing" });
    const states = [];
    c.agent.subscribe({ onStateChanged: ({ state }) => void states.push(state.steps?.map(({ status }) => status)) });
    await c.say("go to Mars");
    const names = ["Build a rocket", "Launch", "Land"];
    assert.deepEqual(
      c.agent.state.steps,
      names.map((description) => ({ description, status: "completed" })),
    );
    assert.deepEqual(
      c.events.flatMap(({ type, stepName }) => (/^STEP_/.test(type) ? [`${type} ${stepName}`] : [])),
      names.flatMap((name) => [`STEP_STARTED ${name}`, `STEP_FINISHED ${name}`]),
    );
    assert.deepEqual(
      c.events.flatMap((e) => (e.type === "CUSTOM" && e.name === "working_on" ? [e.value.step] : [])),
      [0, 1, 2],
    );
    const done = states.filter(Boolean).map((each) => each.filter((status) => status === "completed").length);
    assert.deepEqual([...new Set(done)], [0, 1, 2, 3]);
  },

  "a long thread is shown to a client that asks for its newest turns": async (start) => {
    const c = start();
    for (let at = 0; at < 3; at++) await c.say("say hello");
    const window = start({ threadId: c.threadId });
    await window.run({ forwardedProps: { pageside: { history: 2 } } });
    assert.deepEqual(
      window.messages.map(({ id }) => id),
      c.messages.slice(-2).map(({ id }) => id),
    );
    assert.equal(window.events[1].metadata.pageside.before, window.messages[0].id);
    await window.say("say hello");
    window.differs = "it left the older turns out";
    c.differs = "another client went on";
  },
};
