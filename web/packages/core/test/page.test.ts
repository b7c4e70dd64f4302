import { beforeEach, describe, expect, it, vi } from "vitest";
import { commandsOf, createPagesideClient } from "../src/index.js";
import type { Attachment, PagesideClient } from "../src/index.js";
import { answerCall, answerWith } from "./asking.js";
import { answer, calls, finished, text } from "./events.js";
import { json, setUp, type TestServer } from "./server.js";
import { TestStorage } from "./tabs.js";
import type { AgUiEvent } from "../src/protocol/events.js";

let server: TestServer;
let client: PagesideClient;
beforeEach(() => {
  ({ server, client } = setUp());
});

const sent = (run = 0) => server.inputs[run]!.messages;
const soon = () => new Promise((resolve) => setTimeout(resolve, 40));

describe("instructions", () => {
  it("go in front of the new messages, the most important first, until they are undone", async () => {
    server.onRun(answer("a")).onRun(answer("b", "b"));
    const undo = client.registerInstructions({ id: "units", text: "Dates are in UTC." });
    client.registerInstructions({ id: "role", text: "Be brief.", priority: 5 });
    await client.send("Hi");
    expect(sent().map(({ id, role, content }) => [id, role, content])).toEqual([
      ["pageside:role", "system", "Be brief."],
      ["pageside:units", "system", "Dates are in UTC."],
      [expect.any(String), "user", "Hi"],
    ]);
    expect(client.getSnapshot().messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    undo();
    await client.send("Again");
    expect(sent(1).map(({ content }) => content)).toEqual(["Be brief.", "Again"]);
  });
});

describe("what the assistant sees", () => {
  it("is what is not switched off; a mention is told all the same", async () => {
    client.registerInstructions({ id: "i", text: "x" });
    client.registerContext({ id: "c", description: "d", value: 1, kind: "dynamic" });
    client.registerTool({ name: "t", description: "", handler: () => 1 });
    for (const [kind, id] of [["instructions", "i"], ["context", "c"], ["tool", "t"]] as const) {
      expect(client.isIncluded(kind, id)).toBe(true);
      client.setIncluded(kind, id, false);
      expect(client.isIncluded(kind, id)).toBe(false);
    } // prettier-ignore
    server.onRun(answer("a"));
    await client.send("Hi");
    expect(server.inputs[0]).toMatchObject({ context: [], tools: [], messages: [{ content: "Hi" }] });
    expect(client.getContext(["c"])).toEqual([{ id: "c", description: "d", value: "1" }]);
    expect(client.getToolEntries()).toMatchObject([{ name: "t" }]);
    expect(client.getInstructions()).toMatchObject([{ id: "i" }]);
    client.setIncluded("tool", "t", true);
    expect(client.getTools()).toHaveLength(1);
  });

  it("has no promise, at any depth, which a model would read as {}", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const later = Promise.resolve([1]);
    client.registerContext({ id: "1", description: "Orders", value: (() => later) as never, kind: "dynamic" });
    client.registerContext({ id: "2", description: "Rows", value: { rows: later }, kind: "dynamic" });
    client.registerContext({ id: "3", description: "Known", value: { then: "a word" } as never, kind: "dynamic" });
    expect(client.getContext()).toEqual([{ id: "3", description: "Known", value: '{"then":"a word"}' }]);
    expect(warn.mock.calls.map(String)).toEqual([
      expect.stringMatching(/"Orders" is left out.*promise/),
      expect.stringMatching(/"Rows" is left out.*promise/),
    ]);
  });

  it("tells of changes once a frame", async () => {
    const listener = vi.fn();
    const undo = client.subscribePage(listener);
    client.registerContext({ id: "c", description: "d", value: 1, kind: "dynamic" })();
    client.setPlace({ page: "p" });
    client.pageChanged();
    expect(listener).not.toHaveBeenCalled();
    await soon();
    expect(listener).toHaveBeenCalledTimes(1);
    undo();
    client.pageChanged();
    await soon();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it("waits for values that take a moment, not for those that fail", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    server.onRun(answer("a"));
    let value: string | undefined;
    const later = async () => {
      await soon();
      value = "late";
    };
    client.registerContext({ id: "a", description: "a", value: () => value, prepare: later, kind: "dynamic" });
    const broken = () => Promise.reject(new Error("no"));
    client.registerContext({ id: "b", description: "b", value: 2, prepare: broken, kind: "dynamic" });
    await client.send("Hi");
    expect(server.inputs[0]!.context.map((item) => item.value)).toEqual(["late", "2"]);
  });
});

describe("a message", () => {
  const file: Attachment = { id: "1", name: "a.png", mimeType: "image/png", size: 3, data: "QUJD" };
  const part = { type: "image", source: { type: "data", value: "QUJD", mimeType: "image/png" }, metadata: { name: "a.png" } }; // prettier-ignore

  it("says that a model suggested it, also when it is edited", async () => {
    server.onRun(answer("a")).onRun(answer("b", "b")).onRun(answer("c", "c"));
    const metadata = { pageside: { suggested: true } };
    await client.send("Yes", { suggested: true });
    expect(sent()[0]).toMatchObject({ content: "Yes", metadata });
    await client.edit(sent()[0]!.id, "Yes, all of them");
    expect(sent(1)[0]).toMatchObject({ content: "Yes, all of them", metadata });
    await client.send("No");
    expect(sent(2)[0]!.metadata).toBeUndefined();
  });

  it("brings its attachments, text first, and may be hidden", async () => {
    server.onRun(answer("a")).onRun(answer("b", "b"));
    await client.send("See", { attachments: [file, { ...file, mimeType: "text/csv" }], hidden: true });
    expect(sent()[0]).toMatchObject({
      content: [{ type: "text", text: "See" }, part, { type: "document" }],
      metadata: { pageside: { hidden: true } },
    });
    await client.send(" ", { attachments: [file] });
    expect(sent(1)[0]!.content).toEqual([part]);
  });

  it("keeps its attachments when it is edited", async () => {
    server.onRun(answer("a")).onRun(answer("b", "b"));
    await client.send("One", { attachments: [file] });
    await client.edit(sent()[0]!.id, "Two");
    expect(sent(1)[0]!.content).toEqual([{ type: "text", text: "Two" }, part]);
  });
});

describe("confirmation", () => {
  const waiting = () => client.getSnapshot().questions;

  it("of two calls at once is answered each for itself", async () => {
    server.onRun(calls(["c1", "drop", { n: 1 }], ["c2", "drop", { n: 2 }])).onRun(answer("ok"));
    const ran: unknown[] = [];
    client.registerTool<{ n: number }>({
      name: "drop",
      description: "",
      requiresConfirmation: ({ n }) => `Drop ${n}?`,
      handler: (args) => ran.push(args),
      timeout: 30, // is for the handler, not for the user
    });
    const done = client.send("go");
    await vi.waitFor(() => expect(waiting().map(({ message }) => message)).toEqual(["Drop 1?", "Drop 2?"]));
    expect(Object.values(client.getSnapshot().toolCalls).map(({ status }) => status)).toEqual([
      "awaiting-approval",
      "awaiting-approval",
    ]);
    await soon();
    expect(ran).toEqual([]);
    void answerCall(client, "c2", { approved: true, args: { n: 7 } });
    await vi.waitFor(() => expect(ran).toEqual([{ n: 7 }]));
    await vi.waitFor(() => expect(waiting().map(({ toolCallId }) => toolCallId)).toEqual(["c1"]));
    void answerCall(client, "c1", { approved: false, reason: "not that one" });
    await done;
    expect(ran).toEqual([{ n: 7 }]);
    const results = sent(1).map(({ content }) => JSON.parse(content as string) as unknown);
    expect(results).toEqual([
      { error: { type: "denied", message: expect.stringContaining("not that one") as unknown } },
      1,
    ]);
    const { c1, c2 } = client.getSnapshot().toolCalls;
    expect([c1!.status, c2!.status]).toEqual(["denied", "complete"]);
  });

  it("is for the tool that is there when the user answers", async () => {
    server.onRun(calls(["c1", "t"])).onRun(answer("ok"));
    const ran: string[] = [];
    const tool = (name: string) => ({ name: "t", description: "", requiresConfirmation: true, handler: () => ran.push(name) }); // prettier-ignore
    const undo = client.registerTool(tool("old"));
    const done = client.send("go");
    await vi.waitFor(() => expect(waiting()).toHaveLength(1));
    undo();
    client.registerTool(tool("new"));
    void answerCall(client, "c1", { approved: true });
    await done;
    expect(ran).toEqual(["new"]);
  });

  it("is not asked about arguments that do not fit, nor where the tool says no", async () => {
    server.onRun(calls(["c1", "t", { n: "x" }], ["c2", "t", { n: 2 }])).onRun(answer("ok"));
    const handler = vi.fn(() => "done");
    const asks = vi.fn(() => false);
    const parameters = { type: "object", properties: { n: { type: "number" } } };
    client.registerTool({ name: "t", description: "", parameters, requiresConfirmation: asks, handler });
    await client.send("go");
    expect(asks.mock.calls).toEqual([[{ n: 2 }]]);
    expect(handler).toHaveBeenCalledTimes(1);
    expect(sent(1)[0]).toMatchObject({ error: expect.stringContaining("do not fit") as unknown });
  });

  it("ends with stop", async () => {
    server.onRun(calls(["c1", "t"]));
    const handler = vi.fn();
    client.registerTool({ name: "t", description: "", requiresConfirmation: true, handler });
    const done = client.send("go");
    await vi.waitFor(() => expect(waiting()).toHaveLength(1));
    const { id } = waiting()[0]!;
    await client.stop();
    await done;
    await client.answer(id, { approved: true });
    await soon();
    expect(handler).not.toHaveBeenCalled();
    expect(client.getSnapshot().toolCalls.c1).toMatchObject({ status: "cancelled" });
    expect(waiting()).toEqual([]);
  });
});

it("the shared state is written at once, and is the server's where both write", async () => {
  server.onRun(function* () {
    yield { type: "STATE_DELTA", delta: [{ op: "replace", path: "/a", value: "server" }, { op: "add", path: "/c", value: 1 }] } as AgUiEvent; // prettier-ignore
    yield* text("m", "ok");
    yield finished();
  });
  const a = client.updateState(() => ({ a: "mine", b: 1 }));
  expect(client.getSnapshot().state).toEqual({ a: "mine", b: 1 });
  const b = client.updateState((state) => ({ ...(state as object), b: 2 }));
  await client.send("Hi");
  await expect(a).resolves.toMatchObject({ kept: false });
  await expect(b).resolves.toEqual({ kept: true, state: { a: "server", b: 2, c: 1 } });
});

describe("an action on the server that needs approval", () => {
  let bodies: { approvalId?: string; idempotencyKey: string }[];
  beforeEach(() => {
    bodies = [];
    const details = { args: { n: 2 }, approvalId: "a1" };
    const refusal = { error: { code: "approval_required", message: "?", details } };
    server.routes.set("/v1/actions/drop", ({ body }) => {
      bodies.push(body as (typeof bodies)[number]);
      return bodies.at(-1)!.approvalId ? json({ text: "done" }) : json(refusal, 409);
    });
  });
  const run = () => client.runAction("drop", { n: 1 }, { label: "Drop it" });

  it("asks about the arguments that the server says, and runs once the user agrees", async () => {
    const asked = answerWith(client, { approved: true });
    await expect(run()).resolves.toEqual({ text: "done" });
    expect(asked).toMatchObject([{ kind: "approval", from: "server", name: "drop", label: "Drop it", args: { n: 2 } }]);
    expect(asked[0]!.allowance).toBeUndefined();
    expect(bodies.map(({ approvalId }) => approvalId)).toEqual([undefined, "a1"]);
    expect(new Set(bodies.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  });

  it("is not asked about any more once its thread is left", async () => {
    client.watchQuestions(() => {});
    const end = expect(run()).rejects.toMatchObject({ name: "AbortError" });
    await vi.waitFor(() => expect(client.getSnapshot().questions).toHaveLength(1));
    client.newThread();
    await end;
    expect(client.getSnapshot().questions).toEqual([]);
  });
});

describe("commands", () => {
  const prompt = "p";
  const description = "d";

  it("are a stack by name, sorted by group", () => {
    const commands = commandsOf(client);
    expect(commandsOf(client)).toBe(commands);
    commands.register({ command: "/z", description, prompt, group: "B" });
    const undo = commands.register({ command: "/a", description: "old", prompt });
    const over = commands.register({ command: "/A", description: "new", prompt });
    const all = commands.all();
    expect(all.map((each) => [each.command, each.description])).toEqual([["/A", "new"], ["/z", "d"]]); // prettier-ignore
    expect(commands.all()).toBe(all);
    over();
    expect(commands.find("/a ")!.description).toBe("old");
    undo();
    undo();
    expect(commands.find("/a")).toBeUndefined();
  });

  it("refuses what cannot be typed or does nothing", () => {
    const { register } = commandsOf(client);
    expect(() => register({ command: "no slash", description, prompt })).toThrow(/must be a slash/);
    expect(() => register({ command: "/x", description })).toThrow(/no prompt/);
    expect(() => register({ command: "/x", description, handler: () => 1, custom: true })).toThrow(/must be a text/);
  });

  it("that the user made are there again in another client, and gone once removed", () => {
    const storage = new TestStorage();
    vi.stubGlobal("localStorage", storage);
    commandsOf(client).register({ command: "/mine", description, prompt: "Mine", custom: true });
    const other = commandsOf(createPagesideClient());
    expect(other.all()).toEqual([{ command: "/mine", description, prompt: "Mine", custom: true }]);
    other.register({ command: "/mine", description, prompt: "Anew", custom: true })();
    expect(commandsOf(createPagesideClient()).all()).toEqual([]);
    storage.setItem("pageside:commands", '[{"command":"<script>"},7]');
    expect(commandsOf(createPagesideClient()).all()).toEqual([]);
  });
});
