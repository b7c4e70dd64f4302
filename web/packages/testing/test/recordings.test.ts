// @vitest-environment node
import { existsSync } from "node:fs";
import { EventSchemas } from "@ag-ui/core/schemas";
import type { Message } from "@pageside/core";
import { describe, expect, it, vi } from "vitest";
import { pageside, startProgram } from "../../../scripts/program.mjs";
import { eventOf } from "../src/events.js";
import {
  approval,
  askUser,
  backendCall,
  disconnect,
  fail,
  fakeClock,
  frontendCall,
  lastAnswer,
  parseRecording,
  pause,
  payload,
  playRecording,
  reasoning,
  recordEvents,
  scriptedAgent,
  suggestions,
  title,
  together,
  type Part,
} from "../src/index.js";
import { clientWith } from "./world.js";

function clientOf(doFetch: typeof fetch) {
  const client = clientWith({ url: "http://x", fetch: doFetch });
  client.registerTool<{ n: number }>({ name: "add", description: "", handler: ({ n }) => ({ sum: n + 1 }) });
  return client;
}

/** A message without the ids that a client makes anew. */
const shape = (messages: readonly Message[]) => messages.map(({ id, ...message }) => (message.role === "user" ? message : { id, ...message })); // prettier-ignore

const everything: (string | Part)[] = [
  reasoning("Hm."),
  "Let me add.",
  together(frontendCall("add", { n: 1 }), frontendCall("add", { n: 2 })),
  disconnect(),
  backendCall("search", {}, { progress: [{ stage: "s" }], payload: { type: "hits", data: { n: 1 } } }),
  payload("plan", { a: 1, b: [2] }, { grow: true }),
  "Über 日本 🎉.",
  suggestions(["More"]),
  title("Sums"),
];

describe("a recording", () => {
  it("plays what was recorded, with the ids of another client", async () => {
    const recorder = recordEvents({
      fetch: scriptedAgent([{ when: "sum", reply: everything }, { reply: "Bye." }]).fetch,
    });
    const first = clientOf(recorder.fetch);
    await first.send("sum");
    await first.send("thanks");
    const frames = recorder.lines.filter(({ kind }) => kind === "frame").length;
    expect(frames).toBeGreaterThan(20);

    const player = playRecording(recorder.toString());
    const second = clientOf(player.fetch);
    await second.send("sum");
    await second.send("thanks");
    expect(shape(second.getSnapshot().messages)).toEqual(shape(first.getSnapshot().messages));
    expect(second.getSnapshot().messages[0]!.id).not.toBe(first.getSnapshot().messages[0]!.id);
    expect(second.getSnapshot()).toMatchObject({ title: "Sums", status: "idle" });
    expect(lastAnswer(second.getSnapshot())).toBe("Bye.");
    await vi.waitFor(() => expect(player.left).toBe(0));
  });

  it("refuses what was not recorded, and says what comes next in it", async () => {
    const recorder = recordEvents({ fetch: scriptedAgent([{ reply: "Hi." }]).fetch });
    await clientOf(recorder.fetch).send("one");
    const client = clientOf(playRecording(recorder.lines).fetch);
    await client.send("two");
    const message = 'The recording goes on with "one", the client with "two".';
    expect(client.getSnapshot().error).toMatchObject({ code: "recording_mismatch", message });
  });

  it("keeps the times, and plays them as fast as is asked", async () => {
    const agentClock = fakeClock();
    const agent = scriptedAgent([{ reply: ["a", pause(1000), "b"] }], { clock: agentClock });
    const recorder = recordEvents({ fetch: agent.fetch, now: agentClock.now });
    const sent = clientOf(recorder.fetch).send("go");
    await agentClock.asleep();
    await agentClock.advance(1000);
    await sent;

    const clock = fakeClock();
    const client = clientOf(playRecording(recorder.lines, { speed: 10, clock }).fetch);
    const played = client.send("go");
    await clock.asleep();
    await vi.waitFor(() => expect(lastAnswer(client.getSnapshot())).toBe("a"));
    await clock.advance(99);
    expect(lastAnswer(client.getSnapshot())).toBe("a");
    await clock.advance(1);
    await played;
    expect(lastAnswer(client.getSnapshot())).toBe("ab");
  });

  it("holds no headers, and nothing that is taken out; each line is written as it comes", async () => {
    const written: string[] = [];
    const recorder = recordEvents({
      fetch: scriptedAgent([{ reply: "secret word" }]).fetch,
      write: (line) => written.push(line),
      redact: (line) => JSON.parse(JSON.stringify(line).replaceAll("secret", "***")) as typeof line,
    });
    const client = clientWith({ fetch: recorder.fetch, headers: { Authorization: "Bearer token" } });
    await client.send("my secret");
    expect(lastAnswer(client.getSnapshot())).toBe("secret word");
    expect(recorder.toString()).not.toMatch(/secret|token/);
    await vi.waitFor(() => expect(written.join("")).toBe(recorder.toString()));
    expect(written.every((line) => line.endsWith("\n"))).toBe(true);
  });

  it("is refused where it is none", () => {
    expect(() => parseRecording('{"kind":"recording","version":1}\nx')).toThrow("line 2 of the recording is no JSON");
    expect(() => parseRecording('{"kind":"frame"}')).toThrow("no recording of version 1");
  });
});

it("the agent sends only events that AG-UI's own schemas allow, one start first and one end last", async () => {
  const rules = [
    { when: "sum", reply: everything },
    { when: "ask", reply: [together(approval("remove", {}), askUser("Sure?", { confirm: true })), "Over."] },
    { when: "fail", reply: ["Half", fail("no")] },
  ];
  const recorder = recordEvents({ fetch: scriptedAgent(rules).fetch });
  const client = clientOf(recorder.fetch);
  await client.send("sum");
  await client.send("ask");
  for (const { id, kind } of client.getSnapshot().questions) {
    await client.answer(id, kind === "approval" ? { approved: true } : { answer: true });
  }
  expect(lastAnswer(client.getSnapshot())).toBe("Over.");
  await client.send("fail");
  const seen = new Map<string, string[]>();
  for (const line of recorder.lines) {
    if (line.kind !== "frame") continue;
    const event = eventOf(line.frame)!;
    expect(EventSchemas.safeParse(event)).toMatchObject({ success: true });
    const runId = /^id: (.*):1\.\d+/.exec(line.frame)![1]!;
    if (!runId.startsWith("snapshot-")) seen.set(runId, [...(seen.get(runId) ?? []), event.type]);
  }
  expect(seen.size).toBe(5);
  for (const types of seen.values()) {
    expect(types[0]).toBe("RUN_STARTED");
    expect(types.filter((type) => /^RUN_(FINISHED|ERROR)$/.test(type))).toEqual([types.at(-1)]);
  }
});

it("a recording of the real server plays the same", async ({ skip }) => {
  skip(!existsSync(pageside), "no bin/pageside: make build");
  const { url, stop } = await startProgram(pageside, ["demo", "--listen", "127.0.0.1:0"]);
  try {
    const recorder = recordEvents();
    const visit = (doFetch: typeof fetch, base: string) => {
      const client = clientWith({ url: base, fetch: doFetch });
      client.setPlace({ page: "discover" });
      return client;
    };
    const questions = ["Hello", "Who are the top clients?"];
    const real = visit(recorder.fetch, url);
    for (const question of questions) await real.send(question);
    expect(real.getSnapshot()).toMatchObject({ status: "idle", error: undefined });

    const played = visit(playRecording(recorder.toString()).fetch, "http://nowhere.test");
    for (const question of questions) await played.send(question);
    expect(shape(played.getSnapshot().messages)).toEqual(shape(real.getSnapshot().messages));
    expect(lastAnswer(played.getSnapshot())).not.toBe("");
  } finally {
    await stop("SIGKILL");
  }
});
