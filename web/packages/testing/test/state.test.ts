// @vitest-environment node
import { registerPlugin, type PagesideClient } from "@pageside/core";
import { describe, expect, it, vi } from "vitest";
import { approval, event, frontendCall, type Part } from "../src/index.js";
import { loaded, replying, setUp } from "./world.js";

const stateOf = (client: PagesideClient) => client.getSnapshot().state;
const patch = (...delta: { op: "add" | "replace"; path: string; value: unknown }[]): Part =>
  event({ type: "STATE_DELTA", delta });
const set = (client: PagesideClient, members: object) =>
  client.updateState((state) => ({ ...(state as object), ...members }));

/** Another tab on the same thread. */
const second = (open: ReturnType<typeof setUp>["open"], client: PagesideClient) =>
  loaded(open({ threadId: client.getSnapshot().threadId }));

describe("shared state", () => {
  it("comes from the server in snapshots and patches, and is there after a reload", async () => {
    const snapshot = event({ type: "STATE_SNAPSHOT", snapshot: { recipe: { title: "Soup" }, left: 1 } });
    const { client, open } = replying(snapshot, patch({ op: "add", path: "/recipe/hot", value: true }), "Ok.");
    await client.send("Cook");
    const state = { recipe: { title: "Soup", hot: true }, left: 1 };
    expect(stateOf(client)).toEqual(state);
    expect(stateOf(await second(open, client))).toEqual(state);
  });

  it("says with each run what the server had, beside the whole state", async () => {
    const { client, agent } = replying(patch({ op: "add", path: "/b", value: 2 }), "Ok.");
    void set(client, { a: 1 });
    await client.send("One");
    void set(client, { a: 3 });
    await client.send("Two");
    const bases = agent.inputs.map(({ state, forwardedProps }) => [state, forwardedProps?.pageside]);
    expect(bases).toMatchObject([
      [{ a: 1 }, { stateBase: null }],
      [{ a: 3, b: 2 }, { stateBase: { a: 1, b: 2 } }],
    ]);
  });

  it("is not sent before anybody has one", async () => {
    const { client, agent } = replying("Ok.");
    await client.send("Hi");
    expect(agent.inputs[0]!.state).toEqual({});
    expect(agent.inputs[0]!.forwardedProps!.pageside).not.toHaveProperty("stateBase");
  });

  it("keeps what several components write at once", async () => {
    const { client, agent } = replying("Ok.");
    const written = [set(client, { a: 1 }), set(client, { b: 2 }), set(client, { c: 3 })];
    await client.send("Hi");
    expect(agent.inputs[0]!.state).toEqual({ a: 1, b: 2, c: 3 });
    expect((await Promise.all(written)).map(({ kept }) => kept)).toEqual([true, true, true]);
  });

  it("reaches other tabs, which keep what they have not sent, except where both wrote", async () => {
    const { client, open, agent } = replying("Ok.");
    void set(client, { list: [1], title: "x", deep: { a: 1, b: 1 } });
    await client.send("One");
    const tab = await second(open, client);
    const unfollow = tab.follow();
    const lost = set(tab, { title: "mine" });
    void set(tab, { deep: { a: 1, b: 2 }, mine: true });
    void set(client, { list: [1, 2], title: "theirs", deep: { a: 3, b: 1 } });
    await client.send("Two");
    const merged = { list: [1, 2], title: "theirs", deep: { a: 3, b: 2 }, mine: true };
    await vi.waitFor(() => expect(stateOf(tab)).toEqual(merged));
    await expect(lost).resolves.toMatchObject({ kept: false });
    await vi.waitFor(() => expect(tab.getSnapshot().status).toBe("idle"));
    await tab.send("Three");
    expect(agent.inputs[2]).toMatchObject({
      state: merged,
      forwardedProps: { pageside: { stateBase: { list: [1, 2], title: "theirs", deep: { a: 3, b: 1 } } } },
    });
    unfollow();
  });

  it("is that of the branch that is shown", async () => {
    const about = ({ message }: { message: string }) => [
      event({ type: "STATE_SNAPSHOT", snapshot: { about: message } }),
      "Ok.",
    ];
    const { client } = setUp([{ reply: about }]);
    await client.send("First");
    const [question] = client.getSnapshot().messages;
    await client.edit(question!.id, "Second");
    expect(stateOf(client)).toEqual({ about: "Second" });
    const shown = client.getSnapshot().messages[0]!.id;
    const [first, other] = await client.branches(shown);
    await client.switchTo(first!.runId);
    expect(stateOf(client)).toEqual({ about: "First" });
    await client.switchTo(other!.runId);
    expect(stateOf(client)).toEqual({ about: "Second" });
  });

  it("of a branch without one is none", async () => {
    const { client, open, agent } = setUp([{ when: "state", reply: [patch({ op: "add", path: "", value: { a: 1 } }), "Ok."] }, { reply: "Ok." }]); // prettier-ignore
    await client.send("plain");
    await client.edit(client.getSnapshot().messages[0]!.id, "with state");
    expect(stateOf(client)).toEqual({ a: 1 });
    const [first] = await client.branches(client.getSnapshot().messages[0]!.id);
    await client.switchTo(first!.runId);
    expect(stateOf(client)).toBeUndefined();
    expect(agent.inputs).toHaveLength(2);
    expect(stateOf(await second(open, client))).toBeUndefined();
  });
});

describe("initial state of plug-ins", () => {
  it("is there for each thread, goes along with the next run, and yields to what a thread has", async () => {
    const { client, open, agent } = replying("Ok.");
    registerPlugin(client, { id: "discover", name: "Discover", initialState: { filters: [] } });
    registerPlugin(client, { id: "notes", name: "Notes", initialState: { text: "" } });
    const initial = { pluginState: { discover: { filters: [] }, notes: { text: "" } } };
    expect(stateOf(client)).toEqual(initial);
    void set(client, { pluginState: { discover: { filters: ["a"] }, notes: { text: "" } } });
    await client.send("Hi");
    expect(agent.inputs[0]!.state).toEqual({ pluginState: { discover: { filters: ["a"] }, notes: { text: "" } } });

    const later = open({ threadId: client.getSnapshot().threadId });
    registerPlugin(later, { id: "discover", name: "Discover", initialState: { filters: [] } });
    registerPlugin(later, { id: "other", name: "Other", initialState: 1 });
    later.subscribe(() => {});
    await vi.waitFor(() => expect(later.getSnapshot().messages).toHaveLength(2));
    expect(stateOf(later)).toEqual({ pluginState: { discover: { filters: ["a"] }, notes: { text: "" }, other: 1 } });

    client.newThread();
    expect(stateOf(client)).toEqual(initial);
  });

  it("is no longer there for new threads once the plug-in has gone", () => {
    const { client } = setUp([]);
    const undo = registerPlugin(client, { id: "a", name: "A", initialState: 1 });
    undo();
    expect(stateOf(client)).toEqual({ pluginState: { a: 1 } });
    client.newThread();
    expect(stateOf(client)).toBeUndefined();
  });
});

describe("predictive state", () => {
  const announced = event({
    type: "CUSTOM",
    name: "PredictState",
    value: [{ state_key: "document", tool: "write_document", tool_argument: "text" }],
  });
  /** A call whose arguments come in pieces, each once the one before it is seen. */
  async function* writing(seen: readonly unknown[], pieces: readonly [delta: string, shown: string][]) {
    yield announced;
    yield event({ type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "write_document" });
    for (const [delta, shown] of pieces) {
      yield event({ type: "TOOL_CALL_ARGS", toolCallId: "c1", delta });
      await vi.waitFor(() => expect(seen).toContain(shown));
    }
  }
  const end = event({ type: "TOOL_CALL_END", toolCallId: "c1" });
  const result = (content: object) =>
    event({ type: "TOOL_CALL_RESULT", messageId: "r1", toolCallId: "c1", content: JSON.stringify(content) });

  /** A client whose document is "old", and what its document has shown. */
  function watched() {
    const set = setUp([{ when: "again", reply: "Ok." }]);
    const seen: unknown[] = [];
    set.client.subscribe(() => {
      const { document } = (stateOf(set.client) ?? {}) as { document?: unknown };
      if (document !== seen.at(-1)) seen.push(document);
    });
    void set.client.updateState(() => ({ document: "old", other: 1 }));
    return { ...set, seen };
  }

  it("grows with the arguments, and is what the server commits in the end", async () => {
    const { client, agent, seen } = watched();
    agent.on("write", async function* () {
      yield* writing(seen, [
        ['{"text":"Once', "Once"],
        [" upon", "Once upon"],
        [' a time"}', "Once upon a time"],
      ]);
      yield end;
      yield patch({ op: "replace", path: "/document", value: "Once upon a time." });
      yield result({ ok: true });
      yield "Done.";
    });
    await client.send("write");
    expect(seen).toEqual(["old", "Once", "Once upon", "Once upon a time", "Once upon a time."]);
    expect(stateOf(client)).toEqual({ document: "Once upon a time.", other: 1 });
    await client.send("again");
    expect(agent.inputs[1]!.state).toEqual({ document: "Once upon a time.", other: 1 });
  });

  it("is dropped where the call fails, and never sent", async () => {
    const { client, agent, seen } = watched();
    agent.on("write", async function* () {
      yield* writing(seen, [['{"text":"Bad"}', "Bad"]]);
      yield end;
      yield result({ error: { code: "invalid", message: "No." } });
      yield "Sorry.";
    });
    await client.send("write");
    expect(seen).toEqual(["old", "Bad", "old"]);
    await client.send("again");
    expect(agent.inputs[1]!.state).toEqual({ document: "old", other: 1 });
  });

  it("is dropped when the user stops the run", async () => {
    const { client, agent, seen } = watched();
    agent.on("write", async function* ({ signal }) {
      yield* writing(seen, [['{"text":"Bad', "Bad"]]);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const sent = client.send("write");
    await vi.waitFor(() => expect(seen).toContain("Bad"));
    await client.stop();
    await sent;
    expect(stateOf(client)).toEqual({ document: "old", other: 1 });
  });

  it("stays while the call waits for the user, and goes when it is denied", async () => {
    const { client } = replying(announced, approval("write_document", { text: "New" }), "Done.");
    await client.send("Write");
    expect(stateOf(client)).toEqual({ document: "New" });
    await client.answer(client.getSnapshot().questions[0]!.id, { approved: false });
    expect(stateOf(client)).toBeUndefined();
  });

  it("goes when a tool of the page has answered, and shows the whole arguments if none is named", async () => {
    const rule = event({ type: "CUSTOM", name: "PredictState", value: [{ state_key: "a/b", tool: "fill" }] });
    const { client } = replying(rule, frontendCall("fill", { x: 1 }), "Done.");
    let shown: unknown;
    client.registerTool({ name: "fill", description: "Fills.", handler: () => void (shown = stateOf(client)) });
    await client.send("Fill");
    expect(shown).toEqual({ "a/b": { x: 1 } });
    expect(stateOf(client)).toBeUndefined();
  });

  it("takes no notice of what is not in the form", async () => {
    const odd = (value: unknown) => event({ type: "CUSTOM", name: "PredictState", value });
    const evil = odd([1, {}, { state_key: "__proto__", tool: "t" }]);
    const { client } = replying(odd("x"), evil, frontendCall("t", { polluted: 1 }));
    client.registerTool({ name: "t", description: "T.", handler: () => "ok" });
    await client.send("Hi");
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
