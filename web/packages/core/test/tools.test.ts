import { describe, expect, it, vi } from "vitest";
import type { FrontendTool } from "../src/index.js";
import { answer, call, calls, finished, result, text } from "./events.js";
import { IMPATIENT, setUp } from "./server.js";
import { whileTimePasses } from "./time.js";

function withTools(...tools: Partial<FrontendTool>[]) {
  const { server, client } = setUp(IMPATIENT);
  for (const tool of tools) client.registerTool({ name: "t", description: "", ...tool });
  return { server, client };
}

const cycle: { self?: object } = {};
cycle.self = cycle;
const throwing = (thrown: unknown) => () => {
  throw thrown;
};

const contentOf = (message: unknown): unknown => JSON.parse((message as { content: string }).content);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("tools of the page", () => {
  it("run once each, and their results go out in one run, in order, behind the message that called", async () => {
    const handler = vi.fn(async ({ n }: { n: number }) => {
      await pause(n === 1 ? 20 : 0);
      return { doubled: n * 2 };
    });
    const { server, client } = withTools({ handler: handler as never });
    server.onRun(calls(["c1", "t", { n: 1 }], ["c2", "t", { n: 2 }], ["c3", "t", { n: 3 }])).onRun(answer("Done"));

    await client.send("go");

    expect(handler).toHaveBeenCalledTimes(3);
    expect(server.inputs).toHaveLength(2);
    expect(server.inputs[1]!.messages.map(contentOf)).toEqual([{ doubled: 2 }, { doubled: 4 }, { doubled: 6 }]);
    const results = ["c1", "c2", "c3"].map((toolCallId) => ({ role: "tool", toolCallId }));
    expect(server.inputs[1]!.messages).toMatchObject(results);
    const { messages, toolCalls, status } = client.getSnapshot();
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "tool", "assistant"]);
    expect(toolCalls["c1"]).toMatchObject({
      status: "complete",
      frontend: true,
      args: { n: 1 },
      result: { doubled: 2 },
    });
    expect(status).toBe("idle");
  });

  it("never run again for a call that comes again", async () => {
    const handler = vi.fn(() => "ok");
    const { server, client } = withTools({ handler });
    server.onRun(calls(["c1", "t"])).onRun(calls(["c1", "t"]));
    await client.send("go");
    expect(handler).toHaveBeenCalledOnce();
    expect(server.inputs).toHaveLength(2);
    expect(client.getSnapshot().status).toBe("idle");
  });

  it("run in parallel, but an exclusive one beside no other", async () => {
    const running = new Set<string>();
    const seen: string[] = [];
    const track = (name: string) => async () => {
      running.add(name);
      seen.push([...running].sort().join("+"));
      await pause(10);
      running.delete(name);
    };
    const { server, client } = withTools(
      { name: "a", handler: track("a") },
      { name: "b", handler: track("b") },
      { name: "x", handler: track("x"), exclusive: true },
    );
    server.onRun(calls(["1", "a"], ["2", "b"], ["3", "x"], ["4", "a"], ["5", "b"])).onRun(answer("ok"));
    await client.send("go");
    expect(seen).toEqual(["a", "a+b", "x", "a", "a+b"]);
  });

  it("get arguments that fit their schema, or are not called", async () => {
    const handler = vi.fn(() => "ok");
    const properties = { n: { type: "integer", minimum: 1 } };
    const parameters = { type: "object", properties, required: ["n"], additionalProperties: false };
    const { server, client } = withTools({ handler, parameters });
    const given = [{ n: 0 }, {}, '{"n": 1', { n: 1, m: 2 }, { n: 1 }];
    server.onRun(calls(...given.map((args, at): [string, string, unknown] => [`c${at + 1}`, "t", args])));
    server.onRun(answer("ok"));
    await client.send("go");
    expect(handler).toHaveBeenCalledOnce();
    expect(handler).toHaveBeenCalledWith({ n: 1 }, expect.anything());
    const results = server.inputs[1]!.messages.map(contentOf) as { error?: { type: string; message: string } }[];
    expect(results.slice(0, 4).map(({ error }) => error?.type)).toEqual(Array(4).fill("invalid_arguments"));
    expect(results[1]!.error!.message).toContain('"n"');
    expect(results[4]).toBe("ok");
    expect(client.getSnapshot().toolCalls["c1"]).toMatchObject({
      status: "failed",
      error: { code: "invalid_arguments", details: expect.arrayContaining([expect.stringContaining("n:")]) },
    });
  });

  it("are given an empty object where the model wrote nothing, and never a __proto__", async () => {
    const handler = vi.fn((_: unknown) => "ok");
    const { server, client } = withTools({ handler });
    server.onRun(calls(["c1", "t", ""], ["c2", "t", '{"__proto__": {"polluted": true}, "a": 1}'])).onRun(answer("ok"));
    await client.send("go");
    expect(handler.mock.calls[0]![0]).toEqual({});
    expect(Object.keys(handler.mock.calls[1]![0] as object)).toEqual(["a"]);
  });

  it.each<[string, FrontendTool["handler"], object]>([
    ["they reject", () => Promise.reject(new TypeError("no rows")), { type: "TypeError", message: "no rows" }],
    ["they throw a text", throwing("text"), { type: "Error", message: "text" }],
    ["they throw an object", throwing({ reason: "no rows" }), { message: '{"reason":"no rows"}' }],
    [
      "what they throw has no text",
      throwing(Object.assign(Object.create(null), { cycle })),
      { message: "The tool failed." },
    ],
    ["their result is too large", () => "x".repeat(2 ** 20), { type: "result_too_large" }],
    ["their result has numbers that JSON has not", () => ({ n: 1n }), { type: "unserializable_result" }],
    ["their result holds itself", () => cycle, { type: "unserializable_result" }],
  ])("tell the model when %s", async (_, handler, error) => {
    const { server, client } = withTools({ handler });
    server.onRun(calls(["c1", "t"])).onRun(answer("Sorry"));
    await client.send("go");
    const [sent] = server.inputs[1]!.messages;
    const told = contentOf(sent) as { error: { type: string; message: string } };
    expect(told).toMatchObject({ error });
    expect(sent).toMatchObject({ error: told.error.message });
    const shown = { message: told.error.message, code: told.error.type };
    expect(client.getSnapshot().toolCalls["c1"]).toMatchObject({ status: "failed", error: shown });
    expect(client.getSnapshot().messages.at(-1)!.content).toBe("Sorry");
  });

  it("are told to stop after their timeout", async () => {
    let reason: unknown;
    const { server, client } = withTools({
      timeout: 20,
      handler: (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => (reason = signal.reason))),
    });
    server.onRun(calls(["c1", "t"])).onRun(answer("ok"));
    await client.send("go");
    expect(server.inputs[1]!.messages.map(contentOf)).toMatchObject([{ error: { type: "timeout" } }]);
    expect(reason).toBeInstanceOf(Error);
  });

  it("wait for a person as long as it takes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    let confirm = (_: string) => {};
    const { server, client } = withTools({
      handler: () => new Promise((resolve) => (confirm = resolve)),
    });
    server.onRun(calls(["c1", "t"])).onRun(answer("ok"));
    const sent = client.send("go");
    await vi.waitFor(() => expect(client.getSnapshot().toolCalls["c1"]?.status).toBe("executing"));
    await vi.advanceTimersByTimeAsync(3_600_000);
    confirm("yes");
    await whileTimePasses(sent);
    expect(server.inputs[1]!.messages.map(contentOf)).toEqual(["yes"]);
  });

  it("wait in a hidden page too, and stop when the user stops the run", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    vi.stubGlobal("document", Object.assign(new EventTarget(), { visibilityState: "hidden", hidden: true }));
    let stopped: unknown;
    const { server, client } = withTools({
      handler: (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => (stopped = signal.reason))),
    });
    server.onRun(calls(["c1", "t"])).onRun(answer("ok"));
    const sent = client.send("go");
    await vi.waitFor(() => expect(client.getSnapshot().toolCalls["c1"]?.status).toBe("executing"));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(client.getSnapshot().toolCalls["c1"]?.status).toBe("executing");
    expect(stopped).toBeUndefined();
    await whileTimePasses(client.stop());
    await whileTimePasses(sent);
    expect(stopped).toBeDefined();
    expect(client.getSnapshot()).toMatchObject({ status: "idle", toolCalls: { c1: { status: "cancelled" } } });
    expect(server.inputs).toHaveLength(1);
  });

  it("report progress", async () => {
    const seen: unknown[] = [];
    const { server, client } = withTools({
      handler: async (_, { progress, toolCallId }) => {
        const told = { stage: "reading", message: `for ${toolCallId}`, fraction: 0.5 };
        progress(told.stage, told.message, told.fraction);
        await vi.waitFor(() => expect(seen).toContainEqual(told));
      },
    });
    server.onRun(calls(["c1", "t"])).onRun(answer("ok"));
    client.subscribe(() => seen.push(client.getSnapshot().toolCalls["c1"]?.progress));
    await client.send("go");
    expect(server.inputs[1]!.messages.map(contentOf)).toEqual([{ success: true }]);
  });

  it("leave calls alone that the server answers, that only draw, and that nobody here knows", async () => {
    const handler = vi.fn(() => "ok");
    const { server, client } = withTools(
      { name: "both", handler },
      { name: "drawn", handler, available: "disabled" },
      { name: "bare" },
    );
    server.onRun(function* () {
      yield* call("c1", "both", {}, "m");
      yield* call("c2", "drawn", {}, "m");
      yield* call("c3", "unknown", {}, "m");
      yield* call("c4", "bare", {}, "m");
      yield result("c1", "by the server");
      yield finished();
    });
    await client.send("go");
    expect(handler).not.toHaveBeenCalled();
    expect(server.inputs).toHaveLength(1);
    expect(client.getSnapshot().toolCalls["c1"]).toMatchObject({ status: "complete", frontend: false });
  });

  it("run for a server that does not name the calls", async () => {
    const { server, client } = withTools({ handler: () => "ok" });
    server.onRun(function* () {
      yield* call("c1", "t", {});
      yield finished();
    });
    server.onRun(answer("Done"));
    await client.send("go");
    expect(server.inputs).toHaveLength(2);
  });

  it("answer for a tool that left the page", async () => {
    const { server, client } = withTools();
    const leave = client.registerTool({ name: "gone", description: "", handler: () => "ok" });
    server.onRun(function* () {
      leave();
      yield* calls(["c1", "gone"])(undefined as never, undefined as never) as Iterable<never>;
    });
    server.onRun(answer("ok"));
    await client.send("go");
    expect(server.inputs[0]!.tools).toHaveLength(1);
    expect(server.inputs[1]!.tools).toEqual([]);
    expect(server.inputs[1]!.messages.map(contentOf)).toMatchObject([{ error: { type: "unknown_tool" } }]);
  });

  it("see their changes in the context of the run that follows", async () => {
    let rows = 0;
    const { server, client } = withTools({ handler: () => void setTimeout(() => (rows = 5), 0) });
    client.registerContext({ id: "rows", description: "rows", kind: "dynamic", value: () => rows });
    server.onRun(calls(["c1", "t"])).onRun(answer("ok"));
    await client.send("go");
    expect(server.inputs.map(({ context }) => context[0]!.value)).toEqual(["0", "5"]);
  });

  it("form a stack by name", () => {
    const { client } = withTools();
    const below = client.registerTool({ name: "t", description: "below", handler: () => 1 });
    const above = client.registerTool({ name: "t", description: "above", handler: () => 2 });
    const names = () => client.getTools().map(({ description }) => description);
    expect(names()).toEqual(["above"]);
    above();
    above();
    expect(names()).toEqual(["below"]);
    below();
    expect(names()).toEqual([]);
  });

  it("cannot keep the assistant busy for ever", async () => {
    const { server, client } = withTools({ handler: () => "ok" });
    for (let i = 0; i < 40; i++) server.onRun(calls([`c${i}`, "t"]));
    await client.send("go");
    expect(server.inputs).toHaveLength(26);
    expect(client.getSnapshot().error).toMatchObject({ code: "follow_up_limit", retryable: true });
    await client.retry();
    expect(contentOf(server.inputs[26]!.messages[0])).toBe("ok");
  });

  it("do not run again when their results have to be sent again", async () => {
    const handler = vi.fn(() => "ok");
    const { server, client } = withTools({ handler });
    server
      .onRun(calls(["c1", "t"]))
      .onRunRefuse(503, { error: { code: "draining", message: "Restarting" } })
      .onRun(answer("Done"));
    await client.send("go");
    expect(client.getSnapshot().error).toMatchObject({ code: "draining", retryable: true });
    await client.retry();
    expect(handler).toHaveBeenCalledOnce();
    expect(server.inputs[2]!.messages).toEqual(server.inputs[1]!.messages);
    expect(client.getSnapshot()).toMatchObject({ status: "idle", error: undefined });
  });

  it("stay as they are when the answer to their results fails half way", async () => {
    const { server, client } = withTools({ handler: () => "ok" });
    server
      .onRun(calls(["c1", "t"]))
      .onRunBroken(text("half", "I"))
      .onRun(answer("Whole", "w"));
    await client.send("go");
    expect(client.getSnapshot().error?.code).toBe("interrupted");
    await client.retry();
    expect(server.inputs[2]!.messages).toEqual(server.inputs[1]!.messages);
    expect(client.getSnapshot().messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "go"],
      ["assistant", undefined],
      ["tool", '"ok"'],
      ["assistant", "Whole"],
    ]);
  });
});
