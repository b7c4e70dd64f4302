// Actions that ask before they run, whoever starts them.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { commandsOf, type PagesideClient, type Question } from "@pageside/core";
import { answerCall, answerWith } from "../../core/test/asking.js";
import { answer, calls } from "../../core/test/events.js";
import { setUp, type TestServer } from "../../core/test/server.js";
import { uiActionsOf, type UiAction } from "../src/ui-actions/index.js";

let server: TestServer;
let client: PagesideClient;
beforeEach(() => {
  ({ server, client } = setUp());
});

const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

/** An action that asks, and what it ran with. */
function register(more: Partial<UiAction<{ n: number }>> = {}) {
  const ran: unknown[] = [];
  const undo = uiActionsOf(client).registerAction<{ n: number }>({
    id: "drop",
    type: "assistant-tool",
    getDisplayName: () => "Drop rows",
    parameters,
    command: { command: "/drop" },
    requiresConfirmation: ({ n }) => n > 1 && `Drop ${n} rows?`,
    execute: ({ n }) => ran.push(n),
    ...more,
  });
  return { ran, undo };
}

const questions = () => client.getSnapshot().questions;
const wordsOf = (asked: readonly Question[]) => asked.map(({ message, label }) => message ?? label);

const trigger = (args: object, options?: { chosen?: boolean }) =>
  uiActionsOf(client).executeTriggerActions("assistant-tool", { actionId: "drop", args }, options);

describe("an action that asks", () => {
  it("asks for a trigger, and runs once the user agrees", async () => {
    const { ran } = register();
    const asked = answerWith(client, { approved: true });
    await trigger({ n: 3 });
    await uiActionsOf(client).executeTriggerActions("assistant-tool", { n: 4 });
    await trigger({ n: 1 }); // need not be asked
    expect(wordsOf(asked)).toEqual(["Drop 3 rows?", "Drop 4 rows?"]);
    expect(ran).toEqual([3, 4, 1]);
    expect(questions()).toEqual([]);
  });

  it("asks for a command, which ends quietly where the user says no", async () => {
    const { ran } = register();
    const asked = answerWith(client, { approved: false });
    await commandsOf(client).find("/drop")!.handler!("2");
    expect(wordsOf(asked)).toEqual(["Drop 2 rows?"]);
    expect(ran).toEqual([]);
    await expect(trigger({ n: 2 })).rejects.toMatchObject({ name: "denied" });
  });

  it("asks for an agent of the browser", async () => {
    const registerTool = vi.fn();
    vi.stubGlobal("document", { modelContext: { registerTool } });
    const { ran } = register({ webMcp: true, destructive: true });
    const asked = answerWith(client, { approved: true });
    await vi.waitFor(() => expect(registerTool).toHaveBeenCalledTimes(1));
    const [tool] = registerTool.mock.calls[0] as [{ annotations: object; execute(input: object): Promise<unknown> }];
    expect(tool.annotations).toEqual({ destructiveHint: true });
    await tool.execute({ n: 5 });
    expect(wordsOf(asked)).toEqual(["Drop 5 rows?"]);
    expect(ran).toEqual([5]);
  });

  it("does not ask about what the user has just chosen in a menu, unless it always does", async () => {
    const { ran, undo } = register();
    const asked = answerWith(client, { approved: true });
    await trigger({ n: 3 }, { chosen: true });
    expect(wordsOf(asked)).toEqual([]);
    undo();
    const again = register({ confirmsAlways: true });
    await trigger({ n: 4 }, { chosen: true });
    expect(wordsOf(asked)).toEqual(["Drop 4 rows?"]);
    expect([ran, again.ran]).toEqual([[3], [4]]);
  });

  it("runs with the arguments as the user changed them, where they fit", async () => {
    const { ran } = register({ requiresConfirmation: true });
    answerWith(client, { approved: true, args: { n: 7 } }, { approved: true, args: { n: "7" } });
    await trigger({ n: 3 });
    await expect(trigger({ n: 3 })).rejects.toThrow(/do not fit the schema/);
    expect(ran).toEqual([7]);
  });

  it("does not run where it cannot be used any more once the user agrees, or where nobody shows the question", async () => {
    let isOpen = true;
    const { ran } = register({ isCompatible: () => isOpen });
    await expect(trigger({ n: 3 })).rejects.toThrow(/nothing here shows/);
    client.watchQuestions(() => {
      isOpen = false;
      for (const { id } of questions()) void client.answer(id, { approved: true });
    });
    await expect(trigger({ n: 3 })).rejects.toThrow(/cannot be used/);
    expect(ran).toEqual([]);
  });

  it("is not asked about any more once it is gone, whoever started it", async () => {
    const { ran, undo } = register();
    const seen = vi.fn();
    client.watchQuestions(seen);
    const asked = [trigger({ n: 3 }), commandsOf(client).find("/drop")!.handler!("4") as Promise<unknown>];
    const ends = Promise.allSettled(asked);
    await vi.waitFor(() => expect(questions()).toHaveLength(2));
    const { id } = questions()[0]!;
    seen.mockClear();
    undo();
    await Promise.resolve();
    expect(questions()).toEqual([]);
    expect(seen).toHaveBeenCalled();
    await client.answer(id, { approved: true }); // too late
    const reason = { message: expect.stringContaining('"drop" cannot be used here and now') as string };
    expect(await ends).toMatchObject([{ status: "rejected", reason }, { status: "rejected", reason }]); // prettier-ignore
    expect(ran).toEqual([]);
  });

  it("is still asked about where it is only registered anew, and runs as it is then", async () => {
    const old = register();
    client.watchQuestions(() => {});
    const done = trigger({ n: 3 });
    await vi.waitFor(() => expect(questions()).toHaveLength(1));
    old.undo();
    const anew = register();
    await new Promise((resolve) => setTimeout(resolve));
    void client.answer(questions()[0]!.id, { approved: true });
    await done;
    expect([old.ran, anew.ran]).toEqual([[], [3]]);
  });

  it("is not asked about for the model any more once it is gone: the model is told", async () => {
    const { ran, undo } = register();
    server.onRun(calls(["c1", "drop", { n: 2 }])).onRun(answer("ok"));
    const sent = client.send("go");
    await vi.waitFor(() => expect(questions()).toHaveLength(1));
    const { id } = questions()[0]!;
    undo();
    await sent; // nobody answers
    expect(client.getSnapshot().toolCalls.c1).toMatchObject({ status: "failed", error: { code: "unknown_tool" } });
    expect(questions()).toEqual([]);
    expect(server.inputs[1]!.messages.map(({ content }) => content as string)).toEqual([
      expect.stringContaining("unknown_tool"),
    ]);
    await client.answer(id, { approved: true }); // too late
    expect(ran).toEqual([]);
  });

  it("is still asked about for the model where it is only registered anew", async () => {
    const old = register();
    server.onRun(calls(["c1", "drop", { n: 2 }])).onRun(answer("ok"));
    const sent = client.send("go");
    await vi.waitFor(() => expect(questions()).toHaveLength(1));
    const told = new Promise<void>((resolve) => client.subscribePage(resolve));
    old.undo();
    const anew = register();
    await told;
    expect(questions()).toHaveLength(1);
    void answerCall(client, "c1", { approved: true });
    await sent;
    expect([old.ran, anew.ran]).toEqual([[], [2]]);
  });

  it("is not for what runs by itself", async () => {
    const actions = uiActionsOf(client);
    const capture = { id: "c", type: "capture-context", requiresConfirmation: true, execute: () => 1 };
    expect(() => actions.registerAction(capture)).toThrow(/runs by itself/);
    register();
    actions.addTriggerAction("capture-context", "drop");
    expect(client.getContextEntries()).toEqual([]);
  });
});
