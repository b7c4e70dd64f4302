import { scriptedAgent, fakeClock } from "@pageside/testing";
import { expect, it } from "vitest";
import { createPagesideClient } from "../src/index.js";
import { listShares, readShared, revokeShare, shareThread } from "../src/server.js";
import { json, setUp } from "./server.js";

function begin() {
  const clock = fakeClock();
  const agent = scriptedAgent([{ when: "again", reply: "Later." }, { reply: "Twelve." }], { clock });
  const of = () => createPagesideClient({ fetch: agent.fetch });
  return { agent, clock, owner: of(), reader: of() };
}

it("shares a thread as it is, and what comes later is not part of it", async () => {
  const { agent, owner, reader } = begin();
  await owner.send("Count the pages");
  const { threadId } = owner.getSnapshot();
  await owner.threads.rename(threadId, "Pages");
  const { token } = await shareThread(owner, threadId);
  await owner.send("again");
  const shared = await readShared(reader, token);
  expect(shared.title).toBe("Pages");
  const questions = shared.messages.filter(({ role }) => role === "user");
  expect(questions.map(({ content }) => content)).toEqual(["Count the pages"]);
  expect(reader.getSnapshot().messages).toEqual([]);
  expect(agent.requests.at(-1)).toMatchObject({ method: "GET", path: `/v1/shared/${token}` });
});

it("lists the links that work, and revokes one", async () => {
  const { owner, reader, clock } = begin();
  await owner.send("Count");
  const { threadId } = owner.getSnapshot();
  const month = await shareThread(owner, threadId);
  const week = await shareThread(owner, threadId, { expiresIn: 7 * 86_400 });
  expect(Date.parse(month.expiresAt) - Date.parse(month.createdAt)).toBe(30 * 86_400_000);
  const idsOf = async () => (await listShares(owner, threadId)).map(({ id }) => id);
  expect(await idsOf()).toEqual([week.id, month.id]);
  expect(JSON.stringify(await listShares(owner, threadId))).not.toContain("token");
  await clock.advance(8 * 86_400_000);
  expect(await idsOf()).toEqual([month.id]);
  await revokeShare(owner, threadId, month.id);
  expect(await idsOf()).toEqual([]);
  for (const { token } of [week, month]) await expect(readShared(reader, token)).rejects.toMatchObject({ status: 404 });
});

it("asks at addresses that any id and token fit in, and says nothing of a time that was not chosen", async () => {
  const { server, client } = setUp();
  const bodies: unknown[] = [];
  const told = { id: "s/1", token: "a/b", createdAt: "2026-01-01T00:00:00Z", expiresAt: "2026-01-31T00:00:00Z" };
  server.routes.set("/v1/threads/t%2F1/shares", ({ body }) => {
    bodies.push(body);
    return json(told, 201);
  });
  server.routes.set("/v1/threads/t%2F1/shares/s%2F1", () => new Response(null, { status: 204 }));
  server.routes.set("/v1/shared/a%2Fb", () => json({ title: "", messages: [] }));
  expect(await shareThread(client, "t/1")).toEqual(told);
  await shareThread(client, "t/1", { expiresIn: 60 });
  await revokeShare(client, "t/1", "s/1");
  await readShared(client, "a/b");
  expect(bodies).toEqual([{}, { expiresIn: 60 }]);
  expect(server.requests).toEqual([
    "POST /v1/threads/t%2F1/shares",
    "POST /v1/threads/t%2F1/shares",
    "DELETE /v1/threads/t%2F1/shares/s%2F1",
    "GET /v1/shared/a%2Fb",
  ]);
});

it("has the calls of a shared thread as they ended: one that never did goes on for nobody", async () => {
  const { server, client } = setUp();
  const called = (id: string) => ({ id, type: "function", function: { name: id, arguments: "{}" } });
  const messages = [
    { id: "u1", role: "user", content: "Count" },
    { id: "a1", role: "assistant", toolCalls: ["done", "failed", "open"].map(called) },
    { id: "r1", role: "tool", toolCallId: "done", content: "" },
    { id: "r2", role: "tool", toolCallId: "failed", content: '{"error":{"message":"It broke."}}' },
  ];
  server.routes.set("/v1/shared/key", () => json({ title: "", messages }));
  const { toolCalls } = await readShared(client, "key");
  const states = Object.values(toolCalls).map(({ name, status }) => [name, status]);
  expect(states).toEqual([["done", "complete"], ["failed", "failed"], ["open", "cancelled"]]); // prettier-ignore
});

it.each([true, false, undefined])("knows whether the server shares: %s", async (sharing) => {
  const { server, client } = setUp();
  server.routes.set("/v1/agents/default/capabilities", () => json({ custom: { pageside: { sharing } } }));
  await new Promise<void>((resolve) => client.subscribe(resolve));
  expect(client.getSnapshot().sharing).toBe(sharing);
});
