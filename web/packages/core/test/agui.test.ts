// A client that talks to an AG-UI agent itself, over HTTP.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { fromAgUiAgent, type AgUiAgentOptions } from "../src/agui.js";
import type { FrontendTool, Message, PagesideClient } from "../src/index.js";
import { asking, begin, CUT, LEFT, run, TestAgent } from "./agent.js";
import { answerCall } from "./asking.js";
import { call, result, text } from "./events.js";
import { contents } from "./server.js";
import { TestStorage } from "./tabs.js";

let agent: TestAgent;
const clients: PagesideClient[] = [];
beforeEach(async () => {
  agent = await new TestAgent().start();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await agent.stop();
});

function connect(more: Partial<AgUiAgentOptions> = {}): PagesideClient {
  const client = fromAgUiAgent({ url: agent.url, ...more });
  clients.push(client);
  return client;
}

const roles = (messages: readonly Message[]) => messages.map(({ role }) => role).join(" ");
const answer = (words: string, id = "a1") => run(text(id, words));

const paint = (more: Partial<FrontendTool> = {}): FrontendTool => ({
  name: "paint",
  description: "Paints",
  parameters: { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] },
  effect: "read",
  handler: (args) => ({ painted: (args as { colour: string }).colour }),
  ...more,
});

describe("a client of an agent", () => {
  it("sends the page with the whole thread, and shows the answer", async () => {
    const client = connect({ headers: { "X-Key": "k1" }, forwardedProps: () => ({ team: 7 }) });
    client.setPlace({ page: "orders", scope: { customer: "42" } });
    client.registerContext({ id: "total", kind: "dynamic", description: "Orders", value: () => "17" });
    client.registerInstructions({ id: "tone", text: "Be brief.", priority: 1 });
    client.registerTool(paint());
    agent.onRun(answer("Hello.")).onRun(answer("Again.", "a2"));
    await client.send("Hi");
    expect(client.getSnapshot()).toMatchObject({ status: "idle", error: undefined, connection: "idle" });
    await client.send("And?");
    expect(contents(client)).toEqual(["Hi", "Hello.", "And?", "Again."]);
    const [first, second] = agent.inputs;
    expect(first).toMatchObject({
      protocolVersion: "1.0",
      state: {},
      context: [{ description: "Orders", value: "17" }],
      tools: [{ name: "paint" }],
      forwardedProps: { team: 7, pageside: { page: "orders", scope: { customer: "42" } } },
    });
    expect(Object.keys(first!.forwardedProps["pageside"] as object)).toEqual(["page", "scope"]);
    expect(roles(second!.messages)).toBe("system user assistant user");
    expect([second!.threadId, second!.runId === first!.runId]).toEqual([first!.threadId, false]);
    expect(agent.headers[0]).toMatchObject({ "x-key": "k1", accept: "text/event-stream" });
  });

  it("shows reasoning, the agent's own calls, steps, state, activities and custom events", async () => {
    const client = connect();
    agent.onRun(
      run(
        { type: "STEP_STARTED", stepName: "look" },
        { type: "REASONING_START", messageId: "r0" },
        { type: "REASONING_MESSAGE_START", messageId: "r1", role: "reasoning" },
        { type: "REASONING_MESSAGE_CONTENT", messageId: "r1", delta: "Hm." },
        { type: "REASONING_MESSAGE_END", messageId: "r1" },
        { type: "REASONING_END", messageId: "r0" },
        { type: "STATE_SNAPSHOT", snapshot: { steps: [] } },
        { type: "STATE_DELTA", delta: [{ op: "add", path: "/steps/-", value: "looked" }] },
        call("c1", "look_up", { q: 1 }),
        result("c1", { found: 3 }),
        { type: "ACTIVITY_SNAPSHOT", messageId: "p1", activityType: "PLAN", content: { steps: 2 } },
        { type: "CUSTOM", name: "conversation_title", value: "Three papers" },
        { type: "SOMETHING_NEW", of: 2030 },
        { type: "STEP_FINISHED", stepName: "look" },
        text("a1", "Found three."),
      ),
    );
    agent.onRun(answer("Yes.", "a2"));
    await client.send("go");
    const { messages, state, toolCalls, title } = client.getSnapshot();
    expect(roles(messages)).toBe("user reasoning assistant tool activity assistant");
    expect([state, title]).toEqual([{ steps: ["looked"] }, "Three papers"]);
    expect(toolCalls["c1"]).toMatchObject({ status: "complete", result: { found: 3 } });
    await client.send("sure?");
    const { messages: sent, state: sentState } = agent.inputs[1]!;
    expect([roles(sent), sentState]).toEqual(["user reasoning assistant tool assistant user", { steps: ["looked"] }]);
  });

  it("changes the empty state that the agent was sent, where there is none", async () => {
    const client = connect();
    const delta = (op: string, path: string) => ({ type: "STATE_DELTA", delta: [{ op, path, value: null }] });
    agent.onRun(run(delta("replace", "/steps"))).onRun(run(delta("add", "/steps")));
    await client.send("go");
    expect(client.getSnapshot().state).toBeUndefined();
    await client.send("go on");
    expect(client.getSnapshot().state).toEqual({ steps: null });
    expect(agent.inputs.map(({ state }) => state)).toEqual([{}, {}]);
  });

  it("understands agents of AG-UI 0.x, and sends them nothing they do not know", async () => {
    const client = connect({ protocol: "0.x" });
    client.registerTool(paint());
    agent.onRun(
      run(
        { type: "THINKING_START", title: "Thinking" },
        { type: "THINKING_TEXT_MESSAGE_START" },
        { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "Hm." },
        { type: "THINKING_TEXT_MESSAGE_END" },
        { type: "THINKING_END" },
        { type: "TOOL_CALL_CHUNK", toolCallId: "c1", toolCallName: "look_up", parentMessageId: null, delta: '{"q":' },
        { type: "TOOL_CALL_CHUNK", delta: "1}", rawEvent: null },
        result("c1", 3),
        { type: "TEXT_MESSAGE_CHUNK", messageId: "a1", role: "assistant", delta: "Found " },
        { type: "TEXT_MESSAGE_CHUNK", delta: "three." },
      ),
    );
    agent.onRun(answer("Yes.", "a2"));
    await client.send("go", { hidden: true });
    expect(roles(client.getSnapshot().messages)).toBe("user reasoning assistant tool assistant");
    expect(contents(client)[1]).toBe("Hm.");
    await client.send("again");
    const sent = agent.inputs[1]!;
    expect(roles(sent.messages)).toBe("user assistant tool assistant user");
    expect(sent).not.toHaveProperty("protocolVersion");
    expect(JSON.stringify(sent)).not.toContain("metadata");
  });

  it("goes on from what it shows: edited questions, other answers", async () => {
    const client = connect();
    agent.onRun(answer("One.")).onRun(answer("Two.", "a2")).onRun(answer("Three.", "a3"));
    await client.send("first");
    await client.regenerate("a1");
    expect(contents(client)).toEqual(["first", "Two."]);
    expect(roles(agent.inputs[1]!.messages)).toBe("user");
    const [question] = client.getSnapshot().messages;
    await client.edit(question!.id, "other");
    expect(contents(client)).toEqual(["other", "Three."]);
    expect(agent.inputs[2]!.messages).toMatchObject([{ role: "user", content: "other" }]);
  });

  it("shares a state: what the page changes goes along, what the agent changes wins", async () => {
    const client = connect();
    agent.onRun(answer("Seen.")).onRun(run({ type: "STATE_SNAPSHOT", snapshot: { rows: 9 } }));
    const kept = client.updateState(() => ({ rows: 5 }));
    await client.send("look");
    expect(await kept).toEqual({ kept: true, state: { rows: 5 } });
    expect(agent.inputs[0]!.state).toEqual({ rows: 5 });
    await client.send("set");
    expect(client.getSnapshot().state).toEqual({ rows: 9 });
  });

  it("takes a snapshot of the messages, and knows the page's own messages again", async () => {
    const client = connect();
    client.registerInstructions({ id: "tone", text: "Be brief.", priority: 1 });
    agent.onRun(({ threadId, runId, messages }) => [
      { type: "RUN_STARTED", threadId, runId },
      {
        type: "MESSAGES_SNAPSHOT",
        messages: [
          ...messages.map(({ metadata: _, ...message }) => message),
          {
            id: "a1",
            role: "assistant",
            content: "Done.",
            metadata: { pageside: { status: "cut", reason: "length" } },
          },
        ],
      },
      { type: "RUN_FINISHED", threadId, runId },
    ]);
    agent.onRun(answer("Yes.", "a2"));
    await client.send("go", { hidden: true });
    expect(client.getSnapshot().messages).toMatchObject([
      { role: "user", content: "go", metadata: { pageside: { hidden: true } } },
      { role: "assistant", content: "Done.", metadata: {} },
    ]);
    await client.send("more");
    expect(roles(agent.inputs[1]!.messages)).toBe("system user assistant user");
  });
});

describe("tools of the page", () => {
  it("run, and a further run takes their results", async () => {
    const client = connect();
    client.registerTool(paint());
    const paints = call("c1", "paint", { colour: "red" }, "a1");
    agent.onRun(run(text("a1", "I paint."), paints, call("c2", "look_up", {}, "a1"), result("c2", 3)));
    agent.onRun(answer("It is red.", "a2"));
    await client.send("paint");
    expect(contents(client).at(-1)).toBe("It is red.");
    const { messages } = agent.inputs[1]!;
    expect(roles(messages)).toBe("user assistant tool tool");
    expect(messages).toContainEqual(expect.objectContaining({ toolCallId: "c1", content: '{"painted":"red"}' }));
  });

  it.each(["write", undefined] as const)(
    "wait for the user, whatever the agent claims (effect: %s)",
    async (effect) => {
      const client = connect();
      const handler = vi.fn(() => "done");
      client.registerTool(paint({ effect, handler }));
      const claimed = [...call("c1", "paint", { colour: "red" })].map((event) => ({
        ...event,
        metadata: { pageside: { approved: true }, own: 1 },
      }));
      agent.onRun(run(claimed)).onRun(answer("Well.", "a2"));
      const sent = client.send("paint");
      await vi.waitFor(() => expect(client.getSnapshot().toolCalls["c1"]?.status).toBe("awaiting-approval"));
      expect(handler).not.toHaveBeenCalled();
      void answerCall(client, "c1", { approved: false, reason: "not today" });
      await sent;
      expect(handler).not.toHaveBeenCalled();
      expect(agent.inputs[1]!.messages.at(-1)).toMatchObject({ role: "tool", toolCallId: "c1" });
      expect(JSON.stringify(agent.inputs[1]!.messages)).toContain("not today");
      expect(JSON.stringify(client.getSnapshot().messages)).toContain('"own":1');
    },
  );

  it.each<[string, Partial<AgUiAgentOptions>, Partial<FrontendTool>]>([
    ["if the tool says that it does not ask", {}, { effect: "write", requiresConfirmation: false }],
    ["if only declared questions are asked", { approvals: "declared" }, { effect: "write" }],
  ])("do not wait %s", async (_, options, tool) => {
    const client = connect(options);
    client.registerTool(paint(tool));
    agent.onRun(run(call("c1", "paint", { colour: "red" }))).onRun(answer("Red.", "a2"));
    await client.send("paint");
    expect(contents(client).at(-1)).toBe("Red.");
  });

  it("that were stopped leave a thread that the agent can read", async () => {
    const client = connect();
    client.registerTool(paint({ handler: () => new Promise(() => undefined) }));
    agent
      .onRun(run(call("c1", "paint", { colour: "red" })))
      .onRun(({ threadId, runId }) => [
        { type: "RUN_STARTED", threadId, runId },
        ...begin(call("c2", "look_up", '{"q":')),
        LEFT,
      ])
      .onRun(answer("Hello.", "a3"));
    const first = client.send("paint");
    await vi.waitFor(() => expect(client.getSnapshot().toolCalls["c1"]?.status).toBe("executing"));
    await client.stop();
    await first;
    const second = client.send("look");
    await vi.waitFor(() => expect(client.getSnapshot().toolCalls["c2"]).toBeDefined());
    await client.stop();
    await second;
    await client.send("hello?");
    const { messages } = agent.inputs[2]!;
    expect(roles(messages)).toBe("user assistant tool user user");
    expect(messages[2]).toMatchObject({ toolCallId: "c1" });
  });
});

describe("questions of the agent", () => {
  const seat = { id: "i1", reason: "graph:seat", message: "Which seat?", responseSchema: { type: "object" }, metadata: { pageside: { allowance: { scope: "thread" } }, node: "book" } }; // prettier-ignore

  it("are answered in the next run", async () => {
    const client = connect();
    agent.onRun(asking(seat)).onRun(answer("Booked."));
    await client.send("book");
    expect(client.getSnapshot().questions).toMatchObject([{ id: "i1", message: "Which seat?" }]);
    expect(client.getSnapshot().questions[0]!.interrupt?.metadata).toEqual({ node: "book" });
    await client.answer("i1", { seat: 7 });
    expect(agent.inputs[1]!.resume).toEqual([{ interruptId: "i1", status: "resolved", payload: { seat: 7 } }]);
    expect(roles(agent.inputs[1]!.messages)).toBe("user");
    expect(client.getSnapshot().questions).toEqual([]);
    expect(contents(client)).toEqual(["book", "Booked."]);
  });

  it("are cancelled by a new message", async () => {
    const client = connect();
    agent.onRun(asking(seat)).onRun(answer("Fine."));
    await client.send("book");
    await client.send("never mind");
    expect(agent.inputs[1]!.resume).toEqual([{ interruptId: "i1", status: "cancelled" }]);
  });
});

describe("what goes wrong", () => {
  const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
  const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };

  /** What an event is refused for, after the first one. */
  // prettier-ignore
  const illegal: [what: string, why: string, ...(object | string)[]][] = [
    ["two starts", "the run has started already", started],
    ["words without a message", 'no text message "a1" is open',
      { type: "TEXT_MESSAGE_CONTENT", messageId: "a1", delta: "x" }],
    ["a message twice", "is open already", ...begin(text("a1", "x")), ...text("a1", "y")],
    ["arguments without a call", 'no tool call "c1" is open', { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: "x" }],
    ["a call without a name", "it has no toolCallName", { type: "TOOL_CALL_START", toolCallId: "c1" }],
    ["an end with something open", 'the text message "a1", the step "s" are still open',
      ...begin(text("a1", "x")), { type: "STEP_STARTED", stepName: "s" }, finished],
    ["a step that did not begin", 'no step "s" is open', { type: "STEP_FINISHED", stepName: "s" }],
    ["a subagent that did not begin", 'no subagent "s" is open', { type: "SUBAGENT_FINISHED", subagentRunId: "s" }],
    ["a chunk of nothing", "the first one has no id", { type: "TEXT_MESSAGE_CHUNK", delta: "x" }],
    ["words that are none", "its delta is no text",
      ...begin(text("a1")), { type: "TEXT_MESSAGE_CONTENT", messageId: "a1", delta: 5 }],
  ];
  const error = (message: string, code: string) => ({ type: "RUN_ERROR", message, code });

  it.each<[string, string, string, (object | string)[]]>([
    ["no start", "agent_event", "the first event must be RUN_STARTED", [...text("a1", "hi"), finished]],
    ...illegal.map(([what, why, ...events]): [string, string, string, (object | string)[]] => [
      what,
      "agent_event",
      why,
      [started, ...events],
    ]),
    ["no messages", "protocol", "malformed MESSAGES_SNAPSHOT", [started, { type: "MESSAGES_SNAPSHOT", messages: 5 }]],
    ["no event", "protocol", "no event", ["data: hello\n\n"]],
    ["an end before the end", "interrupted", "before the answer was complete", [started, ...text("a1", "hi")]],
    ["nothing", "interrupted", "before the answer was complete", []],
    ["a cut connection", "interrupted", "before the answer was complete", [started, ...begin(text("a1", "hi")), CUT]],
    ["its own error", "E7", "the graph broke", [started, error("the graph broke", "E7")]],
    ["an error called as one of the page's own", "network", "its network", [started, error("its network", "network")]],
    ["an error at once", "E8", "no key", [error("no key", "E8")]],
  ])("%s ends the run with an error, and the thread goes on", async (_, code, message, events) => {
    const client = connect();
    agent.onRun(() => events).onRun(answer("Hello.", "a9"));
    await client.send("go");
    const { status, error } = client.getSnapshot();
    expect([status, error?.code]).toEqual(["error", code]);
    expect(error?.message).toContain(message);
    expect(agent.inputs).toHaveLength(1); // nothing is sent again by itself
    await client.retry();
    expect(client.getSnapshot()).toMatchObject({ status: "idle", error: undefined });
    expect(contents(client)).toEqual(["go", "Hello."]);
    expect(agent.inputs[1]!.messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it.each([
    [401, "agent_refused"],
    [404, "agent_not_found"],
    [409, "agent_rejected"],
    [422, "agent_rejected"],
    [429, "agent_busy"],
    [503, "agent_unavailable"],
  ])("%i is told apart", async (status, code) => {
    const client = connect();
    agent.onRunRefuse(status, "application/json", '{"error":{"code":"thread_busy","message":"secret words"}}');
    await client.send("go");
    expect(client.getSnapshot().error).toMatchObject({ code });
    expect(client.getSnapshot().error?.message).toContain(`(${status})`);
    expect(agent.inputs).toHaveLength(1);
  });

  it("an answer that is no stream, or no answer at all", async () => {
    const client = connect();
    agent.onRunRefuse(200, "text/html", "<h1>Hi</h1>");
    await client.send("go");
    expect(client.getSnapshot().error).toMatchObject({ code: "agent_protocol", retryable: false });
    await client.send("go"); // the connection is closed at once
    expect(client.getSnapshot().error).toMatchObject({ code: "agent_unreachable", retryable: true });
    expect(agent.inputs).toHaveLength(2);
  });

  it("stop leaves the run and ends it here", async () => {
    const client = connect();
    agent.onRun(() => [started, ...begin(text("a1", "on and on")), LEFT]).onRun(answer("Hello.", "a2"));
    const sent = client.send("go");
    await vi.waitFor(() => expect(contents(client)).toContain("on and on"));
    await client.stop();
    await sent;
    expect(client.getSnapshot()).toMatchObject({ status: "idle", error: undefined, stoppedMessageIds: ["a1"] });
    await vi.waitFor(() => expect(agent.left).toBe(1));
    await client.send("hello?");
    expect(contents(client)).toEqual(["go", "on and on", "hello?", "Hello."]);
  });
});

describe("without a server", () => {
  it("what only a server has is refused, and nobody is asked", async () => {
    const client = connect();
    expect(client.identity).toEqual({ url: agent.url, agent: "default", user: "", direct: true });
    const unsubscribe = client.subscribe(() => undefined);
    const error = { error: { code: "no_server" } };
    await expect(client.threads.list()).rejects.toMatchObject(error);
    await expect(client.sendFeedback("a1", { rating: 1 })).rejects.toMatchObject(error);
    await expect(client.suggest()).rejects.toMatchObject(error);
    await expect(client.limits()).rejects.toMatchObject(error);
    await client.openThread("another");
    expect(client.getSnapshot().error).toMatchObject({ code: "no_server" });
    client.follow()();
    unsubscribe();
    expect(agent.inputs).toEqual([]);
  });

  it("a card is accepted in the page", async () => {
    const client = connect();
    agent.onRun(run({ type: "ACTIVITY_SNAPSHOT", messageId: "p1", activityType: "query", content: { q: 1 } }));
    await client.send("propose");
    await client.setPayloadStatus("p1", "accepted");
    expect(client.getSnapshot().messages[1]).toMatchObject({ metadata: { pageside: { status: "accepted" } } });
  });

  it("the thread is kept over a reload where that is wanted, until a new one begins", async () => {
    const memory = new TestStorage();
    const before = connect({ memory });
    agent.onRun(run({ type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, text("a1", "Hello.")));
    agent.onRun(asking({ id: "i1", reason: "seat" })).onRun(answer("Booked.", "a2"));
    await before.send("Hi");
    await before.send("book");
    before.destroy();

    const after = connect({ memory });
    after.subscribe(() => undefined);
    await vi.waitFor(() => expect(contents(after)).toEqual(["Hi", "Hello.", "book"]));
    await vi.waitFor(() => expect(after.getSnapshot().questions).toHaveLength(1));
    expect(after.getSnapshot()).toMatchObject({ state: { n: 1 }, error: undefined });
    await after.answer("i1", "12A");
    expect(agent.inputs[2]!.threadId).toBe(agent.inputs[0]!.threadId);
    expect(roles(agent.inputs[2]!.messages)).toBe("user assistant user");
    after.newThread();
    expect([...memory.items.values()].join()).not.toContain("Hello.");
  });

  it("the thread is kept nowhere by default, nor where there is no room", async () => {
    const memory = new TestStorage();
    const client = connect({ memory: { ...memory, setItem: () => { throw new Error("full"); } } }); // prettier-ignore
    agent.onRun(answer("Hello."));
    await client.send("Hi");
    expect(client.getSnapshot().error).toBeUndefined();
    expect(memory.items.size).toBe(0);
  });
});

describe("an agent written with AG-UI's own packages, as its example servers are", () => {
  let url = "";
  let program: ChildProcess;
  beforeAll(async () => {
    const script = fileURLToPath(new URL("../../../conformance/src/stock-agent.mjs", import.meta.url));
    program = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
    url = String((await once(program.stdout!, "data"))[0]).trim();
  });
  afterAll(() => void program.stdin!.end());

  const at = (path: string, more: Partial<AgUiAgentOptions> = {}) => connect({ url: `${url}${path}`, ...more });

  it.each(["1.0", "0.x"] as const)("is understood (%s)", async (protocol) => {
    const chat = at("/agentic_chat", { protocol });
    chat.registerContext({ id: "total", kind: "dynamic", description: "Orders", value: () => "17" });
    await chat.send("hello");
    await chat.send("and?");
    expect(contents(chat).at(-1)).toBe("You have said 2 things, and I see 1 things.");

    const plan = at("/agentic_generative_ui", { protocol });
    await plan.send("look");
    const { messages, state } = plan.getSnapshot();
    expect(state).toEqual({ steps: [{ description: "Look", status: "completed" }] });
    expect(roles(messages)).toBe("user assistant tool activity assistant");

    const thinking = at("/thinking", { protocol });
    await thinking.send("think");
    expect(contents(thinking)).toEqual(["think", "Hm.", "Yes."]);

    const told = at("/snapshot", { protocol });
    await told.send("tell");
    await told.send("more");
    expect(contents(told)).toEqual(["tell", "All of it.", "more", "All of it."]);
  });

  it("calls the page's tools, and asks the user", async () => {
    const painter = at("/tool_based_generative_ui");
    painter.registerTool(paint());
    await painter.send("paint");
    expect(contents(painter).at(-1)).toBe('The page says {"painted":"red"}.');

    const booking = at("/human_in_the_loop");
    await booking.send("book");
    const [asked] = booking.getSnapshot().questions;
    expect(asked).toMatchObject({
      message: "Which seat?",
      interrupt: { reason: "graph:seat", metadata: { node: "book" } },
    });
    await booking.answer(asked!.id, { seat: 7 });
    expect(contents(booking).at(-1)).toBe('resolved {"seat":7}');
  });

  it.each([
    ["/fails", "E7"],
    ["/dies", "interrupted"],
    ["/nowhere", "agent_not_found"],
  ])("that %s ends the run with an error", async (path, code) => {
    const client = at(path);
    await client.send("go");
    expect(client.getSnapshot().error).toMatchObject({ code });
  });
});
