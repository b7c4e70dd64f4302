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
import { randomRun } from "./random-run.js";

/** A run as the server writes it, with signs of life between its events. */
function record(seed: number): Uint8Array {
  const { events } = randomRun(seed);
  const frames = events.map((event, at) => `id: r:0.${at}\ndata: ${JSON.stringify(event)}\n\n`);
  return new TextEncoder().encode(frames.map((frame, at) => (at % 7 === 4 ? ": keep-alive\n\n" : "") + frame).join(""));
}

async function play(bytes: Uint8Array, breaks: boolean): Promise<ThreadSnapshot> {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes),
    pull: (controller) => (breaks ? controller.error(new TypeError("network error")) : controller.close()),
  });
  const fetch = () => Promise.resolve(new Response(body));
  const client = createPagesideClient({ url: "https://test", fetch, reconnect: { giveUpAfter: 0 } });
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

describe("a stream", () => {
  it("that is cut at any byte leaves a sound thread and an error that can be retried", async () => {
    const bytes = record(17);
    expect(bytes.length).toBeGreaterThan(1000);
    for (let end = 0; end < bytes.length - 2; end += stride(11)) {
      const snapshot = await play(bytes.slice(0, end), end % 2 === 0);
      expect(snapshot, `cut at ${end}`).toMatchObject({
        status: "error",
        error: { code: expect.stringMatching(/^(interrupted|connection_lost)$/) as string, retryable: true },
      });
      check(snapshot);
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
