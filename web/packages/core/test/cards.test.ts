import { describe, expect, it } from "vitest";
import { readMetadata } from "../src/index.js";
import type { AgUiEvent } from "../src/protocol/events.js";
import { text } from "./events.js";
import { IMPATIENT, json, refuse, type Seen, setUp } from "./server.js";

const begin = () => setUp({ agent: "helper", ...IMPATIENT });

/** What the client asked for, with the body it sent. */
const asked = ({ method, path, body }: Seen) => [`${method} ${path}`, body];

function* card(): Iterable<AgUiEvent> {
  const metadata = { own: 1, pageside: { source: "llm", status: "open" } };
  yield { type: "ACTIVITY_SNAPSHOT", messageId: "p1", activityType: "plan", content: { steps: [] }, metadata };
  const patch = [{ op: "add" as const, path: "/steps/-", value: "look" }];
  yield { type: "ACTIVITY_DELTA", messageId: "p1", activityType: "plan", patch };
}

describe("payload cards", () => {
  it("are messages, grow, and are accepted at once; the status stays where the server refuses another", async () => {
    const { server, client } = begin();
    server.onRun(card);
    await client.send("go");
    const status = () => client.getSnapshot().messages[1]!.metadata;
    const settled = { own: 1, pageside: { source: "llm", status: "accepted" } };
    const [, open] = client.getSnapshot().messages;
    const before = structuredClone(open);
    expect(open).toEqual({
      id: "p1",
      role: "activity",
      activityType: "plan",
      content: { steps: ["look"] },
      metadata: { own: 1, pageside: { source: "llm", status: "open" } },
    });
    server.before = () => new Response(null, { status: 204 });
    await client.setPayloadStatus("p1", "accepted");
    expect(status()).toEqual(settled);
    expect(open).toEqual(before);
    const { threadId } = client.getSnapshot();
    expect(asked(server.seen.at(-1)!)).toEqual([`PUT /v1/threads/${threadId}/payloads/p1`, { status: "accepted" }]);

    server.before = () => refuse(503, "draining");
    await expect(client.setPayloadStatus("p1", "dismissed")).rejects.toMatchObject({ error: { code: "draining" } });
    expect(status()).toEqual(settled);
    await expect(client.setPayloadStatus("nobody", "accepted")).rejects.toThrow(/nobody/);
  });

  it("that are notes for the model are never shown", async () => {
    const { server, client } = begin();
    const note = { activityType: "pageside_note", content: { kind: "page", text: "moved" } };
    server.onRun(function* () {
      yield { type: "ACTIVITY_SNAPSHOT", messageId: "n1", ...note };
      yield* text("a1", "Hi");
    });
    await client.send("go");
    expect(
      client
        .getSnapshot()
        .messages.map(({ id }) => id)
        .slice(1),
    ).toEqual(["a1"]);
    await client.openThread(client.getSnapshot().threadId); // the server of the test holds it
    expect(client.getSnapshot().messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("suggestions come with the end of the answer", async () => {
    const { server, client } = begin();
    const suggestions = { suggestedValues: [{ label: "Yes", value: "Yes, please" }] };
    server.onRun(function* () {
      yield* [...text("a1", "Shall I?")].slice(0, -1);
      yield { type: "TEXT_MESSAGE_END", messageId: "a1", metadata: { pageside: suggestions } };
    });
    await client.send("go");
    expect(client.getSnapshot().messages[1]).toMatchObject({
      content: "Shall I?",
      metadata: { pageside: suggestions },
    });
  });
});

it("what Pageside says in metadata is read, and nothing where it says nothing", () => {
  const cut = { status: "cut", reason: "length" };
  expect(readMetadata({ metadata: { pageside: cut } })).toEqual(cut);
  const nothing = readMetadata({ metadata: { other: 1 } });
  expect(nothing).toEqual({});
  for (const metadata of [undefined, null, {}, { pageside: null }, { pageside: "x" }])
    expect(readMetadata({ metadata })).toBe(nothing);
  expect(readMetadata(undefined)).toBe(nothing);
});

describe("the server", () => {
  it("lists and searches threads", async () => {
    const { server, client } = begin();
    const thread = { id: "t", title: "T", updatedAt: "u", createdAt: "c", archived: true, snippet: "…the log…" };
    server.before = () => json({ threads: [{ ...thread, agent: "x" }], next: "" });
    expect(await client.threads.list({ q: "the log", archived: true, cursor: "n&", limit: 5 })).toEqual({
      threads: [thread],
      next: undefined,
    });
    expect(Object.fromEntries(server.seen[0]!.query)).toEqual({
      q: "the log",
      archived: "1",
      cursor: "n&",
      limit: "5",
    });
    await client.threads.list({ deleted: true });
    expect(Object.fromEntries(server.seen[1]!.query)).toEqual({ deleted: "1", limit: "50" });
  });

  it("lists what runs without asking, and takes it back", async () => {
    const { server, client } = begin();
    const allowance = { id: "alw/1", tool: "create_alert", args: { name: "cpu" }, active: true };
    server.before = () => json({ allowances: [allowance] });
    expect(await client.threads.allowances("a/b")).toEqual([allowance]);
    await client.threads.revoke("a/b", "alw/1");
    expect(server.seen.map(asked)).toEqual([
      ["GET /v1/threads/a%2Fb/allowances", undefined],
      ["DELETE /v1/threads/a%2Fb/allowances/alw%2F1", undefined],
    ]);
  });

  it("renames, archives, pins, deletes and restores them", async () => {
    const { server, client } = begin();
    server.before = () => json({});
    const { threadId } = client.getSnapshot();
    await client.threads.rename(threadId, "Logs");
    await client.threads.rename("a/b", "Other");
    await client.threads.archive("t");
    await client.threads.archive("t", false);
    await client.threads.pin("t");
    await client.threads.pin("t", false);
    await client.threads.delete("t");
    await client.threads.restore("t");
    expect(server.seen.map(asked)).toEqual([
      [`PATCH /v1/threads/${threadId}`, { title: "Logs" }],
      ["PATCH /v1/threads/a%2Fb", { title: "Other" }],
      ["PATCH /v1/threads/t", { archived: true }],
      ["PATCH /v1/threads/t", { archived: false }],
      ["PATCH /v1/threads/t", { pinned: true }],
      ["PATCH /v1/threads/t", { pinned: false }],
      ["DELETE /v1/threads/t", undefined],
      ["PATCH /v1/threads/t", { deleted: false }],
    ]);
    expect(client.getSnapshot().title).toBe("Logs");
    server.before = () => refuse(404, "not_found");
    await expect(client.threads.delete("t")).rejects.toMatchObject({ error: { code: "not_found" } });
  });

  it("takes feedback, runs actions, suggests", async () => {
    const { server, client } = begin();
    const { threadId } = client.getSnapshot();
    client.setPlace({ page: "logs", scope: { index: "1" } });
    client.registerContext({ id: "rows", description: "rows", value: 3, kind: "dynamic" });
    const place = { agent: "helper", page: "logs", scope: { index: "1" } };
    server.before = ({ path }) =>
      path.endsWith("suggestions") ? json({ suggestions: [{ label: "L", value: "V" }] }) : json({ text: "done" });
    await client.sendFeedback("a1", { rating: -1, comment: "wrong" });
    expect(await client.runAction("export", { format: "csv" })).toEqual({ text: "done" });
    expect(await client.suggest("briefly")).toEqual([{ label: "L", value: "V" }]);
    expect(server.seen.map(asked)).toEqual([
      [`PUT /v1/threads/${threadId}/messages/a1/feedback`, { rating: -1, comment: "wrong" }],
      [
        "POST /v1/actions/export",
        {
          ...place,
          args: { format: "csv" },
          threadId,
          context: [{ id: "rows", description: "rows", value: "3" }],
          idempotencyKey: expect.any(String),
        },
      ],
      ["POST /v1/suggestions", { ...place, instructions: "briefly", context: [{ description: "rows", value: "3" }] }],
    ]);
  });
});
