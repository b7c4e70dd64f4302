// @vitest-environment node
import { createPagesideClient, cutBy } from "@pageside/core";
import { describe, expect, it, vi } from "vitest";
import {
  approval,
  askUser,
  backendCall,
  cut,
  disconnect,
  fail,
  fakeClock,
  frontendCall,
  isIdle,
  lastAnswer,
  mockAssistantAction,
  pause,
  payload,
  reasoning,
  recordEvents,
  refuse,
  scriptedAgent,
  suggestions,
  text,
  title,
  together,
  waitForIdle,
  type AgentOptions,
  type Part,
  type Rule,
} from "../src/index.js";
import * as world from "./world.js";
import { settled } from "../src/clock.js";
import { eventOf } from "../src/events.js";

/** With what the agent has answered last. */
function setUp(rules: readonly Rule[], options?: AgentOptions) {
  const { client, ...rest } = world.setUp(rules, options);
  return { client, ...rest, answer: () => lastAnswer(client.getSnapshot()) };
}

const replying = (...reply: (string | Part)[]) => setUp([{ reply }]);

describe("rules", () => {
  it("are tried in order, by words, pattern or function, each as often as it says", async () => {
    const { client, answer } = setUp([
      { when: "ERRORS", reply: "once", times: 1 },
      { when: /^show\b/i, reply: "a pattern" },
      { when: ({ message }) => message.length > 10, reply: ({ message }) => `long: ${message}` },
      { reply: "anything" },
    ]);
    const said: string[] = [];
    for (const question of ["Show errors", "Show errors", "a long message", "short"]) {
      await client.send(question);
      said.push(answer());
    }
    expect(said).toEqual(["once", "a pattern", "long: a long message", "anything"]);
  });

  it("that are added stand in front; a message that none fits fails the run and says so", async () => {
    const { agent, client, answer } = setUp([]);
    await client.send("Anybody?");
    expect(client.getSnapshot().error).toMatchObject({ code: "no_rule", message: 'No rule of the script fits "Anybody?".' }); // prettier-ignore
    agent.on("hello", "Hello.");
    await client.send("Hello");
    expect(answer()).toBe("Hello.");
  });

  it("may be generators, which see results and context as they are then", async () => {
    const { agent, client, answer } = setUp([
      {
        async *reply(turn) {
          yield "Looking. ";
          yield frontendCall("count", { of: turn.context("Kind") as string });
          yield `There are ${(turn.result("count") as { n: number }).n} of ${turn.messages.length} messages.`;
        },
      },
    ]);
    client.registerContext({ id: "k", kind: "page", description: "Kind", value: "cats" });
    client.registerTool<{ of: string }>({ name: "count", description: "", handler: ({ of }) => ({ n: of.length }) });
    await client.send("How many?");
    expect(answer()).toBe("There are 4 of 3 messages.");
    expect(agent.inputs[0]!.tools.map(({ name }) => name)).toEqual(["count"]);
  });

  it("that throw end the run with what was thrown", async () => {
    const reply = () => {
      throw new Error("no such fixture");
    };
    const { client } = setUp([{ reply }]);
    await client.send("go");
    expect(client.getSnapshot().error?.message).toBe("The script failed: no such fixture");
  });
});

describe("calls", () => {
  it("of the page run once each and go on with their results, also where the connection breaks in between", async () => {
    const move = mockAssistantAction<{ by: number }, { at: number }>("move", { tool: { description: "Moves" } });
    move.does(({ by }) => ({ at: by * 10 }));
    const { agent, client, answer } = replying(
      text("Moving."),
      together(frontendCall("move", { by: 1 }), frontendCall("move", { by: 2 })),
      disconnect(),
      frontendCall("move", { by: 3 }),
      text(({ result }) => `At ${(result("move") as { at: number }).at}.`),
    );
    move.install(client);
    await client.send("go");
    expect(answer()).toBe("At 30.");
    expect(move.calls.map(({ toolCallId, args, result }) => [toolCallId, args.by, result?.at])).toEqual([
      ["call-1", 1, 10],
      ["call-2", 2, 20],
      ["call-3", 3, 30],
    ]);
    const brought = agent.inputs.map(({ messages }) => messages.map(({ role }) => role).join());
    expect(brought).toEqual(["user", "tool,tool", "tool"]);
    expect(agent.messages(client.getSnapshot().threadId)).toEqual(client.getSnapshot().messages);
  });

  it("of the server tell their progress, fail, and bring cards", async () => {
    const clock = fakeClock();
    const found = { result: { hits: 2 }, payload: { type: "hits", data: { n: 2 } } };
    const half = { stage: "reading", message: "half", progress: 0.5 };
    const search = backendCall("search", { q: "x" }, { progress: [half], takes: 1000, ...found });
    const index = backendCall("index", {}, { error: { code: "failed", message: "no index" } });
    const { client } = setUp([{ reply: [search, index, "Two."] }], { clock });
    const sent = client.send("search");
    await clock.asleep();
    await clock.advance(999);
    const progress = { stage: "reading", message: "half", fraction: 0.5 };
    await vi.waitFor(() =>
      expect(client.getSnapshot().toolCalls["call-1"]).toMatchObject({ status: "executing", progress }),
    );
    await clock.advance(1);
    await sent;
    const { toolCalls, messages } = client.getSnapshot();
    expect(toolCalls["call-1"]).toMatchObject({ status: "complete", result: { hits: 2 }, frontend: false });
    expect(toolCalls["call-2"]).toMatchObject({ status: "failed", error: { message: "no index", code: "failed" } });
    expect(messages.find(({ role }) => role === "activity")).toMatchObject({ activityType: "hits", content: { n: 2 } });
  });

  it.each([
    ["waits for the user is not executed", true, "not executed: the user sent a new message"],
    ["had begun may have had its effect", false, "whether it had its effect is unknown"],
  ])("one that is stopped when it %s", async (_, requiresConfirmation, told) => {
    const { agent, client } = setUp([
      { when: "first", reply: [frontendCall("slow"), "never said"] },
      { reply: "second" },
    ]);
    const handler = () => new Promise(() => undefined);
    client.registerTool({ name: "slow", description: "", timeout: Infinity, requiresConfirmation, handler });
    const first = client.send("first");
    const status = requiresConfirmation ? "awaiting-approval" : "executing";
    const calls = () => Object.values(client.getSnapshot().toolCalls);
    await vi.waitFor(() => expect(calls()).toMatchObject([{ status }]));
    await client.stop();
    await first;
    await client.send("then");
    expect(lastAnswer(client.getSnapshot())).toBe("second");
    const results = agent.messages(client.getSnapshot().threadId).filter(({ role }) => role === "tool");
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ content: expect.stringContaining(told) as string });
  });
});

describe("the user", () => {
  it("approves, changes and denies calls", async () => {
    const done: unknown[] = [];
    const remove = approval("remove", { id: 5 }, { result: (args) => (done.push(args), "removed") });
    const { client, answer } = replying(remove, "Over.");
    for (const given of [{ approved: true }, { approved: true, args: { id: 6 } }, { approved: false }]) {
      await client.send("remove it");
      const [open] = client.getSnapshot().questions;
      expect(open).toMatchObject({ kind: "approval", message: "The assistant wants to run remove." });
      await client.answer(open!.id, given);
      expect(answer()).toBe("Over.");
    }
    expect(done).toEqual([{ id: 5 }, { id: 6 }]);
    expect(Object.values(client.getSnapshot().toolCalls).map(({ status }) => status)).toEqual(["complete", "complete", "denied"]); // prettier-ignore
  });

  it("answers questions, beside a call of the page, also after a reload", async () => {
    const pick = mockAssistantAction("pick", { tool: { description: "" } }).returns("picked");
    const { client, open } = replying(
      together(askUser("Which range?", { options: ["today", "week"] }), frontendCall("pick")),
      text(({ result }) => `${(result("ask_user") as { answer: string }).answer}, ${String(result("pick"))}`),
    );
    const { threadId } = client.getSnapshot();
    pick.install(client);
    await client.send("go");
    expect(client.getSnapshot().questions).toMatchObject([{ kind: "input", message: "Which range?" }]);
    expect(pick.calls).toHaveLength(1);

    const again = open({ threadId });
    pick.install(again);
    again.subscribe(() => undefined);
    await waitForIdle(again);
    expect(again.getSnapshot().questions).toHaveLength(1);
    await again.resumePending();
    await again.answer(again.getSnapshot().questions[0]!.id, { answer: "week" });
    expect(lastAnswer(again.getSnapshot())).toBe("week, picked");
  });

  it("stops a run in the middle of a pause", async () => {
    const { client, answer } = setUp([{ reply: ["Wait", pause(60_000), " for it"] }], { clock: fakeClock() });
    const sent = client.send("go");
    await vi.waitFor(() => expect(answer()).toBe("Wait"));
    expect(isIdle(client.getSnapshot())).toBe(false);
    await client.stop();
    await sent;
    expect(answer()).toBe("Wait");
    expect(client.getSnapshot()).toMatchObject({ status: "idle", stoppedMessageIds: ["answer-1"] });
  });
});

describe("what goes wrong", () => {
  it("is done again by retry, from behind the failure", async () => {
    const { client, answer } = replying("Half", fail("overloaded"), "Whole.");
    await client.send("go");
    expect(client.getSnapshot()).toMatchObject({ status: "error", error: { message: "overloaded" } });
    await client.retry();
    expect(answer()).toBe("Whole.");
  });

  it("may be a refusal, whose next attempt gets what follows", async () => {
    const { client, answer, agent } = replying(refuse(503, { retryAfter: 0 }), refuse(422, { code: "bad" }), "Yes.");
    await client.send("go");
    expect(client.getSnapshot().error).toMatchObject({ code: "bad" });
    expect(agent.inputs).toHaveLength(0);
    await client.retry();
    expect(answer()).toBe("Yes.");
  });

  it("may be the network, in the middle of a word: nothing is lost and nothing comes twice", async () => {
    const { agent, client, answer } = replying("One, ", disconnect(), "two, ", disconnect(), pause(5), "three.");
    await client.send("count");
    expect(answer()).toBe("One, two, three.");
    expect(agent.requests.filter(({ path }) => path.startsWith("/v1/runs/")).length).toBeGreaterThan(0);
    agent.disconnect();
  });
});

it("streams cards and arguments, unless it is told not to", async () => {
  const plan = payload("plan", { title: "T", steps: ["a"] });
  const whole = payload("whole", { title: "T" }, { grow: false });
  const agent = scriptedAgent([{ reply: [plan, backendCall("look", { at: "the log" }), whole] }]);
  const recorder = recordEvents({ fetch: agent.fetch });
  await createPagesideClient({ fetch: recorder.fetch, memory: "none" }).send("plan");
  const told = recorder.lines.flatMap((line) => (line.kind === "frame" ? (eventOf(line.frame) ?? []) : []));
  const content = told.flatMap((each): unknown[] => {
    if (each.type === "ACTIVITY_SNAPSHOT") return [each.content];
    if (each.type === "ACTIVITY_DELTA") return [each.patch];
    return each.type === "TOOL_CALL_ARGS" ? [each.delta] : [];
  });
  expect(content).toEqual([
    {},
    [{ op: "add", path: "/title", value: "T" }],
    { title: "T", steps: ["a"] },
    '{"at":"t',
    'he log"}',
    { title: "T" },
  ]);
});

it("streams cards that grow, thoughts, suggestions and a title", async () => {
  const { agent, client } = replying(
    reasoning("Hm."),
    "A plan:",
    suggestions(["More", { label: "Less", value: "Show less" }], [{ label: "Open", action: "open" }]),
    payload("plan", { title: "T", steps: ["a", "b"] }, { grow: true }),
    title("Plans"),
  );
  const seen: unknown[] = [];
  client.subscribe(() => {
    const card = client.getSnapshot().messages.find(({ role }) => role === "activity");
    if (card) seen.push(card.content);
  });
  await client.send("plan");
  const { messages, title: name, threadId } = client.getSnapshot();
  expect(messages.map(({ role }) => role)).toEqual(["user", "reasoning", "assistant", "activity"]);
  expect(messages[2]!.metadata).toEqual({
    pageside: {
      suggestedValues: [
        { label: "More", value: "More" },
        { label: "Less", value: "Show less" },
      ],
      suggestedActions: [{ label: "Open", action: "open" }],
    },
  });
  expect(seen.at(-1)).toEqual({ title: "T", steps: ["a", "b"] });
  expect(messages[3]!.metadata).toEqual({ pageside: { source: "llm", status: "open" } });
  expect(name).toBe("Plans");
  expect(agent.messages(threadId)).toEqual(messages);
  await client.setPayloadStatus(messages[3]!.id, "accepted");
  expect(agent.messages(threadId)[3]!.metadata).toMatchObject({ pageside: { status: "accepted" } });
});

describe("threads", () => {
  it("that were pinned are listed first", async () => {
    const { client } = setUp([{ reply: "Hi." }]);
    const ids = async () => (await client.threads.list()).threads.map(({ id }) => id);
    await client.send("Hello");
    const first = client.getSnapshot().threadId;
    client.newThread();
    await client.send("Another");
    const second = client.getSnapshot().threadId;
    expect(await ids()).toEqual([second, first]);
    await client.threads.pin(first);
    expect(await ids()).toEqual([first, second]);
    await client.threads.pin(first, false);
    expect(await ids()).toEqual([second, first]);
  });

  it("that were given, listed, searched, renamed, archived and deleted", async () => {
    const given = [{ id: "old", title: "Cats", messages: [{ id: "u1", role: "user" as const, content: "meow?" }] }];
    const { client, answer } = setUp([{ reply: "Hi." }], { threads: given });
    await client.openThread("old");
    expect(client.getSnapshot()).toMatchObject({ title: "Cats", messages: [{ content: "meow?" }] });
    await client.send("Hello");
    expect(answer()).toBe("Hi.");
    expect((await client.threads.list({ q: "meow" })).threads).toMatchObject([{ id: "old", title: "Cats" }]);
    expect((await client.threads.list({ q: "dog" })).threads).toEqual([]);
    await client.threads.rename("old", "Felines");
    await client.threads.archive("old");
    expect((await client.threads.list()).threads).toEqual([]);
    expect((await client.threads.list({ archived: true })).threads).toMatchObject([{ title: "Felines" }]);
    await client.threads.delete("old");
    expect((await client.threads.list({ deleted: true })).threads).toMatchObject([{ id: "old" }]);
  });
});

it("keeps the order of time under a fake clock, and lets nobody past who is not due", async () => {
  const clock = fakeClock();
  const seen: string[] = [];
  const { signal } = new AbortController();
  void clock.sleep(20, signal).then(() => seen.push("b"));
  void clock.sleep(10, signal).then(async () => {
    seen.push("a");
    await clock.sleep(5, signal);
    seen.push(`a again at ${clock.now()}`);
  });
  await clock.advance(9);
  expect(seen).toEqual([]);
  await clock.advance(11);
  expect(seen).toEqual(["a", "a again at 15", "b"]);
  expect(clock.sleepers).toBe(0);
  await settled();
});

it("says what still goes on when waiting takes too long", async () => {
  const { client } = setUp([{ reply: [pause(1000), "late"] }], { clock: fakeClock() });
  void client.send("go");
  await expect(waitForIdle(client, { timeout: 20 })).rejects.toThrow(/still not idle after 20 ms: status (submitted|streaming)/); // prettier-ignore
});

it("answers suggestions, actions on the server and the model's name", async () => {
  const { client } = setUp([], {
    suggestions: [{ label: "Errors?", value: "Show errors" }],
    actions: { export: (args) => ({ text: `exported ${JSON.stringify(args)}` }) },
    model: "script/mine",
  });
  expect(await client.suggest()).toEqual([{ label: "Errors?", value: "Show errors" }]);
  expect(await client.runAction("export", { as: "csv" })).toEqual({ text: 'exported {"as":"csv"}' });
  await expect(client.runAction("other")).rejects.toThrow("There is no POST /v1/actions/other.");
  client.subscribe(() => undefined);
  await vi.waitFor(() => expect(client.getSnapshot().model).toEqual({ name: "script/mine", scripted: true }));
});

it("goes on under the fake timers of a test runner, over pauses in which a silent stream would be taken for dead", async () => {
  const { client, agent, answer } = setUp([{ when: "late", reply: title("t") }, { reply: ["a", pause(100_000), "b"] }]);
  await client.send("load what is loaded late");
  vi.useFakeTimers();
  try {
    const sent = client.send("go");
    await vi.advanceTimersByTimeAsync(120_000);
    await sent;
  } finally {
    vi.useRealTimers();
  }
  expect(answer()).toBe("ab");
  expect(agent.requests.filter(({ path }) => path.startsWith("/v1/runs/"))).toEqual([]);
});

describe("a cut answer", () => {
  it("goes on in the same message, as often as the script cuts it", async () => {
    const { agent, client, answer } = setUp([
      { when: "all", reply: ["One ", cut(), "two ", cut("filter"), "three."] },
      { reply: "Later." },
    ]);
    await client.send("Tell me all");
    for (const [reason, words] of [
      ["length", "One "],
      ["filter", "One two "],
      [undefined, "One two three."],
    ] as const) {
      expect(answer()).toBe(words);
      const [, message] = client.getSnapshot().messages;
      expect(cutBy(message!)).toBe(reason);
      expect(agent.messages(client.getSnapshot().threadId)).toEqual(client.getSnapshot().messages);
      if (reason) await client.continueAnswer();
    }
    expect(client.getSnapshot().messages).toHaveLength(2);
    await client.send("And now?");
    expect(answer()).toBe("Later.");
  });

  it("that fails on the way is still cut, and goes on with what follows", async () => {
    const { client, answer } = replying("One ", cut("steps"), "two ", fail("no"), "three.");
    await client.send("Tell me all");
    await client.continueAnswer();
    expect(client.getSnapshot()).toMatchObject({ status: "error" });
    expect(cutBy(client.getSnapshot().messages[1]!)).toBe("steps");
    await client.retry();
    expect(answer()).toBe("One two three.");
    expect(cutBy(client.getSnapshot().messages[1]!)).toBeUndefined();
  });
});
