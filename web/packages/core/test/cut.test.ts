import { readFileSync } from "node:fs";
import { EventSchemas } from "@ag-ui/core/schemas";
import { describe, expect, it } from "vitest";
import { ChunkExpander } from "../src/protocol/chunks.js";
import { parseEvent } from "../src/protocol/events.js";
import { toolCallsOf } from "../src/protocol/messages.js";
import { fold, type Transcript } from "../src/protocol/fold.js";
import { stride } from "../../../long.js";
import { createPagesideClient } from "../src/index.js";
import type { ThreadSnapshot } from "../src/index.js";
import { Random } from "./random.js";
import { randomRun } from "./random-run.js";

const encode = (text: string) => new TextEncoder().encode(text);

/** A run as the server writes it. */
function record(seed: number): Uint8Array {
  const { events } = randomRun(seed);
  const lines = events.map(
    (event, i) =>
      `id: r:0.${i}\ndata: ${JSON.stringify(event)}\n\n${i % 7 === 3 && i < events.length - 1 ? ": keep-alive\n\n" : ""}`,
  );
  return encode(lines.join(""));
}

async function play(pieces: Uint8Array[], breaks: boolean): Promise<ThreadSnapshot> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(piece));
    },
    pull(controller) {
      if (breaks) controller.error(new TypeError("network error"));
      else controller.close();
    },
  });
  const client = createPagesideClient({
    url: "https://test",
    fetch: () => Promise.resolve(new Response(body)),
    reconnect: { giveUpAfter: 0 },
  });
  await client.send("go");
  return client.getSnapshot();
}

function check(snapshot: ThreadSnapshot): void {
  const ids = snapshot.messages.flatMap(toolCallsOf).map(({ id }) => id);
  for (const id of ids) expect(snapshot.toolCalls[id], id).toBeDefined();
  for (const call of Object.values(snapshot.toolCalls)) {
    if (snapshot.error?.code === "interrupted") expect(call.status).not.toMatch(/^(pending|executing)$/);
  }
  expect(snapshot.streamingMessageId).toBeUndefined();
}

/** Ids are random and times pass: what is left must be the same. */
const comparable = ({ messages, status, state, error }: ThreadSnapshot) => ({
  messages: messages.slice(1),
  status,
  state,
  error,
});

describe("a stream", () => {
  it("that is cut at any byte leaves a sound thread and an error that can be retried", async () => {
    const bytes = record(17);
    expect(bytes.length).toBeGreaterThan(1000);
    for (let end = 0; end < bytes.length - 2; end += stride(11)) {
      const snapshot = await play([bytes.slice(0, end)], end % 2 === 0);
      expect(snapshot, `cut at ${end}`).toMatchObject({
        status: "error",
        error: { code: expect.stringMatching(/^(interrupted|connection_lost)$/) as string, retryable: true },
      });
      check(snapshot);
    }
  });

  it("gives the same thread however it is cut into pieces", async () => {
    for (const seed of [1, 2, 3]) {
      const bytes = record(seed);
      const whole = comparable(await play([bytes], false));
      expect(whole.status).toBe("idle");
      for (let i = 0; i < 20; i++) expect(comparable(await play(new Random(i).cut(bytes), false))).toEqual(whole);
      expect(
        comparable(
          await play(
            Array.from(bytes, (byte) => Uint8Array.of(byte)),
            false,
          ),
        ),
      ).toEqual(whole);
    }
  });
});

const recorded = new URL("../../../../agui/testdata/events.jsonl", import.meta.url);

describe("the events the server's tests write", () => {
  const lines = readFileSync(recorded, "utf8").trim().split("\n");

  it("are AG-UI 1.0 by the official schema", () => {
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(EventSchemas.safeParse(JSON.parse(line)), line).toMatchObject({ success: true });
  });

  it("are read and folded here", () => {
    const chunks = new ChunkExpander();
    let transcript: Transcript = { messages: [], state: {} };
    for (const line of lines) for (const event of chunks.expand(parseEvent(line))) transcript = fold(transcript, event);
    expect(transcript.messages.length).toBeGreaterThan(0);
  });
});
