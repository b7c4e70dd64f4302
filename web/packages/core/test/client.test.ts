import { describe, expect, it, vi } from "vitest";
import { createPagesideClient } from "../src/index.js";
import type { PagesideClient } from "../src/index.js";
import { answer, call, calls, finished, result, text } from "./events.js";
import { IMPATIENT, json, refuse, setUp } from "./server.js";
import { gate } from "./tabs.js";

const has = (words: string) => expect.stringContaining(words) as string;
const begin = () => setUp({ url: "https://test/", ...IMPATIENT });

const contents = (client: PagesideClient) => client.getSnapshot().messages.map(({ role, content }) => [role, content]);

describe("a run", () => {
  it("sends only what is new, with everything the page says", async () => {
    const { server, client } = begin();
    server.onRun(answer("Hi")).onRun(answer("Again", "a2"));
    client.setPlace({ page: "discover", tab: "logs", scope: { index: "42" } });
    client.registerContext({ id: "rows", description: "rows", value: () => [1, 2], kind: "dynamic", label: "@rows" });
    client.registerContext({ id: "url", description: "page", value: "text", kind: "page" });
    client.registerContext({ id: "big", description: "big", value: { a: 1 }, kind: "dynamic", auto: false });
    client.registerTool({ name: "b", description: "B", handler: () => 1 });
    client.registerTool({ name: "a", description: "A", parameters: { type: "object" }, handler: () => 1 });
    client.registerTool({ name: "shown", description: "only drawn", available: "disabled", handler: () => 1 });

    await client.send("Hello");
    await client.send("More", { mentions: ["big"] });

    const [first, second] = server.inputs;
    expect(first).toMatchObject({
      threadId: client.getSnapshot().threadId,
      protocolVersion: "1.0",
      state: {},
      messages: [{ role: "user", content: "Hello" }],
      tools: [
        { name: "a", description: "A", parameters: { type: "object" } },
        { name: "b", description: "B", parameters: { type: "object", properties: {} } },
      ],
      context: [
        { description: "page", value: "text" },
        { description: "rows", value: "[1,2]" },
      ],
    });
    expect(first!.forwardedProps).toEqual({
      pageside: {
        page: "discover",
        tab: "logs",
        scope: { index: "42" },
        context: [
          { id: "url", kind: "page" },
          { id: "rows", kind: "dynamic", label: "@rows" },
        ],
      },
    });
    expect(second!.messages).toMatchObject([{ role: "user", content: "More" }]);
    expect(second!.context).toHaveLength(3);
    expect(second!.forwardedProps.pageside.context[2]).toEqual({ id: "big", kind: "mention" });
    expect(second!.runId).not.toBe(first!.runId);
    expect(contents(client)).toEqual([
      ["user", "Hello"],
      ["assistant", "Hi"],
      ["user", "More"],
      ["assistant", "Again"],
    ]);
    expect(client.getSnapshot().status).toBe("idle");
  });

  it("passes through the states, streams, and keeps the identity of what does not change", async () => {
    const { server, client } = begin();
    const { opened, open } = gate();
    const statuses: string[] = [];
    server.onRun(async function* () {
      yield { type: "CUSTOM", name: "conversation_title", value: "A title" };
      await opened;
      yield* text("a1", "one ", "two");
      await vi.waitFor(() => expect(statuses).toContain("streaming"));
      yield finished();
    });
    client.subscribe(() => statuses.push(client.getSnapshot().status));

    const sent = client.send("Hello");
    await vi.waitFor(() => expect(client.getSnapshot().title).toBe("A title"));
    expect(client.getSnapshot().status).toBe("submitted");
    const user = client.getSnapshot().messages[0];
    open();
    await sent;
    expect(statuses.at(-1)).toBe("idle");
    expect(client.getSnapshot().messages[0]).toBe(user);
    expect(client.getSnapshot().streamingMessageId).toBeUndefined();
  });

  it("tells of a stream of 2,000 deltas in few updates", async () => {
    const { server, client } = begin();
    server.onRun(async function* () {
      for (let i = 0; i < 2000; i++) {
        if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        yield* i === 0 ? [{ type: "TEXT_MESSAGE_START", messageId: "a" } as never] : [];
        yield { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "x" };
      }
      yield { type: "TEXT_MESSAGE_END", messageId: "a" };
      yield finished();
    });
    let updates = 0;
    client.subscribe(() => updates++);
    await client.send("go");
    expect(client.getSnapshot().messages.at(-1)!.content).toBe("x".repeat(2000));
    // Two for each of the twenty pauses, however long they are, and some at both ends: not one for
    // each delta.
    expect(updates).toBeLessThan(50);
  });

  it("shows what the server says of its tools", async () => {
    const { server, client } = begin();
    server.onRun(async function* () {
      yield* call("c1", "search", { q: "x" }, "m");
      yield {
        type: "CUSTOM",
        name: "tool_progress",
        value: { toolCallId: "c1", tool: "search", stage: "s", message: "half", progress: 0.5 },
      };
      await vi.waitFor(() => expect(client.getSnapshot().toolCalls["c1"]?.progress).toBeDefined());
      yield result("c1", { hits: 3 });
      yield* call("c2", "save", {}, "m");
      yield result("c2", { error: { message: "disk full", code: "io" } });
      yield finished();
    });
    const seen: unknown[] = [];
    client.subscribe(() => seen.push(client.getSnapshot().toolCalls["c1"]));
    await client.send("go");
    expect(seen).toContainEqual(
      expect.objectContaining({
        status: "executing",
        args: { q: "x" },
        progress: { stage: "s", message: "half", fraction: 0.5 },
      }),
    );
    const { toolCalls } = client.getSnapshot();
    expect(toolCalls["c1"]).toMatchObject({ status: "complete", frontend: false, result: { hits: 3 } });
    expect(toolCalls["c2"]).toMatchObject({ status: "failed", error: { message: "disk full", code: "io" } });
    expect(Object.getPrototypeOf(toolCalls)).toBeNull();
  });

  it("reads the model once, when somebody looks", async () => {
    const { server, client } = begin();
    server.routes.set("/v1/agents/default/capabilities", () =>
      json({
        custom: { pageside: { model: "script/demo", scripted: true, rights: ["inspector"] } },
        multimodal: { input: { pdf: false } },
      }),
    );
    expect(server.requests).toEqual([]);
    client.subscribe(() => {});
    client.subscribe(() => {});
    const model = { name: "script/demo", scripted: true, media: { pdf: false } };
    await vi.waitFor(() => expect(client.getSnapshot().model).toEqual(model));
    expect(client.getSnapshot().rights).toEqual(["inspector"]);
    expect(server.requests).toEqual(["GET /v1/agents/default/capabilities"]);
  });

  it("reads the model again when told to, and tells those who look", async () => {
    const { server, client } = begin();
    let name = "script/demo";
    server.routes.set("/v1/agents/default/capabilities", () =>
      json({ custom: { pageside: { model: name, scripted: name === "script/demo" } } }),
    );
    const seen: unknown[] = [];
    client.subscribe(() => seen.push(client.getSnapshot().model));
    await vi.waitFor(() => expect(seen.at(-1)).toEqual({ name, scripted: true }));
    name = "openai/gpt-5-mini";
    await client.refreshAgent();
    expect(seen.at(-1)).toEqual({ name, scripted: false });
  });

  it("leaves out a context value that cannot be read", async () => {
    const { server, client } = begin();
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    server.onRun(answer("ok"));
    client.registerContext({ id: "x", description: "x", kind: "dynamic", value: () => { throw new Error("no"); } }); // prettier-ignore
    client.registerContext({ id: "u", description: "u", kind: "dynamic", value: undefined });
    client.registerContext({ id: "y", description: "y", kind: "dynamic", value: 1 });
    await client.send("go");
    expect(server.inputs[0]!.context).toEqual([{ description: "y", value: "1" }]);
    expect(warn).toHaveBeenCalledOnce();
  });

  it("sends text that every reader takes, whatever it was cut from", async () => {
    const { server, client } = begin();
    server.onRun(answer("Hi"));
    client.registerContext({ id: "x", description: "x", kind: "dynamic", value: "caf\u00e9 😀 😀".slice(0, 9) + "\0" });
    await client.send("Hello");
    expect(server.inputs[0]!.context[0]!.value).toBe("café 😀 \ufffd\ufffd");
  });
});

describe("errors", () => {
  it("keeps the refused message and sends it again, with the same id and another run", async () => {
    const { server, client } = begin();
    server
      .onRunRefuse(429, { error: { code: "rate_limited", message: "Slow down", details: { after: 3 } } })
      .onRun(answer("Hi"));
    await client.send("Hello");
    expect(client.getSnapshot()).toMatchObject({
      status: "error",
      error: { code: "rate_limited", message: "Slow down", details: '{"after":3}', retryable: true },
    });
    await client.retry();
    const [first, second] = server.inputs;
    expect(second!.messages).toEqual(first!.messages);
    expect(second!.runId).not.toBe(first!.runId);
    expect(contents(client)).toEqual([["user", "Hello"], ["assistant", "Hi"]]); // prettier-ignore
    expect(client.getSnapshot().error).toBeUndefined();
  });

  it.each<[string, () => Response, object]>([
    ["what can never work", () => refuse(400, "invalid_request"), { code: "invalid_request", retryable: false }],
    ["a refusal in another form", () => json({ error: "Bad gateway" }, 502), { code: "http_502", message: has("502") }],
    [
      "a proxy's error page",
      () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
      { code: "http_502", retryable: true, details: "<h1>Bad gateway</h1>" },
    ],
  ])("reports %s", async (_, response, error) => {
    const { server, client } = begin();
    server.before = response;
    await client.send("Hello");
    expect(client.getSnapshot()).toMatchObject({ status: "error", error });
    client.clearError();
    expect(client.getSnapshot()).toMatchObject({ status: "idle", error: undefined });
    expect(server.inputs).toEqual([]);
  });

  it("sends a message that was never taken along with the next one", async () => {
    const { server, client } = begin();
    await client.send("Lost"); // no script: the network fails
    expect(client.getSnapshot().error).toMatchObject({ code: "network", retryable: true });
    server.onRun(answer("Hi"));
    await client.send("Second");
    expect(server.inputs.at(-1)!.messages.map(({ content }) => content)).toEqual(["Lost", "Second"]);
  });

  it("does not send again what can never be taken", async () => {
    const { server, client } = begin();
    server
      .onRunRefuse(413, { error: { code: "too_large", message: "Too large" } })
      .onRunRefuse(413, { error: { code: "too_large", message: "Too large" } })
      .onRun(answer("Hi"));
    await client.send("A whole book");
    await client.retry();
    expect(server.inputs[1]!.messages).toEqual(server.inputs[0]!.messages);
    await client.send("Hello");
    expect(server.inputs[2]!.messages.map(({ content }) => content)).toEqual(["Hello"]);
  });

  it("keeps what came before what it does not understand, names that, and closes the stream", async () => {
    const { server, client } = begin();
    server.onRunBroken([...text("a", "fine"), { type: "MESSAGES_SNAPSHOT" }], { staysOpen: true });
    await client.send("Hello");
    expect(contents(client)[1]).toEqual(["assistant", "fine"]);
    expect(client.getSnapshot().error).toMatchObject({ code: "protocol", message: has("MESSAGES_SNAPSHOT") });
    expect(server.seen[0]!.signal.aborted).toBe(true);
  });

  it("of a listener stop neither the message nor the other listeners", async () => {
    const { server, client } = begin();
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const second = vi.fn();
    client.subscribe(() => { throw new Error("not yours"); }); // prettier-ignore
    client.subscribe(second);
    server.onRun(answer("Hi")).onRun(answer("Hi again", "a2"));
    await client.send("Hello");
    await client.send("Hello again");
    client.newThread();
    expect(server.inputs).toHaveLength(2);
    expect(second).toHaveBeenCalled();
    expect(logged).toHaveBeenCalled();
  });

  it("runs a failed turn again from the same message, without the half answer", async () => {
    const { server, client } = begin();
    server.onRun(function* () {
      yield* text("half", "I think");
      yield { type: "RUN_ERROR", message: "The model is overloaded", code: "overloaded" };
    });
    server.onRun(answer("Whole", "whole"));
    await client.send("Hello");
    expect(client.getSnapshot()).toMatchObject({ status: "error", error: { code: "overloaded", retryable: true } });
    expect(contents(client)).toHaveLength(2);
    await client.retry();
    expect(server.inputs[1]!.messages).toEqual(server.inputs[0]!.messages);
    expect(contents(client)).toEqual([["user", "Hello"], ["assistant", "Whole"]]); // prettier-ignore
  });
});

describe("stopping", () => {
  it("marks the question where no answer had begun", async () => {
    const { server, client } = begin();
    server.onRunBroken([{ type: "CUSTOM", name: "nothing", value: null }], { staysOpen: true });
    const sent = client.send("Hello");
    await vi.waitFor(() => expect(server.inputs).toHaveLength(1));
    await client.stop();
    await sent;
    const { messages, stoppedMessageIds } = client.getSnapshot();
    expect(stoppedMessageIds).toEqual([messages[0]!.id]);
  });

  it("tells the model with the next message of the tools that were done, and of those cut off", async () => {
    const { server, client } = begin();
    server.onRun(calls(["c1", "quick"], ["c2", "wait"])).onRun(answer("ok"));
    client.registerTool({ name: "quick", description: "", handler: () => "paid" });
    client.registerTool({ name: "wait", description: "", handler: () => new Promise(() => undefined) });
    const sent = client.send("Hello");
    await vi.waitFor(() => expect(client.getSnapshot().toolCalls["c1"]?.status).toBe("complete"));
    await client.stop();
    await sent;
    expect(client.getSnapshot().toolCalls).toMatchObject({ c1: { status: "complete" }, c2: { status: "cancelled" } });
    await client.send("Go on");
    expect(server.inputs[1]!.messages).toMatchObject([
      { toolCallId: "c2", content: expect.stringContaining("whether it had its effect is unknown") as string },
      { toolCallId: "c1", content: '"paid"' },
      { content: "Go on" },
    ]);
    expect(client.getSnapshot().toolCalls).toMatchObject({ c1: { status: "complete" }, c2: { status: "cancelled" } });
  });
});

it("works after being destroyed, without doing anything", async () => {
  const { server, client } = begin();
  client.destroy();
  await client.send("Hello");
  expect(server.inputs).toEqual([]);
});

it("knows what a client was made for", () => {
  expect(createPagesideClient({ url: "https://test" }).identity).toEqual({
    url: "https://test",
    agent: "default",
    user: "",
  });
  expect(createPagesideClient({ agent: "a", user: "u" }).identity).toEqual({ url: "", agent: "a", user: "u" });
});
