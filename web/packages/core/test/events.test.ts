import { HttpAgent } from "@ag-ui/client";
import { EventType } from "@ag-ui/core";
import { EventSchemas } from "@ag-ui/core/schemas";
import { describe, expect, it, vi } from "vitest";
import { createPagesideClient } from "../src/index.js";
import type { Message } from "../src/index.js";

type Sample = { type: string; [field: string]: unknown };

const START = { type: "RUN_STARTED", threadId: "t", runId: "r", protocolVersion: "1.0" };
const END = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const text = { messageId: "m" };
const call = { toolCallId: "c" };

/** Legal runs in which every type of event comes at least once. */
const RUNS: Record<string, Sample[]> = {
  text: [
    { type: "TEXT_MESSAGE_START", ...text, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", ...text, delta: "Hi" },
    { type: "TEXT_MESSAGE_END", ...text },
  ],
  chunks: [
    { type: "TEXT_MESSAGE_CHUNK", ...text, role: "assistant", delta: "H" },
    { type: "TEXT_MESSAGE_CHUNK", ...text, delta: "i" },
    { type: "TOOL_CALL_CHUNK", ...call, toolCallName: "t", delta: "{}" },
    { type: "REASONING_MESSAGE_CHUNK", messageId: "q", delta: "why" },
  ],
  tools: [
    { type: "TOOL_CALL_START", ...call, toolCallName: "t" },
    { type: "TOOL_CALL_ARGS", ...call, delta: "{}" },
    { type: "TOOL_CALL_END", ...call },
    { type: "TOOL_CALL_RESULT", ...call, messageId: "x", content: "1", role: "tool" },
  ],
  state: [
    { type: "STATE_SNAPSHOT", snapshot: { a: 1 } },
    { type: "STATE_DELTA", delta: [{ op: "replace", path: "/a", value: 2 }] },
    { type: "MESSAGES_SNAPSHOT", messages: [{ id: "u", role: "user", content: "Hi" }] },
  ],
  activity: [
    { type: "ACTIVITY_SNAPSHOT", ...text, activityType: "card", content: { a: 1 } },
    { type: "ACTIVITY_DELTA", ...text, activityType: "card", patch: [{ op: "add", path: "/b", value: 2 }] },
  ],
  reasoning: [
    { type: "REASONING_START", messageId: "q" },
    { type: "REASONING_MESSAGE_START", messageId: "q", role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "q", delta: "why" },
    { type: "REASONING_MESSAGE_END", messageId: "q" },
    { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "q", encryptedValue: "e" },
    { type: "REASONING_END", messageId: "q" },
  ],
  others: [
    { type: "RAW", event: { any: "thing" } },
    { type: "CUSTOM", name: "n", value: 1 },
    { type: "STEP_STARTED", stepName: "s" },
    { type: "STEP_FINISHED", stepName: "s" },
    { type: "SUBAGENT_STARTED", subagentRunId: "s1", name: "n" },
    { type: "SUBAGENT_FINISHED", subagentRunId: "s1" },
    { type: "SUBAGENT_STARTED", subagentRunId: "s2", name: "n" },
    { type: "SUBAGENT_ERROR", subagentRunId: "s2", message: "no" },
  ],
};

const FAILED = { type: "RUN_ERROR", message: "no" };

const bodyOf = (events: readonly Sample[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

/** What a client here shows after a run of these events, the question apart. */
async function run(events: readonly Sample[]) {
  const fetch = () => Promise.resolve(new Response(bodyOf(events)));
  const client = createPagesideClient({ threadId: "t", url: "https://test", fetch, reconnect: { giveUpAfter: 0 } });
  await client.send("Hi");
  const { messages, state, error, status } = client.getSnapshot();
  client.destroy();
  return { messages: messages.filter(({ role }) => role !== "user"), state, error, status };
}

async function stock(events: readonly Sample[]) {
  const agent = new HttpAgent({
    url: "http://test",
    threadId: "t",
    fetch: () => Promise.resolve(new Response(bodyOf(events))),
  });
  await agent.runAgent({ runId: "r" });
  return (agent.messages as Message[]).filter(({ role }) => role !== "user");
}

describe("the events of AG-UI 1.0", () => {
  it("are all here, each as the official schema has it", () => {
    const samples = [START, ...Object.values(RUNS).flat(), END, FAILED];
    for (const sample of samples) expect(EventSchemas.safeParse(sample).success, sample.type).toBe(true);
    expect([...new Set(samples.map(({ type }) => type))].sort()).toEqual(Object.values(EventType).sort());
  });

  it.each(Object.entries(RUNS))("of %s are taken, with what the stock client makes of them", async (_, events) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const whole = [START, ...events, END];
    const { messages, error, status } = await run(whole);
    expect({ error, status }).toEqual({ error: undefined, status: "idle" });
    expect(messages).toEqual(await stock(whole));
  });

  it("of an error end the run with it", async () => {
    await expect(run([START, FAILED])).resolves.toMatchObject({ status: "error", error: { message: "no" } });
  });

  it("beside those of 0.x and of later versions, which change nothing", async () => {
    const others = ["THINKING_START", "THINKING_TEXT_MESSAGE_START", "THINKING_TEXT_MESSAGE_CONTENT", "THINKING_TEXT_MESSAGE_END", "THINKING_END", "LATER"]; // prettier-ignore
    const unknown = others.map((type) => ({ type, delta: "x" }));
    const [plain, mixed] = [await run([START, ...RUNS.text!, END]), await run([START, ...unknown, ...RUNS.text!, END])];
    expect(mixed).toEqual(plain);
  });

  it.each(["nothing", "null", "[]", "{}", '{"type":7}'])("are refused where they are none: %s", async (data) => {
    const fetch = () => Promise.resolve(new Response(`data: ${JSON.stringify(START)}\n\ndata: ${data}\n\n`));
    const client = createPagesideClient({ url: "https://test", fetch });
    await client.send("Hi");
    expect(client.getSnapshot().error).toMatchObject({ code: "protocol" });
    client.destroy();
  });
});
