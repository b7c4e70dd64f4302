// Calls of the page's tools that the server has had approved before the page got them.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type FrontendTool, type PagesideClient } from "../src/index.js";
import type { AgUiEvent } from "../src/protocol/events.js";
import { answer, call, finished, text } from "./events.js";
import { setUp, type TestServer } from "./server.js";

let server: TestServer;
let client: PagesideClient;
const handler = vi.fn((args: unknown) => args);
beforeEach(() => {
  handler.mockClear();
  ({ server, client } = setUp());
});

const offer = (more: Partial<FrontendTool> = {}) =>
  client.registerTool({ name: "drop", description: "Drops a row", requiresConfirmation: true, handler, ...more });
const asked = { type: "interrupt", interrupts: [{ id: "i1", reason: "tool_call", toolCallId: "c1" }] };
const given = { type: "success", pendingToolCallIds: ["c1"] };

/** The call as the server hands it out. */
function* handedOut(args: unknown, metadata?: object): Iterable<AgUiEvent> {
  for (const event of call("c1", "drop", args, "a2"))
    yield event.type === "TOOL_CALL_START" ? ({ ...event, metadata } as AgUiEvent) : event;
  yield finished(given);
}
const mark = { pageside: { approved: true, parentMessageId: "a1" } };

/** A run that ends with the question, and nothing of the call. */
function* held(): Iterable<AgUiEvent> {
  yield* text("a1", "Dropping it.");
  yield finished(asked);
}

describe("a call that the server held", () => {
  it("runs once it is handed out, without a second question", async () => {
    offer();
    server.onRun(held).onRun(() => handedOut({ row: 8 }, mark)).onRun(answer("Done.", "a3")); // prettier-ignore
    await client.send("go");
    expect(client.getSnapshot()).toMatchObject({ toolCalls: {}, questions: [{ id: "i1" }] });
    await client.answer("i1", { approved: true, args: { row: 8 } });
    expect(handler).toHaveBeenCalledOnce();
    expect(handler).toHaveBeenCalledWith({ row: 8 }, expect.anything());
    expect(client.getSnapshot()).toMatchObject({ toolCalls: { c1: { status: "complete" } }, questions: [] });
    expect(server.inputs[2]!.messages).toMatchObject([{ role: "tool", toolCallId: "c1" }]);
  });

  it("is not asked about again after a reload", async () => {
    offer();
    const drop = { id: "c1", type: "function", function: { name: "drop", arguments: '{"row":7}' }, metadata: mark };
    const messages = [{ id: "u1", role: "user", content: "go" }, { id: "a2", role: "assistant", toolCalls: [drop] }]; // prettier-ignore
    server.holds("t1", messages, { outcome: given });
    server.onRun(answer("Done.", "a3"));
    await client.openThread("t1");
    await client.resumePending();
    expect(handler).toHaveBeenCalledOnce();
  });

  it.each([
    ["nothing", undefined],
    ["a text", { pageside: { approved: "true" } }],
    ["another owner", { approved: true, app: { approved: true } }],
    ["arguments", undefined, { row: 7, approved: true, metadata: mark, pageside: { approved: true } }],
  ])("is asked about if %s says that it was approved", async (_, metadata, args: unknown = { row: 7 }) => {
    offer();
    server.onRun(() => handedOut(args, metadata));
    void client.send("go");
    await vi.waitFor(() => expect(client.getSnapshot().questions).toMatchObject([{ from: "tool", toolCallId: "c1" }]));
    expect(handler).not.toHaveBeenCalled();
  });

  it("has its arguments checked all the same", async () => {
    const row = { type: "integer" };
    offer({ parameters: { type: "object", properties: { row }, required: ["row"] } });
    server.onRun(() => handedOut({ row: "all" }, mark)).onRun(answer("No.", "a3"));
    await client.send("go");
    expect(handler).not.toHaveBeenCalled();
  });
});

describe("the effect of a tool", () => {
  it("is told to the server", async () => {
    offer({ effect: "read" });
    offer({ name: "burn", effect: "read", destructive: true });
    offer({ name: "plain" });
    offer({ name: "alien", foreign: true });
    offer({ name: "sent", foreign: true, effect: "exfil" });
    offer({ name: "plugged", source: "maps" });
    server.onRun(answer("ok"));
    await client.send("go");
    const effects = server.inputs[0]!.tools.map((each) => [each.name, (each as { metadata?: unknown }).metadata]);
    expect(Object.fromEntries(effects)).toMatchObject({
      drop: { pageside: { effect: "read" } },
      burn: { pageside: { effect: "destructive" } },
      plain: undefined,
      alien: { pageside: { foreign: true } },
      sent: { pageside: { effect: "exfil", foreign: true } },
      plugged: undefined,
    });
  });
});
