import { HttpAgent } from "@ag-ui/client";
import { EventType } from "@ag-ui/core";
import { EventSchemas } from "@ag-ui/core/schemas";
import { describe, expect, it, vi } from "vitest";
import { createPagesideClient } from "../src/index.js";
import { ChunkExpander } from "../src/protocol/chunks.js";
import type { AgUiEvent } from "../src/protocol/events.js";
import { fold, type Transcript } from "../src/protocol/fold.js";
import type { Message } from "../src/index.js";
import { stride } from "../../../long.js";
import { randomRun } from "./random-run.js";

const START: Transcript = { messages: [], state: {} };

function foldAll(events: readonly AgUiEvent[], start: Transcript = START): Transcript {
  const chunks = new ChunkExpander();
  return events.flatMap((event) => chunks.expand(event)).reduce<Transcript>(fold, start);
}

const dataOf = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const answering = (body: string) => () => Promise.resolve(new Response(body));

/** What the stock client makes of the same events. */
async function stock(events: readonly AgUiEvent[], messages: readonly Message[] = []): Promise<Transcript> {
  const agent = new HttpAgent({ url: "http://test", threadId: "t", fetch: answering(dataOf(events)) });
  agent.messages = structuredClone(messages) as Message[];
  agent.state = {};
  await agent.runAgent({ runId: "r" });
  return { messages: agent.messages, state: agent.state as unknown };
}

/** What a client here shows after a stream, the question apart. */
async function shown(body: string) {
  const client = createPagesideClient({ url: "https://test", fetch: answering(body), reconnect: { giveUpAfter: 0 } });
  await client.send("Hi");
  const { messages, state = {}, error, status } = client.getSnapshot();
  client.destroy();
  return { messages: messages.filter(({ content }) => content !== "Hi"), state, error, status };
}

describe("a client", () => {
  it("takes every event of AG-UI 1.0, with what the stock client makes of it", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const all = Object.values(EventType).filter((type) => type !== EventType.RUN_ERROR);
    const seen = new Set<string>();
    for (let seed = 0; seed < 40 || (seen.size < all.length && seed < 1000); seed++) {
      const { events, messages } = randomRun(seed);
      // What came before, and a question that the run repeats, are those of another client.
      if (messages.length > 0 || "input" in events[0]!) continue;
      for (const { type } of events) seen.add(type);
      const { messages: ours, state, error, status } = await shown(dataOf(events));
      expect({ error, status }).toEqual({ error: undefined, status: "idle" });
      expect({ messages: ours, state }, `seed ${seed}`).toEqual(await stock(events));
    }
    expect([...seen].sort()).toEqual(all.sort());
  });

  it("takes no notice of events of 0.x and of later versions", async () => {
    const { events } = randomRun(1);
    const others = ["THINKING_START", "THINKING_TEXT_MESSAGE_CONTENT", "THINKING_END", "LATER"];
    const unknown = others.map((type) => ({ type, delta: "x" }));
    const mixed = [events[0]!, ...unknown, ...events.slice(1)];
    expect(await shown(dataOf(mixed))).toEqual(await shown(dataOf(events)));
  });

  it.each(["nothing", "null", "[]", "{}", '{"type":7}'])("refuses what is no event: %s", async (data) => {
    const start = { type: "RUN_STARTED", threadId: "t", runId: "r", protocolVersion: "1.0" };
    expect((await shown(`${dataOf([start])}data: ${data}\n\n`)).error).toMatchObject({ code: "protocol" });
  });
});

describe("folding", () => {
  it("gives what @ag-ui/client 1.0 gives, for random legal runs", async () => {
    for (const method of ["warn", "error"] as const) vi.spyOn(console, method).mockImplementation(() => {});
    for (let seed = 0; seed < 400; seed += stride(4)) {
      const { events, messages } = randomRun(seed);
      for (const event of events) EventSchemas.parse(event);
      const expected = await stock(events, messages);
      expect(foldAll(events, { messages, state: {} }), `seed ${seed}`).toEqual(expected);
    }
  }, 300_000);

  it("changes nothing in place and keeps what an event does not touch", () => {
    for (let seed = 0; seed < 200; seed += stride(4)) {
      const { events, messages } = randomRun(seed);
      const chunks = new ChunkExpander();
      let transcript: Transcript = deepFreeze({ messages, state: {} });
      for (const event of events.flatMap((each) => chunks.expand(deepFreeze(each)))) {
        const next = deepFreeze(fold(transcript, event));
        for (const message of transcript.messages) {
          const after = next.messages.find(({ id }) => id === message.id);
          const same = after && JSON.stringify(after) === JSON.stringify(message);
          // may set what was there already
          const replaces = event.metadata ?? /ACTIVITY|ENCRYPTED/.test(event.type);
          if (same && !replaces) expect(after, event.type).toBe(message);
        }
        transcript = next;
      }
    }
  });

  it("keeps the identity of everything for events that build nothing", () => {
    const transcript = foldAll([{ type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }]);
    for (const type of ["STEP_STARTED", "CUSTOM", "RAW", "RUN_FINISHED", "THINKING_START", "SUBAGENT_STARTED", "NEW"]) {
      expect(fold(transcript, { type } as unknown as AgUiEvent)).toBe(transcript);
    }
  });

  it("takes ids and metadata as they come, without touching Object", () => {
    const { messages } = foldAll([
      {
        type: "TEXT_MESSAGE_START",
        messageId: "__proto__",
        role: "assistant",
        metadata: JSON.parse('{"__proto__": {"polluted": 1}}') as object,
      },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "__proto__", delta: "x" },
      { type: "STATE_DELTA", delta: [{ op: "add", path: "/__proto__/polluted", value: 1 }] },
    ] as AgUiEvent[]);
    expect(messages[0]).toMatchObject({ id: "__proto__", content: "x" });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect((messages[0]!.metadata as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
