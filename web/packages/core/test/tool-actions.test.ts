import { beforeEach, describe, expect, it, vi } from "vitest";
import { pageCallsOf, updateToolCall } from "../src/calls.js";
import {
  callTool,
  commandsOf,
  createPagesideClient,
  registerPlugin,
  uiActionsOf,
  type Capability,
  type PagesideClient,
} from "../src/index.js";
import { answerWith } from "./asking.js";
import { answer, calls, TestServer } from "./server.js";

let server: TestServer;
let client: PagesideClient;

beforeEach(() => {
  server = new TestServer();
  client = createPagesideClient({ url: "https://test", fetch: server.fetch, reconnect: { giveUpAfter: 0 } });
});

const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const double = { name: "double", description: "Doubles", parameters, handler: ({ n }: { n: number }) => n * 2 };
const soon = () => new Promise((resolve) => setTimeout(resolve, 30));

describe("a tool of the page is a UI action", () => {
  it("that is listed, and runs by its id", async () => {
    const undo = client.registerTool({ ...double, source: "maths" });
    const actions = uiActionsOf(client);
    expect(actions.getActions()).toMatchObject([
      { id: "assistant-double", type: "assistant-tool", appId: "maths", description: "Doubles", parameters },
    ]);
    expect(actions.getActions({ type: "assistant-tool", appId: "maths" })).toHaveLength(1);
    expect(actions.getActions({ type: "menu" })).toEqual([]);
    const given = { actionId: "assistant-double", args: { n: 4 } };
    expect(await actions.executeTriggerActions("assistant-tool", given)).toBe(8);
    expect(await actions.getAction("assistant-double")!.execute({ n: 5 })).toBe(10);
    undo();
    expect(actions.getActions()).toEqual([]);
    await expect(actions.executeTriggerActions("assistant-tool", given)).rejects.toThrow(/no action/);
  });

  it("whose arguments are checked", async () => {
    client.registerTool(double);
    const run = callTool(client, "double", { n: "4" });
    await expect(run).rejects.toMatchObject({
      name: "invalid_arguments",
      details: expect.arrayContaining([expect.stringContaining("n:")]),
    });
    await expect(callTool(client, "triple")).rejects.toMatchObject({ name: "unknown_tool" });
  });

  it("that the user can switch off", async () => {
    client.registerTool(double);
    client.setIncluded("tool", "double", false);
    await expect(callTool(client, "double", { n: 1 })).rejects.toMatchObject({ name: "switched_off" });
  });

  it("that asks, unless the user has just chosen it in a menu", async () => {
    client.registerTool({ ...double, requiresConfirmation: ({ n }) => `Double ${n}?`, destructive: true });
    const asked = answerWith(client, { approved: true, args: { n: 10 } }, { approved: false });
    expect(await callTool(client, "double", { n: 4 })).toBe(20);
    expect(asked).toMatchObject([{ name: "double", message: "Double 4?", args: { n: 4 }, destructive: true }]);
    const given = { actionId: "assistant-double", args: { n: 4 } };
    const actions = uiActionsOf(client);
    await expect(actions.executeTriggerActions("assistant-tool", given)).rejects.toMatchObject({ name: "denied" });
    expect(await actions.executeTriggerActions("assistant-tool", given, { chosen: true })).toBe(8);
    expect(asked).toHaveLength(2);
  });

  it("whose question goes when its component does", async () => {
    const undo = client.registerTool({ ...double, requiresConfirmation: true });
    client.watchQuestions(() => {});
    const run = callTool(client, "double", { n: 4 });
    await vi.waitFor(() => expect(client.getSnapshot().questions).toHaveLength(1));
    undo();
    await expect(run).rejects.toMatchObject({ name: "unknown_tool" });
    expect(client.getSnapshot().questions).toEqual([]);
  });

  it("whose calls have a state, and can be stopped", async () => {
    const pageCalls = pageCallsOf(client);
    const seen: string[] = [];
    pageCalls.subscribe(() => seen.push(Object.values(pageCalls.all()).at(-1)!.status));
    let reason: unknown;
    client.registerTool({
      name: "wait",
      description: "",
      handler: (_, { signal, progress }) => {
        progress("waiting", "", 0.5);
        return new Promise(() => signal.addEventListener("abort", () => (reason = signal.reason)));
      },
    });
    const run = callTool(client, "wait", {}, { id: "w1" });
    await vi.waitFor(() =>
      expect(pageCalls.all()["w1"]).toMatchObject({ status: "executing", progress: { fraction: 0.5 } }),
    );
    await expect(callTool(client, "wait", {}, { id: "w1" })).rejects.toThrow(/"w1" is running/);
    pageCalls.cancel("w1");
    await expect(run).rejects.toMatchObject({ name: "AbortError" });
    expect(reason).toBeDefined();
    expect(pageCalls.all()["w1"]).toMatchObject({ status: "cancelled", name: "wait" });
    client.registerTool(double);
    await callTool(client, "double", { n: null }).catch(() => undefined);
    await callTool(client, "double", { n: 1 });
    expect(Object.values(pageCalls.all()).slice(1)).toMatchObject([
      { status: "failed", error: { code: "invalid_arguments" } },
      { status: "complete", args: { n: 1 }, result: 2 },
    ]);
    expect(seen).toContain("pending");
    await callTool(client, "double", { n: 1 }, { signal: AbortSignal.abort() }).catch(() => undefined);
    expect(Object.values(pageCalls.all()).at(-1)).toMatchObject({ status: "cancelled" });
    for (let count = 0; count < 60; count++) await callTool(client, "double", { n: count });
    expect(Object.keys(pageCalls.all())).toHaveLength(50);
    expect(client.getSnapshot().toolCalls).toEqual({});
  });

  it("that never becomes a tool once more, so that none runs itself for ever", async () => {
    const handler = vi.fn(({ n }: { n: number }) => n * 2);
    client.registerTool({ ...double, handler });
    const actions = uiActionsOf(client);
    const [tool] = actions.getActions();
    expect(() => actions.registerAction(tool!)).toThrow(/already/);
    actions.addTriggerAction("assistant-tool", tool!);
    actions.addTriggerAction("assistant-tool", "assistant-double");
    expect(client.getTools().map(({ name }) => name)).toEqual(["double"]);
    expect(actions.getActions()).toHaveLength(1);

    const undo = actions.registerAction({ ...tool!, execute: (args) => tool!.execute(args) });
    expect(client.getTools().map(({ name }) => name)).toEqual(["double"]);
    server.onRun(calls(["c1", "double", { n: 3 }])).onRun(answer("ok"));
    await client.send("go");
    expect(client.getSnapshot().toolCalls["c1"]).toMatchObject({ status: "complete", result: 6 });
    expect(handler).toHaveBeenCalledOnce();
    undo();
  });

  it("that a menu can hold, and that the menu runs without a tool of the model", async () => {
    client.registerTool(double);
    const actions = uiActionsOf(client);
    actions.addTriggerAction("row-menu", "assistant-double");
    expect(await actions.executeTriggerActions("row-menu", { n: 2 })).toEqual([4]);
    expect(await actions.executeTriggerActions("assistant-tool")).toEqual([]); // only by its id
  });

  it("whose coming and going the registry tells", async () => {
    const heard = vi.fn();
    const undo = uiActionsOf(client).subscribe(heard);
    const gone = client.registerTool(double);
    await soon();
    expect(heard).toHaveBeenCalledTimes(1);
    client.pageChanged();
    await soon();
    expect(heard).toHaveBeenCalledTimes(1);
    gone();
    await soon();
    expect(heard).toHaveBeenCalledTimes(2);
    undo();
  });
});

it("a UI action named after a tool is the tool, with or without the prefix", async () => {
  const actions = uiActionsOf(client);
  const execute = vi.fn(() => "ran");
  actions.registerAction({ id: "assistant-find", type: "assistant-tool", execute });
  actions.registerAction({ id: "open", type: "assistant-tool", execute });
  expect(client.getToolEntries()).toMatchObject([
    { name: "find", actionId: "assistant-find" },
    { name: "open", actionId: "open" },
  ]);
  expect(actions.getActions().map(({ id }) => id)).toEqual(["assistant-find", "open"]);
  expect(await actions.executeTriggerActions("assistant-tool", { actionId: "assistant-open" })).toBe("ran");
  expect(client.getTools().map((tool) => Object.keys(tool).sort())).toEqual(Array(2).fill(["description", "name", "parameters"])); // prettier-ignore
});

it("the state of any call can be changed from outside", async () => {
  client.registerTool(double);
  server.onRun(calls(["c1", "double", { n: 3 }])).onRun(answer("ok"));
  await client.send("go");
  updateToolCall(client, "c1", { progress: { stage: "shown", message: "twice" } });
  const changed = { status: "complete", progress: { stage: "shown" } };
  await vi.waitFor(() => expect(client.getSnapshot().toolCalls["c1"]).toMatchObject(changed));
  updateToolCall(client, "mine", { name: "double", status: "executing" });
  expect(pageCallsOf(client).all()["mine"]).toMatchObject({ id: "mine", name: "double", status: "executing" });
});

describe("context that UI actions capture", () => {
  const capture = (id: string, appId?: string) => ({ id, appId, type: "capture-context" as const, execute: (given: object) => given }); // prettier-ignore
  const sent = async () => {
    server.onRun(answer("a", String(Math.random())));
    await client.send("Hi");
    return server.inputs.at(-1)!.context.map(({ description, value }) => `${description} ${value}`);
  };

  it("is that of the current application, and of those that belong to none", async () => {
    const actions = uiActionsOf(client);
    for (const action of [capture("a", "discover"), capture("b", "alerts"), capture("c")])
      actions.registerAction(action);
    expect(await sent()).toEqual(['a {"appId":"discover"}', 'b {"appId":"alerts"}', "c {}"]);
    client.setPlace({ page: "alerts" });
    expect(await sent()).toEqual(['b {"appId":"alerts"}', 'c {"appId":"alerts"}']);
    actions.setCurrentApp("discover");
    expect(await sent()).toEqual(['a {"appId":"discover"}', 'c {"appId":"discover"}']);
    actions.setCurrentApp(undefined);
    expect(await sent()).toHaveLength(2);
    expect(actions.getActions({ type: "capture-context", appId: "alerts" }).map(({ id }) => id)).toEqual(["b", "c"]);
  });
});

describe("a plug-in contributes what its capabilities name:", () => {
  const source = "discover";
  const command = { command: "/find", description: "Find", prompt: "Find", source };
  const contribute = () => {
    client.registerTool({ ...double, source });
    client.registerContext({ id: "rows", description: "Rows", kind: "dynamic", value: 1, source });
    client.registerInstructions({ id: "i", text: "Be kind", source });
    commandsOf(client).register(command);
  };
  const contributed = () => ({
    tools: client.getTools().length,
    context: client.getContext().length + client.getContextEntries().length + client.getInstructions().length,
    prompts: commandsOf(client).all().length,
  });
  const warned = () => vi.spyOn(console, "warn").mockImplementation(() => {});

  it.each<[Capability[] | undefined, object]>([
    [undefined, { tools: 1, context: 3, prompts: 1 }],
    [["tools"], { tools: 1, context: 0, prompts: 0 }],
    [["context"], { tools: 0, context: 3, prompts: 0 }],
    [["prompts", "suggestions"], { tools: 0, context: 0, prompts: 1 }],
    [[], { tools: 0, context: 0, prompts: 0 }],
  ])("%j", async (capabilities, expected) => {
    const warning = warned();
    contribute();
    expect(contributed()).toEqual({ tools: 1, context: 3, prompts: 1 });
    const undo = registerPlugin(client, { id: source, name: "Discover", capabilities });
    await soon(); // commands follow once a frame
    expect(contributed()).toEqual(expected);
    contributed();
    expect(warning.mock.calls.length).toBe(Object.values(expected).filter((count) => count === 0).length);
    undo();
    await soon();
    expect(contributed()).toEqual({ tools: 1, context: 3, prompts: 1 });
    warning.mockRestore();
  });

  it("a tool beyond them is not called either", async () => {
    const warning = warned();
    const handler = vi.fn(() => 1);
    client.registerTool({ name: "t", description: "", source, handler });
    registerPlugin(client, { id: source, name: "Discover", capabilities: ["context"] });
    server.onRun(calls(["c1", "t"])).onRun(answer("ok"));
    await client.send("go");
    expect(handler).not.toHaveBeenCalled();
    expect(server.inputs[0]!.tools).toEqual([]);
    expect(warning.mock.calls.join()).toContain('the tools of the plug-in "discover" are left out');
    warning.mockRestore();
  });

  it("registered twice, what either names; an unknown one throws", () => {
    const warning = warned();
    contribute();
    registerPlugin(client, { id: source, name: "Discover", capabilities: ["tools"] });
    registerPlugin(client, { id: source, name: "Discover", capabilities: ["context"] });
    expect(contributed()).toEqual({ tools: 1, context: 3, prompts: 0 });
    const wrong = { id: "x", name: "X", capabilities: ["search" as Capability] };
    expect(() => registerPlugin(client, wrong)).toThrow(/capabilities of the plug-in "x": "search" is not known/);
    warning.mockRestore();
  });
});
