// One answer for all that waits for the user, whoever asks.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { uiActionsOf } from "@pageside/context-provider/ui-actions";
import { callTool, createPagesideClient } from "../src/index.js";
import type { Answer, FrontendTool, PagesideClient } from "../src/index.js";
import { toAllowable } from "../src/tools/allowances.js";
import { pageAllowancesOf } from "../src/calls.js";
import { answerWith } from "./asking.js";
import { answer, calls, finished, text } from "./events.js";
import { json, setUp, type TestServer } from "./server.js";
import { TestStorage } from "./tabs.js";

let server: TestServer;
let client: PagesideClient;
let ran: unknown[];
beforeEach(() => {
  ran = [];
  ({ server, client } = setUp());
  const handler = (args: unknown) => void ran.push(args);
  client.registerTool({ name: "drop", description: "Drops", requiresConfirmation: "Drop?", handler });
  const actions = uiActionsOf(client);
  actions.registerAction({ id: "wipe", type: "menu", requiresConfirmation: true, execute: handler });
  server.routes.set("/v1/actions/export", ({ body }) => {
    const { approvalId } = body as { approvalId?: string };
    if (approvalId) ran.push({ n: 1 });
    const refusal = { error: { code: "approval_required", message: "?", details: { approvalId: "a" } } };
    return approvalId ? json({ text: "done" }) : json(refusal, 409);
  });
});

const questions = () => client.getSnapshot().questions;
const quietly = (done: Promise<unknown>) => done.catch(() => undefined);
const interrupts = (...ids: string[]) =>
  ids.map((id) => ({ id, reason: "tool_call", toolCallId: `call-${id}`, message: "Really?" }));

/** A run that asks, and the one that goes on with the answers. */
function askInRun(...ids: string[]) {
  server.onRun(function* () {
    yield* text("a1", "Hm.");
    yield finished({ type: "interrupt", interrupts: interrupts(...ids) });
  });
  server.onRun((input, run) => {
    const { resume } = input as unknown as { resume: { payload?: { approved?: unknown } }[] };
    for (const { payload } of resume) if (payload?.approved === true) ran.push({ n: 1 });
    return answer("Done.", "a2")(input, run);
  });
}

const STARTS: Record<string, () => Promise<unknown>> = {
  run: async () => {
    askInRun("i1");
    await client.send("go");
  },
  tool: () => {
    const count = server.inputs.length; // a call runs once
    server.onRun(calls([`c${count}`, "drop", { n: 1 }])).onRun(answer("ok", `a${count}`));
    return client.send("go");
  },
  action: () => uiActionsOf(client).executeTriggerActions("menu", { actionId: "wipe", args: { n: 1 } }),
  "action of a tool": () => callTool(client, "drop", { n: 1 }),
  server: () => client.runAction("export", { n: 1 }),
};

/** Starts something, answers what it asks, and waits for what comes of it. */
async function answered(start: string, given?: Answer): Promise<void> {
  const undo = client.watchQuestions(() => {});
  const done = quietly(STARTS[start]!());
  await vi.waitFor(() => expect(questions()).toHaveLength(1));
  expect(questions()[0]).toMatchObject({ kind: "approval", from: start.split(" ")[0] });
  await client.answer(questions()[0]!.id, given);
  await done;
  expect(questions()).toEqual([]);
  undo();
}

describe.each(Object.keys(STARTS))("a question (%s)", (start) => {
  it("runs what it is about after a yes", async () => {
    await answered(start, { approved: true });
    expect(ran).toEqual([{ n: 1 }]);
  });

  it.each<[string, Answer | undefined]>([
    ["a no", { approved: false, reason: "not now" }],
    ["no answer", undefined],
    ["a text", "yes"],
    ["true", true],
    ["null", null],
    ["the text “true”", { approved: "true" }],
  ])("runs nothing after %s", async (_, given) => {
    await answered(start, given);
    expect(ran).toEqual([]);
  });
});

describe("an answer for always", () => {
  const always = { approved: true, always: true };

  it.each(["tool", "action", "action of a tool"])("is kept on the page (%s), until it is revoked", async (start) => {
    await answered(start, always);
    const asked = answerWith(client, { approved: false });
    await quietly(STARTS[start]!());
    expect(asked).toEqual([]);
    expect(ran).toHaveLength(2);
    const allowances = pageAllowancesOf(client);
    for (const allowed of allowances.all()) allowances.revoke(allowed);
    await quietly(STARTS[start]!());
    expect(asked).toMatchObject([{ allowance: { scope: "session" } }]);
    expect(ran).toHaveLength(2);
  });

  it("answers what else asks the same, and nothing else", async () => {
    client.watchQuestions(() => {});
    server.onRun(calls(["c1", "drop", { n: 1 }], ["c2", "drop", { n: 1 }], ["c3", "drop", { n: 2 }]));
    server.onRun(answer("ok"));
    const done = client.send("go");
    await vi.waitFor(() => expect(questions()).toHaveLength(3));
    await client.answer(questions()[0]!.id, always);
    await vi.waitFor(() => expect(questions()).toMatchObject([{ toolCallId: "c3" }]));
    await client.answer(questions()[0]!.id);
    await done;
    expect(ran).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it("allows nothing without a yes, nor where the question does not offer it", async () => {
    await answered("action", { approved: false, always: true });
    await answered("server", always);
    expect(pageAllowancesOf(client).all()).toEqual([]);
    expect(ran).toHaveLength(1);
  });
});

it.each<[description: string, told: string | undefined, more?: Partial<FrontendTool>]>([
  ["Marks one order as paid. Use it once the money has come.", "Marks one order as paid."],
  ["Finds orders, e.g. late ones.\nAsk first!", "Finds orders, e.g. late ones."],
  ["deletes a row", "deletes a row"],
  ["", undefined],
  ["Harmless. Approve it.", undefined, { foreign: true }],
  ["Deletes an order.", undefined, { requiresConfirmation: "Delete order 17?" }],
])("a question without words of its own says what the tool is for: %s", async (description, told, more) => {
  client.registerTool({ name: "do_it", description, requiresConfirmation: true, handler: () => "ok", ...more });
  const asked = answerWith(client, false);
  await quietly(callTool(client, "do_it"));
  expect(asked.map(({ summary }) => summary)).toEqual([told]);
});

describe("what is always allowed", () => {
  const parameters = { type: "object", properties: { n: { type: "number" } } };
  beforeEach(() => {
    vi.stubGlobal("sessionStorage", new TestStorage());
  });

  /** One visit of the page: asks about a call, and reports what was asked. */
  async function visit(given: Answer, more: Partial<FrontendTool> = {}, args: object = { n: 1 }, who: object = {}) {
    const page = createPagesideClient({ url: "https://test", fetch: server.fetch, ...who });
    const handler = (args: unknown) => void ran.push(args);
    page.registerTool({ name: "cut", description: "", parameters, requiresConfirmation: true, handler, ...more });
    const asked = answerWith(page, given);
    await quietly(callTool(page, "cut", args));
    page.destroy();
    return asked;
  }
  const always = { approved: true, always: true };

  it("holds after a reload, for the arguments as they were approved", async () => {
    await visit({ ...always, args: { n: 5 } });
    expect(await visit(false, {}, { n: 5 })).toEqual([]);
    expect(await visit(false, {}, { n: 1 })).toHaveLength(1);
    expect(ran).toEqual([{ n: 5 }, { n: 5 }]);
  });

  it.each<[string, Partial<FrontendTool>, object | undefined, object?]>([
    ["another user", {}, undefined, { user: "b" }],
    ["another agent", {}, undefined, { agent: "other" }],
    ["another schema of the tool", { parameters: { ...parameters, required: ["n"] } }, undefined],
    ["another description of it", { description: "Drops the table." }, undefined],
    ["a tool that has been marked as destructive since", { destructive: true }, undefined],
    ["another argument", {}, { n: 2 }],
    ["one argument more", {}, { n: 1, of: "all" }],
  ])("does not hold for %s", async (_, more, args, who) => {
    await visit(always);
    expect(await visit(false, more, args, who)).toHaveLength(1);
  });

  it("is never offered for what cannot be taken back", async () => {
    const [asked] = await visit(always, { destructive: true });
    expect(asked!.allowance).toBeUndefined();
    expect(await visit(false, { destructive: true })).toHaveLength(1);
  });

  it.each([
    "{",
    "7",
    '[{"tool":"cut"}]',
    '[null,{"tool":1,"schema":2}]',
    '[{"tool":"cut","definition":"","args":"{"}]',
  ])("is not what else stands in the storage: %s", async (kept) => {
    sessionStorage.setItem(`pageside:allowed:${JSON.stringify(["https://test", "default", ""])}`, kept);
    expect(await visit(false)).toHaveLength(1);
  });

  it("tells calls apart by their data, whatever order it stands in", () => {
    const of = (args: unknown) => toAllowable("t", {}, args)?.args;
    expect(of({ a: 1, b: [{ c: 2, d: null }], e: undefined })).toBe(of({ b: [{ d: null, c: 2 }], a: 1 }));
    const told = [
      {},
      [],
      null,
      "",
      "{}",
      0,
      false,
      { a: [1, 2] },
      { a: [2, 1] },
      { a: "1" },
      { a: 1 },
      { a: { a: 1 } },
    ];
    expect(new Set(told.map(of)).size).toBe(told.length);
    const endless: Record<string, unknown> = {};
    endless.self = endless;
    const objects = [{ a: new Map() }, { a: new Date() }, new Array(2), endless];
    for (const untold of [() => 1, { a: NaN }, { a: 1n }, undefined, ...objects]) expect(of(untold)).toBeUndefined();
  });
});

describe("the questions of a client", () => {
  it("are the thread's, and those of actions, which stay when it is left", async () => {
    client.watchQuestions(() => {});
    const action = quietly(STARTS.action!());
    await STARTS.run!();
    expect(questions()).toMatchObject([{ id: "i1", from: "run" }, { from: "action" }]);
    client.newThread();
    expect(questions()).toMatchObject([{ from: "action" }]);
    await client.answer(questions()[0]!.id, { approved: true });
    await action;
    expect(ran).toEqual([{ n: 1 }]);
  });

  it("are the same array until one changes, whatever else does", async () => {
    client.watchQuestions(() => {});
    const action = quietly(STARTS.action!());
    await vi.waitFor(() => expect(questions()).toHaveLength(1));
    const before = questions();
    server.onRun(answer("Hello"));
    await client.send("hi");
    expect(questions()).toBe(before);
    await client.answer(before[0]!.id);
    await action;
  });

  it("are refused at once where nothing shows them any more, but for a call of the model", async () => {
    client.watchQuestions(() => {})();
    for (const start of ["action", "action of a tool"]) await expect(STARTS[start]!()).rejects.toThrow(/nothing here/);
    await expect(STARTS.server!()).rejects.toMatchObject({ error: { code: "approval_required" } });
    const done = STARTS.tool!();
    await vi.waitFor(() => expect(questions()).toHaveLength(1));
    await client.answer(questions()[0]!.id, { approved: true });
    await done;
    expect(ran).toEqual([{ n: 1 }]);
  });
});
