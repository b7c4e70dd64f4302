import { beforeEach, describe, expect, it, vi } from "vitest";
import { commandsOf, pluginsOf, registerPlugin, type Capability, type PagesideClient } from "../src/index.js";
import { answer, calls } from "./events.js";
import { IMPATIENT, setUp, type TestServer } from "./server.js";

let server: TestServer;
let client: PagesideClient;

beforeEach(() => {
  ({ server, client } = setUp(IMPATIENT));
});

const double = { name: "double", description: "Doubles", handler: ({ n }: { n: number }) => n * 2 };
const soon = () => new Promise((resolve) => setTimeout(resolve, 30));

it("knows the plug-ins of a page", () => {
  const undo = registerPlugin(client, { id: "discover", name: "Discover" });
  expect(pluginsOf(client)).toEqual([{ id: "discover", name: "Discover" }]);
  expect(() => registerPlugin(client, { id: "discover", name: "Other" })).toThrow(/same id/);
  undo();
  expect(pluginsOf(client)).toEqual([]);
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
  });

  it("registered twice, what either names; an unknown one throws", () => {
    warned();
    contribute();
    registerPlugin(client, { id: source, name: "Discover", capabilities: ["tools"] });
    registerPlugin(client, { id: source, name: "Discover", capabilities: ["context"] });
    expect(contributed()).toEqual({ tools: 1, context: 3, prompts: 0 });
    const wrong = { id: "x", name: "X", capabilities: ["search" as Capability] };
    expect(() => registerPlugin(client, wrong)).toThrow(/capabilities of the plug-in "x": "search" is not known/);
  });
});
