/**
 * What the user switched off, and what waits for the user's word: nothing of it happens without.
 */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FrontendTool, PagesideClient } from "../src/index.js";
import { answerCall } from "./asking.js";
import { answer, calls, finished, text } from "./events.js";
import { IMPATIENT, setUp, type TestServer } from "./server.js";

let server: TestServer;
let client: PagesideClient;
beforeEach(() => {
  ({ server, client } = setUp(IMPATIENT));
});

const told = (run = 1) => server.inputs[run]!.messages.map(({ content }) => JSON.parse(content as string) as unknown);
const waiting = () => client.getSnapshot().questions;

describe("what is switched off", () => {
  it("is not run where the model calls it all the same", async () => {
    const handler = vi.fn(() => "done");
    client.registerTool({ name: "t", description: "", handler });
    client.setIncluded("tool", "t", false);
    server.onRun(calls(["c1", "t"])).onRun(answer("ok"));
    await client.send("go");
    expect(handler).not.toHaveBeenCalled();
    expect(told()).toEqual([{ error: { type: "switched_off", message: expect.stringContaining('"t"') as unknown } }]);
    client.setIncluded("tool", "t", true);
    server.onRun(calls(["c2", "t"])).onRun(answer("ok", "a2"));
    await client.send("go");
    expect(handler).toHaveBeenCalledOnce();
  });

  it("is not run where that happens while the user is asked", async () => {
    const handler = vi.fn();
    client.registerTool({ name: "t", description: "", requiresConfirmation: true, handler });
    server.onRun(calls(["c1", "t"])).onRun(answer("ok"));
    const done = client.send("go");
    await vi.waitFor(() => expect(waiting()).toHaveLength(1));
    client.setIncluded("tool", "t", false);
    void answerCall(client, "c1", { approved: true });
    await done;
    expect(handler).not.toHaveBeenCalled();
  });

  it("gives no items either", async () => {
    const items = vi.fn(() => [{ id: 1, secret: "s" }]);
    client.registerContext({ id: "off", description: "Off", value: "brief", items, kind: "dynamic" });
    client.registerContext({ id: "on", description: "On", value: "brief", items: () => [{ id: 2 }], kind: "dynamic" });
    client.setIncluded("context", "off", false);
    server.onRun(calls(["c1", "retrieve_items"], ["c2", "retrieve_items", { source: "Off" }])).onRun(answer("ok"));
    await client.send("go");
    expect(items).not.toHaveBeenCalled();
    expect(told()).toMatchObject([{ results: [{ source: "On" }] }, { error: { message: expect.not.stringContaining("There is: Off") as unknown } }]); // prettier-ignore
  });

  it("gives its items for the message that mentions it, and no other", async () => {
    client.registerContext({ id: "off", description: "Off", value: 1, items: () => [{ id: 1 }], kind: "dynamic" });
    client.setIncluded("context", "off", false);
    server.onRun(calls(["c1", "retrieve_items"])).onRun(answer("ok"));
    await client.send("go", { mentions: ["off"] });
    expect(told()).toMatchObject([{ results: [{ source: "Off", items: [{ item: { id: 1 } }] }] }]);
    server.onRun(calls(["c2", "retrieve_items"])).onRun(answer("ok", "a2"));
    await client.send("go");
    expect(told(3)).toMatchObject([{ error: {} }]);
  });
});

describe("a call that waits for the user's word", () => {
  it("waits on after the thread was left and opened again, and was not begun meanwhile", async () => {
    const handler = vi.fn(() => "done");
    client.registerTool({ name: "t", description: "", requiresConfirmation: true, handler });
    server.onRun(calls(["c1", "t"])).onRun(answer("ok", "a2"));
    void client.send("go");
    await vi.waitFor(() => expect(waiting()).toHaveLength(1));
    const { threadId, messages } = client.getSnapshot();
    client.newThread();
    server.holds(threadId, messages, { outcome: { type: "success", pendingToolCallIds: ["c1"] } });
    await client.openThread(threadId);
    expect(client.getSnapshot().toolCalls["c1"]).toMatchObject({ status: "pending" });
    expect(client.getSnapshot().toolCalls["c1"]!.attempted).toBeFalsy();
    const resumed = client.resumePending();
    await vi.waitFor(() => expect(waiting()).toHaveLength(1));
    expect(handler).not.toHaveBeenCalled();
    void answerCall(client, "c1", { approved: true });
    await resumed;
    expect(handler).toHaveBeenCalledOnce();
  });

  it("keeps an exclusive one from beginning, and the exclusive one those behind it", async () => {
    const order: string[] = [];
    const tool = (name: string, more: Partial<FrontendTool> = {}) =>
      client.registerTool({ name, description: "", handler: () => order.push(name), ...more });
    tool("asks", { requiresConfirmation: true });
    tool("alone", { exclusive: true });
    tool("last");
    server.onRun(calls(["c1", "asks"], ["c2", "alone"], ["c3", "last"])).onRun(answer("ok"));
    const done = client.send("go");
    await vi.waitFor(() => expect(waiting()).toHaveLength(1));
    expect(order).toEqual([]);
    void answerCall(client, "c1", { approved: true });
    void answerCall(client, "c1", { approved: false }); // too late: the first word counts
    await done;
    expect(order).toEqual(["asks", "alone", "last"]);
  });
});

describe("an interrupt that is answered twice", () => {
  const asked = () => ({ type: "interrupt", interrupts: [{ id: "i1", reason: "tool_call", toolCallId: "c1" }] });
  const resumed = (run: number) => (server.inputs[run] as unknown as { resume: unknown }).resume;

  beforeEach(async () => {
    server.onRun(function* () {
      yield* text("a1", "Hm.");
      yield finished(asked());
    });
    await client.send("go");
  });

  it("is sent once, as it was answered first", async () => {
    server.onRun(answer("ok", "a2")).onRun(answer("again", "a3"));
    await Promise.all([client.answer("i1", { approved: true }), client.answer("i1", { approved: false })]);
    expect(server.inputs).toHaveLength(2);
    expect(resumed(1)).toEqual([{ interruptId: "i1", status: "resolved", payload: { approved: true } }]);
  });

  it("is not tried again by itself where the server refuses", async () => {
    const refused = { error: { code: "overloaded", message: "x" } };
    server.onRunRefuse(503, refused).onRunRefuse(503, refused);
    await Promise.all([client.answer("i1", { approved: true }), client.answer("i1", { approved: true })]);
    expect(client.getSnapshot().status).toBe("error");
    expect(server.inputs).toHaveLength(2);
  });
});
