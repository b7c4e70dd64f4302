import { describe, expect, it } from "vitest";
import { ChatStream, type ChatEvent } from "../src/chat.js";

const HEADERS = { "Content-Type": "text/event-stream", "Conversation-Id": "7" };
const stream = (...lines: string[]) => new ChatStream(new Response(lines.join("\n") + "\n", { headers: HEADERS }));

async function all(stream: ChatStream): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("ChatStream", () => {
  it("reads every event, its position and the end", async () => {
    const events: ChatEvent[] = [
      { type: "status", message: "Thinking..." },
      { type: "text_delta", text: "Hi" },
      { type: "tool_start", tool: "count", input: { of: "trials" } },
      { type: "tool_progress", tool: "count", stage: "counting", progress: null },
      { type: "tool_complete", tool: "count", index: 0 },
      { type: "complete", payload: { message: "Hi", conversation_id: 7 } },
    ];
    const read = stream(...events.flatMap((event, i) => [`id: r:1.${i}`, `data: ${JSON.stringify(event)}`, ""]));
    expect(read.conversationId).toBe(7);
    expect(await all(read)).toEqual(events);
    expect(read).toMatchObject({ ended: true, lastEventId: "r:1.5" });
  });

  it("says where it broke off", async () => {
    const read = stream(
      "id: r:1.1",
      'data: {"type":"text_delta","text":"Hi"}',
      "",
      ": keep-alive",
      "",
      'data: {"type":',
    );
    expect(await all(read)).toHaveLength(1);
    expect(read).toMatchObject({ ended: false, lastEventId: "r:1.1" });
  });

  it("ends with an error, too", async () => {
    const read = stream('data: {"type":"error","message":"No."}', "");
    expect(await all(read)).toEqual([{ type: "error", message: "No." }]);
    expect(read.ended).toBe(true);
  });

  it.each([
    ["nonsense", "no JSON object"],
    ["7", "no JSON object"],
    ['{"type":"toString"}', "no chat event"],
    ['{"type":"text_delta","text":7}', "text_delta.text"],
    ['{"type":"complete","payload":null}', "complete.payload"],
  ])("refuses %s", async (data, message) => {
    await expect(all(stream(`data: ${data}`, ""))).rejects.toThrow(message);
  });

  it("refuses an answer that is no stream", () => {
    expect(
      () => new ChatStream(new Response("{}", { status: 404, headers: { "Content-Type": "application/json" } })),
    ).toThrow("404");
    expect(() => new ChatStream(new Response("<html>"))).toThrow("no chat stream");
  });
});
