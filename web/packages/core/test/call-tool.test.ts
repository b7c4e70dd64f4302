import { beforeEach, describe, expect, it, vi } from "vitest";
import { pageCallsOf, updateToolCall } from "../src/calls.js";
import { callTool, type PagesideClient } from "../src/index.js";
import { answerWith } from "./asking.js";
import { answer, calls } from "./events.js";
import { IMPATIENT, setUp, type TestServer } from "./server.js";

let server: TestServer;
let client: PagesideClient;

beforeEach(() => {
  ({ server, client } = setUp(IMPATIENT));
});

const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const double = { name: "double", description: "Doubles", parameters, handler: ({ n }: { n: number }) => n * 2 };

describe("a tool that the page calls itself is one", () => {
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

  it("that asks, and runs with what the user changed", async () => {
    client.registerTool({ ...double, requiresConfirmation: ({ n }) => `Double ${n}?`, destructive: true });
    const asked = answerWith(client, { approved: true, args: { n: 10 } }, { approved: false });
    expect(await callTool(client, "double", { n: 4 })).toBe(20);
    expect(asked).toMatchObject([{ name: "double", message: "Double 4?", args: { n: 4 }, destructive: true }]);
    await expect(callTool(client, "double", { n: 4 })).rejects.toMatchObject({ name: "denied" });
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
