import { describe, expect, it, vi } from "vitest";
import { createPagesideClient } from "../src/index.js";
import type { PagesideClient } from "../src/index.js";
import { call, calls, finished, result, text } from "./events.js";
import { contents, refuse, type Script, setUp } from "./server.js";
import { gate } from "./tabs.js";
import { whileTimePasses } from "./time.js";

const queued = (client: PagesideClient) => client.getSnapshot().queue.map(({ text }) => text);

/** A run that goes on until it is cancelled, and then says how it ended. */
const untilCancelled: Script = async function* (_, run) {
  yield { type: "TEXT_MESSAGE_START", messageId: "a1", role: "assistant" };
  yield { type: "TEXT_MESSAGE_CONTENT", messageId: "a1", delta: "on and on" };
  await run.cancelled();
  yield { type: "TEXT_MESSAGE_CONTENT", messageId: "a1", delta: ", the end" };
  yield { type: "TEXT_MESSAGE_END", messageId: "a1" };
};

describe("the queue", () => {
  it("keeps messages for the end of the run, can be changed, and is sent in order", async () => {
    const { server, client } = setUp();
    const open = server.inHalves(["a1", "one"]);
    server.onRun(() => text("a2", "two")).onRun(() => text("a3", "three"));
    const sent = ["1", "2", "oops", "3"].map((words) => client.send(words));
    await vi.waitFor(() => expect(contents(client)).toEqual(["1", "one"]));
    expect(queued(client)).toEqual(["2", "oops", "3"]);
    const [two, oops] = client.getSnapshot().queue;
    await client.editQueued(two!.id, "zwei");
    await client.removeQueued(oops!.id);
    await sent[2];
    expect(queued(client)).toEqual(["zwei", "3"]);
    open();
    await Promise.all(sent);
    expect(contents(client)).toEqual(["1", "one", "zwei", "two", "3", "three"]);
    expect(client.getSnapshot()).toMatchObject({ queue: [], queueHeld: false, status: "idle" });
    expect(server.inputs[1]!.messages).toMatchObject([{ id: two!.id, content: "zwei" }]);
  });

  it("is held by stop, which tells the server and takes the run's own end, until the user sends again", async () => {
    const { server, client } = setUp();
    server.onRun(untilCancelled);
    const first = client.send("1");
    await vi.waitFor(() => expect(contents(client)).toContain("on and on"));
    void client.send("2");
    await client.stop();
    await first;
    expect(contents(client)).toEqual(["1", "on and on, the end"]);
    const held = { queue: [{ text: "2" }], queueHeld: true };
    const ended = { status: "idle", connection: "idle", stoppedMessageIds: ["a1"], error: undefined };
    expect(client.getSnapshot()).toMatchObject({ ...held, ...ended });
    expect(server.inputs).toHaveLength(1);
    expect(server.requests).toContain(`POST /v1/runs/${server.inputs[0]!.runId}/cancel`);
    expect(server.open).toBe(0);
    server.onRun(() => text("a2", "two")).onRun(() => text("a3", "three"));
    await client.send("3");
    expect(contents(client)).toEqual(["1", "on and on, the end", "2", "two", "3", "three"]);
    expect(client.getSnapshot()).toMatchObject({ queue: [], queueHeld: false });
  });

  it("is held by an error, and goes on after a retry", async () => {
    const { server, client } = setUp();
    const { opened, open } = gate();
    server.onRun(async function* () {
      await opened;
      yield { type: "RUN_ERROR", message: "No", code: "overloaded" };
    });
    void client.send("1");
    await vi.waitFor(() => expect(server.inputs).toHaveLength(1));
    const second = client.send("2");
    open();
    await vi.waitFor(() => expect(client.getSnapshot().status).toBe("error"));
    expect(client.getSnapshot()).toMatchObject({ queue: [{ text: "2" }], queueHeld: true });
    server.onRun(() => text("a1", "one")).onRun(() => text("a2", "two"));
    await client.retry();
    await second;
    expect(contents(client)).toEqual(["1", "one", "2", "two"]);
  });

  it("waits while its thread is left, and is sent when that is opened again", async () => {
    const { server, client } = setUp();
    const open = server.inHalves(["a1", "one"]);
    void client.send("1");
    void client.send("2");
    await vi.waitFor(() => expect(contents(client)).toContain("one"));
    const { threadId } = client.getSnapshot();
    client.newThread();
    expect(queued(client)).toEqual([]);
    server.onRun(() => text("a2", "two"));
    open();
    await client.openThread(threadId);
    await vi.waitFor(() => expect(contents(client)).toEqual(["1", "one", "2", "two"]));
    expect(queued(client)).toEqual([]);
  });
});

describe("stop", () => {
  it("ends the run here where the server does not end it, or cannot be told", async () => {
    for (const before of [undefined, () => refuse(503, "draining")]) {
      const { server, client } = setUp();
      server.onRun(async function* () {
        yield* text("a1", "on and on");
        await new Promise(() => {});
      });
      const sent = client.send("go");
      await vi.waitFor(() => expect(contents(client)).toContain("on and on"));
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      server.before = before;
      await whileTimePasses(client.stop());
      await sent;
      expect(client.getSnapshot()).toMatchObject({ status: "idle", stoppedMessageIds: ["a1"] });
      await vi.advanceTimersByTimeAsync(1000);
      const cancels = server.requests.filter((path) => path.endsWith("/cancel"));
      expect(cancels).toHaveLength(before ? 2 : 1);
      vi.useRealTimers();
    }
  });

  it("runs no tool of a run that ended in that moment", async () => {
    const { server, client } = setUp();
    const handler = vi.fn(() => "no");
    client.registerTool({ name: "pick", description: "", handler });
    server.onRun(async function* (_, run) {
      yield* text("a1", "well");
      await run.cancelled();
      yield* call("c1", "pick", {}, "a1");
      yield finished({ type: "success", pendingToolCallIds: ["c1"] });
    });
    const sent = client.send("go");
    await vi.waitFor(() => expect(contents(client)).toContain("well"));
    await client.stop();
    await sent;
    expect(handler).not.toHaveBeenCalled();
    expect(client.getSnapshot()).toMatchObject({ status: "idle", toolCalls: { c1: { status: "cancelled" } } });
  });

  it("does nothing where nothing happens", async () => {
    const { server, client } = setUp();
    await client.stop();
    expect(client.getSnapshot()).toMatchObject({ status: "idle", stoppedMessageIds: [] });
    expect(server.seen).toEqual([]);
  });

  it("gives up waiting for the server, too", async () => {
    const { server, client } = setUp({ reconnect: { random: () => 1 } });
    server.onRun(() => text("a1", "Hi"));
    server.before = () => {
      throw new TypeError("Failed to fetch");
    };
    const sent = client.send("go");
    await vi.waitFor(() => expect(client.getSnapshot().connection).toBe("reconnecting"));
    await client.stop();
    await sent;
    expect(client.getSnapshot()).toMatchObject({ status: "idle", connection: "idle", error: undefined });
  });
});

describe("leaving a thread", () => {
  it("while tools run sends what they had done by then", async () => {
    const { server, client } = setUp();
    client.registerTool({ name: "quick", description: "", handler: () => "paid" });
    client.registerTool({ name: "slow", description: "", handler: () => new Promise(() => {}) });
    server.onRun(calls(["c1", "quick"], ["c2", "slow"]));
    void client.send("go");
    await vi.waitFor(() => expect(client.getSnapshot().toolCalls["c1"]?.status).toBe("complete"));
    const { threadId } = client.getSnapshot();
    server.onRun(() => [finished({ type: "success", pendingToolCallIds: ["c2"] })]);
    client.newThread();
    await vi.waitFor(() => expect(server.inputs).toHaveLength(2));
    expect(server.inputs[1]).toMatchObject({
      threadId,
      messages: [{ role: "tool", toolCallId: "c1", content: '"paid"' }],
    });
    await vi.waitFor(() => expect(server.open).toBe(0));
    await client.openThread(threadId);
    expect(client.getSnapshot().toolCalls).toMatchObject({
      c1: { status: "complete", result: "paid" },
      c2: { status: "cancelled", attempted: true },
    });
  });
});

describe("what waits for a person", () => {
  const ask = (...ids: string[]) =>
    finished({
      type: "interrupt",
      interrupts: ids.map((id) => ({ id: `i-${id}`, reason: "tool_call", toolCallId: id, message: `May I ${id}?` })),
    });
  /** A run that wants to delete and to pay, and one that was allowed to. */
  const wants: Script = function* () {
    yield* call("delete", "delete", { n: 1 }, "m1");
    yield* call("pay", "pay", { n: 2 }, "m1");
    yield ask("delete", "pay");
  };
  const goesOn: Script = function* () {
    yield result("delete", { deleted: 1 });
    yield result("pay", { error: { code: "denied", message: "denied by the user" } });
    yield* text("a1", "Done");
  };

  it("is answered in one run, when everything is answered", async () => {
    const { server, client } = setUp();
    server.onRun(wants).onRun(goesOn);
    await client.send("go");
    expect(client.getSnapshot()).toMatchObject({
      status: "idle",
      questions: [
        { id: "i-delete", message: "May I delete?" },
        { id: "i-pay", toolCallId: "pay" },
      ],
      toolCalls: { delete: { status: "awaiting-approval" }, pay: { status: "awaiting-approval" } },
    });
    await client.answer("i-delete", { approved: true, args: { n: 9 } });
    expect(server.inputs).toHaveLength(1);
    expect(client.getSnapshot().questions[0]!.answer).toEqual({
      status: "resolved",
      payload: { approved: true, args: { n: 9 } },
    });
    await client.answer("i-pay", { approved: false });
    expect(server.inputs).toHaveLength(2);
    expect(server.inputs[1]!.resume).toEqual([
      { interruptId: "i-delete", status: "resolved", payload: { approved: true, args: { n: 9 } } },
      { interruptId: "i-pay", status: "resolved", payload: { approved: false } },
    ]);
    expect(client.getSnapshot()).toMatchObject({
      questions: [],
      toolCalls: { delete: { status: "complete" }, pay: { status: "denied" } },
    });
    expect(contents(client).at(-1)).toBe("Done");
  });

  it.each([
    ["is denied", "the server's permissions refuse it", "denied", "not_permitted"],
    ["is cancelled", "the run ended first", "cancelled", "interrupted"],
  ])("%s, and no failure, where %s", async (_, message, status, code) => {
    const { server, client } = setUp();
    server.onRun(function* () {
      yield* call("pay", "pay", { n: 1 }, "m1");
      yield result("pay", { error: { code, message } });
      yield* text("a1", "Sorry");
    });
    await client.send("go");
    const { pay } = client.getSnapshot().toolCalls;
    expect(pay).toMatchObject({ status, error: { code, message } });
    expect(pay!.result).toBeUndefined(); // the tool has none, and renders take what is there
  });

  it("may be cancelled, and is by a message that is sent instead", async () => {
    const { server, client } = setUp();
    server.onRun(wants).onRun(goesOn);
    await client.send("go");
    await client.answer("i-delete");
    await client.send("never mind");
    expect(server.inputs[1]).toMatchObject({
      messages: [{ role: "user", content: "never mind" }],
      resume: [
        { interruptId: "i-delete", status: "cancelled" },
        { interruptId: "i-pay", status: "cancelled" },
      ],
    });
    expect(client.getSnapshot().questions).toEqual([]);
  });

  it("holds the queue", async () => {
    const { server, client } = setUp();
    server.onRun(wants).onRun(goesOn).onRun(() => text("a2", "two")); // prettier-ignore
    const all = [client.send("1"), client.send("2")];
    await vi.waitFor(() => expect(client.getSnapshot().questions).toHaveLength(2));
    await vi.waitFor(() => expect(client.getSnapshot().status).toBe("idle"));
    expect(client.getSnapshot()).toMatchObject({ queue: [{ text: "2" }], queueHeld: true });
    await Promise.all([client.answer("i-delete", { approved: true }), client.answer("i-pay", { approved: false })]);
    await Promise.all(all);
    expect(contents(client).slice(-3)).toEqual(["Done", "2", "two"]);
  });

  it("is there again after a reload, and can be answered", async () => {
    const { server, client } = setUp();
    server.onRun(wants).onRun(goesOn);
    await client.send("go");
    const later = createPagesideClient({ url: "https://test", fetch: server.fetch });
    await later.openThread(client.getSnapshot().threadId);
    expect(later.getSnapshot()).toMatchObject({
      questions: [{ id: "i-delete" }, { id: "i-pay" }],
      toolCalls: { delete: { status: "awaiting-approval", args: { n: 1 } } },
    });
    await later.answer("i-delete", { approved: true });
    await later.answer("i-pay", "no, thanks");
    expect(server.inputs[1]!.resume).toMatchObject([{ interruptId: "i-delete" }, { payload: "no, thanks" }]);
    expect(contents(later).at(-1)).toBe("Done");
  });

  it("is answered together with the tools of the page that were called beside", async () => {
    const { server, client } = setUp();
    const handler = vi.fn(() => "picked");
    client.registerTool({ name: "pick", description: "", handler });
    server.onRun(function* () {
      yield* call("pick1", "pick", {}, "m1");
      yield* call("delete", "delete", {}, "m1");
      yield ask("delete");
    });
    server.onRun(() => text("a1", "Done"));
    await client.send("go");
    expect(handler).toHaveBeenCalledOnce();
    expect(server.inputs).toHaveLength(1);
    await client.answer("i-delete", { approved: true });
    expect(server.inputs[1]).toMatchObject({
      messages: [{ role: "tool", toolCallId: "pick1", content: '"picked"' }],
      resume: [{ interruptId: "i-delete", status: "resolved" }],
    });
    expect(handler).toHaveBeenCalledOnce();
  });

  it("still waits where its answers could not be sent, and a retry sends them", async () => {
    const { server, client } = setUp();
    server.onRun(wants);
    await client.send("go");
    await client.answer("i-delete");
    server.before = () => refuse(500, "internal");
    await client.answer("i-pay", { approved: true });
    expect(client.getSnapshot()).toMatchObject({ status: "error", questions: [{ id: "i-delete" }, { id: "i-pay" }] });
    server.before = undefined;
    server.onRun(goesOn);
    await client.retry();
    expect(server.inputs[1]!.resume).toEqual([
      { interruptId: "i-delete", status: "cancelled" },
      { interruptId: "i-pay", status: "resolved", payload: { approved: true } },
    ]);
    expect(client.getSnapshot().questions).toEqual([]);
  });

  it("ignores answers to what nobody asked", async () => {
    const { server, client } = setUp();
    await client.answer("nobody", { approved: true });
    expect(server.seen).toEqual([]);
  });
});
