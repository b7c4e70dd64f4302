import { beforeEach, describe, expect, it, vi } from "vitest";
import { commandsOf, callTool, type PagesideClient } from "@pageside/core";
import { answerWith } from "../../core/test/asking.js";
import { answer, calls } from "../../core/test/events.js";
import { IMPATIENT, setUp, type TestServer } from "../../core/test/server.js";
import { uiActionsOf } from "../src/ui-actions/index.js";

let server: TestServer;
let client: PagesideClient;

beforeEach(() => {
  ({ server, client } = setUp(IMPATIENT));
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

describe("UI actions", () => {
  it("are tool, command and menu item in one", async () => {
    server.onRun(calls(["c1", "run", { query: "a" }])).onRun(answer("ok"));
    const actions = uiActionsOf(client);
    const ran: unknown[] = [];
    const undo = actions.registerAction<{ query?: string }>({
      id: "run",
      type: "assistant-tool",
      appId: "discover",
      description: "Run a query",
      getDisplayName: () => "Run",
      parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
      command: { command: "/run" },
      execute: (context) => ran.push(context),
    });
    expect(client.getToolEntries()).toMatchObject([{ name: "run", source: "discover" }]);
    await client.send("go");
    await commandsOf(client).find("/run")!.handler!("b c");
    await actions.executeTriggerActions("assistant-tool", { actionId: "run", args: { query: "d" } });
    expect(ran).toEqual([{ query: "a" }, { query: "b c" }, { query: "d" }]);
    expect(actions.getActions({ appId: "discover" })).toHaveLength(1);
    expect(actions.getActions({ type: "capture-context" })).toEqual([]);
    undo();
    expect(client.getTools()).toEqual([]);
    expect(commandsOf(client).find("/run")).toBeUndefined();
  });

  it("are asked for context when a question is, and only while they are registered", async () => {
    server.onRun(answer("a")).onRun(answer("b", "b"));
    const undo = uiActionsOf(client).registerAction({
      id: "capture",
      type: "capture-context",
      execute: async () => (await soon(), { filters: 2 }),
    });
    await client.send("Hi");
    expect(server.inputs[0]!.context).toMatchObject([{ value: '{"filters":2}' }]);
    undo();
    await client.send("Hi");
    expect(server.inputs[1]!.context).toEqual([]);
  });

  it("hear of context once a frame, as long as they are attached", async () => {
    const heard = vi.fn();
    const undo = uiActionsOf(client).addTriggerAction("context-updated", { execute: heard });
    client.setPlace({ page: "p" });
    client.pageChanged();
    // What runs actions is loaded first, which may take its time.
    await vi.waitFor(() => expect(heard).toHaveBeenCalled());
    await soon();
    expect(heard.mock.calls).toEqual([[{ place: { page: "p" }, context: [] }]]);
    undo();
    client.pageChanged();
    await soon();
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it("run where they are compatible, and say where not", async () => {
    const actions = uiActionsOf(client);
    const ran: string[] = [];
    const action = (id: string, isOpen: boolean) => ({ id, type: "menu", isCompatible: () => isOpen, execute: () => ran.push(id) }); // prettier-ignore
    actions.registerAction(action("a", true));
    actions.registerAction(action("b", false));
    await actions.executeTriggerActions("menu");
    expect(ran).toEqual(["a"]);
    await expect(actions.executeTriggerActions("menu", { actionId: "b" })).rejects.toThrow(/cannot be used/);
    await expect(actions.executeTriggerActions("menu", { actionId: "?" })).rejects.toThrow(/no action/);
    expect(() => actions.registerAction(action("a", true))).toThrow(/already/);
    const undo = actions.addTriggerAction("assistant-tool", "a");
    expect(client.getTools().map(({ name }) => name)).toEqual(["a"]);
    undo();
    expect(client.getTools()).toEqual([]);
  });

  it("are offered to the browser only where they say so, until they are undone", async () => {
    const registerTool = vi.fn();
    const unregisterTool = vi.fn();
    vi.stubGlobal("document", { modelContext: { registerTool, unregisterTool } });
    const actions = uiActionsOf(client);
    actions.registerAction({ id: "private", type: "assistant-tool", execute: () => 1 });
    const execute = (given: { n?: number }) => given.n;
    const parameters = { type: "object", properties: { n: { type: "number" } } };
    const undo = actions.registerAction<{ n?: number }>({ id: "open", type: "menu", webMcp: { destructive: true }, parameters, execute }); // prettier-ignore
    await vi.waitFor(() => expect(registerTool).toHaveBeenCalledTimes(1));
    const [tool, { signal }] = registerTool.mock.calls[0] as [{ name: string; annotations: object; execute(input: object): Promise<unknown> }, { signal: AbortSignal }]; // prettier-ignore
    expect(tool).toMatchObject({ name: "open", annotations: { destructiveHint: true } });
    await expect(tool.execute({ n: 3 })).resolves.toBe(3);
    await expect(tool.execute({ n: "3" })).rejects.toThrow(/do not fit the schema/);
    expect(signal.aborted).toBe(false);
    undo();
    expect(signal.aborted).toBe(true);
    expect(unregisterTool).toHaveBeenCalledWith("open");
  });
});
