import { describe, expect, it, vi } from "vitest";
import type { Message } from "../src/index.js";
import { answer, calls, text } from "./events.js";
import { IMPATIENT, json, setUp } from "./server.js";

const toolCall = (id: string, name: string) => ({
  id,
  type: "function" as const,
  function: { name, arguments: '{"q":1}' },
});

const STORED: Message[] = [
  { id: "u1", role: "user", content: "old" },
  {
    id: "a1",
    role: "assistant",
    toolCalls: [toolCall("c1", "search"), toolCall("c2", "search"), toolCall("c3", "pick")],
  },
  { id: "t1", role: "tool", toolCallId: "c1", content: '{"hits":1}' },
  { id: "t2", role: "tool", toolCallId: "c2", content: '{"error":{"message":"down"}}' },
  { id: "u2", role: "user", content: "again" },
  { id: "a2", role: "assistant", toolCalls: [toolCall("c4", "pick")] },
];

function begin(messages = STORED, threadId?: string, lastRun?: { status: string; code?: string }) {
  const { server, client } = setUp({ threadId, ...IMPATIENT });
  const outcome = { type: "success", pendingToolCallIds: ["c4"] };
  server.holds("old", messages, lastRun ? { metadata: { pageside: { lastRun } } } : { outcome });
  server.routes.set("/v1/threads/old", () => json({ id: "old", title: "Old talk" }));
  server.routes.set("/v1/threads/old/runs", () => json({ runs: [], head: "r1" }));
  return { server, client };
}

describe("threads", () => {
  it("are listed page by page", async () => {
    const { server, client } = begin();
    const thread = { id: "x", title: "X", agent: "default", archived: false, createdAt: "c", updatedAt: "u" };
    server.routes.set("/v1/threads", () => json({ threads: [thread], next: "n&" }));
    const shown = { id: "x", title: "X", updatedAt: "u", createdAt: "c", archived: false };
    expect(await client.listThreads()).toEqual({ threads: [shown], next: "n&" });
    server.routes.set("/v1/threads", () => json({ threads: [{ ...thread, pinned: true }] }));
    expect((await client.threads.list()).threads).toEqual([{ ...shown, pinned: true }]);
    await client.listThreads("n&");
    expect(server.requests).toEqual([
      "GET /v1/threads?limit=50",
      "GET /v1/threads?limit=50",
      "GET /v1/threads?limit=50&cursor=n%26",
    ]);
  });

  it("have limits, which are the user's", async () => {
    const { client, server } = begin();
    const limits = { runs: { used: 1, limit: 8 }, quotas: [], requests: {}, run: { tokens: 100 } };
    server.routes.set("/v1/limits", () => json(limits));
    expect(await client.limits()).toEqual(limits);
    expect(server.requests).toEqual(["GET /v1/limits"]);
  });

  it("are loaded whole, with their tool calls, and nothing is run", async () => {
    const { client } = begin();
    const handler = vi.fn(() => "ok");
    client.registerTool({ name: "pick", description: "", handler });
    const loading = client.openThread("old");
    expect(client.getSnapshot()).toMatchObject({ threadId: "old", loading: true });
    await loading;
    const { messages, title, toolCalls, status, loading: still } = client.getSnapshot();
    expect(messages).toEqual(STORED);
    expect({ title, status, still }).toEqual({ title: "Old talk", status: "idle", still: false });
    expect(toolCalls).toMatchObject({
      c1: { status: "complete", result: { hits: 1 }, args: { q: 1 } },
      c2: { status: "failed", error: { message: "down" } },
      c3: { status: "cancelled" }, // the user went on without it
      c4: { status: "pending", frontend: true },
    });
    expect(handler).not.toHaveBeenCalled();
  });

  it("run their pending calls when asked, once", async () => {
    const { server, client } = begin();
    const handler = vi.fn(() => "picked");
    client.registerTool({ name: "pick", description: "", handler });
    server.onRun(answer("Thanks", "a3"));
    await client.openThread("old");
    await Promise.all([client.resumePending(), client.resumePending()]);
    expect(handler).toHaveBeenCalledOnce();
    expect(server.inputs).toHaveLength(1);
    expect(server.inputs[0]).toMatchObject({
      threadId: "old",
      messages: [{ role: "tool", toolCallId: "c4", content: '"picked"' }],
    });
    expect(client.getSnapshot().toolCalls["c4"]!.status).toBe("complete");
  });

  it("that were given at the start are loaded when somebody looks, or are new", async () => {
    const { client } = begin(STORED, "old");
    client.subscribe(() => {});
    await vi.waitFor(() => expect(client.getSnapshot().messages).toHaveLength(STORED.length));
    const unknown = begin(STORED, "fresh");
    unknown.client.subscribe(() => {});
    await vi.waitFor(() => expect(unknown.client.getSnapshot().loading).toBe(false));
    expect(unknown.client.getSnapshot()).toMatchObject({ status: "idle", error: undefined, threadId: "fresh" });
  });

  it("that cannot be loaded can be tried again", async () => {
    const { server, client } = begin();
    const route = server.routes.get("/v1/threads/old/events")!;
    const later = { error: { code: "store_unavailable", message: "Later" } };
    server.routes.set("/v1/threads/old/events", () => json(later, 503));
    await client.openThread("old");
    expect(client.getSnapshot()).toMatchObject({
      status: "error",
      error: { code: "store_unavailable", retryable: true },
    });
    server.routes.set("/v1/threads/old/events", route);
    await client.retry();
    expect(client.getSnapshot().messages).toHaveLength(STORED.length);
  });

  it("do not mix: what comes for the one that was left is dropped, its tools are stopped", async () => {
    const { server, client } = begin();
    let signal: AbortSignal | undefined;
    client.registerTool({
      name: "wait",
      description: "",
      handler: (_, context) => new Promise(() => (signal = context.signal)),
    });
    server.onRun(calls(["c9", "wait"]));
    const sent = client.send("first");
    await vi.waitFor(() => expect(signal).toBeDefined());
    const before = client.getSnapshot().threadId;
    client.newThread();
    await sent;
    expect(signal!.aborted).toBe(true);
    expect(client.getSnapshot()).toMatchObject({ messages: [], status: "idle" });
    expect(client.getSnapshot().threadId).not.toBe(before);
    server.onRun(answer("Hi"));
    await client.send("second");
    expect(client.getSnapshot().messages).toHaveLength(2);
    expect(server.inputs[1]!.threadId).toBe(client.getSnapshot().threadId);
  });

  it("are fetched where a run waits for calls whose stream was lost", async () => {
    const { server, client } = begin(STORED, "old");
    client.registerTool({ name: "pick", description: "", handler: () => "picked" });
    server.onRun(function* () {
      yield { type: "RUN_FINISHED", outcome: { type: "success", pendingToolCallIds: ["c4"] } } as never;
    });
    server.onRun(answer("Thanks", "a3"));
    await client.send("go on");
    expect(server.inputs[1]!.messages).toMatchObject([{ role: "tool", toolCallId: "c4" }]);
  });

  it("take a snapshot of the server for the truth", async () => {
    const { server, client } = begin();
    server.onRun(function* () {
      yield* text("half", "I");
      yield { type: "MESSAGES_SNAPSHOT", messages: STORED } as never;
      yield { type: "RUN_FINISHED" } as never;
    });
    await client.send("go");
    expect(client.getSnapshot().messages).toEqual(STORED);
    expect(client.getSnapshot().toolCalls["c1"]!.status).toBe("complete");
  });

  it("tell after a reload that the last run failed, and can be tried again", async () => {
    const { server, client } = begin(STORED.slice(0, 5), undefined, { status: "failed", code: "llm_empty" });
    await client.openThread("old");
    expect(client.getSnapshot()).toMatchObject({ status: "error", error: { code: "llm_empty", retryable: true } });
    server.onRun(answer("Here", "a3"));
    await client.retry();
    expect(server.inputs[0]!.messages).toMatchObject([{ id: "u2", content: "again" }]);
    expect(client.getSnapshot()).toMatchObject({ status: "idle", error: undefined });
  });

  it("offer no second try where the same would fail again", async () => {
    const { client } = begin(STORED.slice(0, 5), undefined, { status: "failed", code: "llm_context_full" });
    await client.openThread("old");
    expect(client.getSnapshot().error).toMatchObject({ code: "llm_context_full", retryable: false });
  });

  it("tell after a reload that a run was stopped before it said anything", async () => {
    const { client } = begin(STORED.slice(0, 5), undefined, { status: "cancelled" });
    await client.openThread("old");
    expect(client.getSnapshot()).toMatchObject({ status: "idle", error: undefined, stoppedMessageIds: ["u2"] });
  });
});
