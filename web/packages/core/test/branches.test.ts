import { describe, expect, it, vi } from "vitest";
import { createPagesideClient } from "../src/index.js";
import type { PagesideClient } from "../src/index.js";
import { call, finished, text } from "./events.js";
import { contents, IMPATIENT, refuse, setUp } from "./server.js";
import { gate } from "./tabs.js";

const idOf = (client: PagesideClient, words: string) =>
  client.getSnapshot().messages.find(({ content }) => content === words)!.id;

/** A thread of two questions, and a client that has it open. */
async function begun() {
  const { server, client } = setUp(IMPATIENT);
  server.onRun(() => text("a1", "one")).onRun(() => text("a2", "two"));
  await client.send("1");
  await client.send("2");
  return { server, client };
}

describe("editing a message", () => {
  it("asks again in its place, and what was there stays as a branch", async () => {
    const { server, client } = await begun();
    const old = idOf(client, "2");
    const { opened, open } = gate();
    server.onRun(async function* () {
      await opened;
      yield* text("a3", "zwei");
    });
    const done = client.edit(old, "2, please");
    await vi.waitFor(() => expect(contents(client)).toEqual(["1", "one", "2, please"]));
    open();
    await done;
    expect(contents(client)).toEqual(["1", "one", "2, please", "zwei"]);
    const { messages, forwardedProps } = server.inputs[2]!;
    expect(messages).toMatchObject([{ role: "user", content: "2, please" }]);
    expect(messages[0]!.id).not.toBe(old);
    expect(forwardedProps.pageside.replaces).toBe(old);

    const now = idOf(client, "2, please");
    expect(client.getSnapshot().branches).toMatchObject({
      [now]: [
        { messageId: old, preview: "2", current: false },
        { messageId: now, preview: "2, please", current: true },
      ],
    });
    server.onRun(() => text("a4", "three"));
    await client.send("3");
    expect(server.inputs[3]!.forwardedProps.pageside.replaces).toBeUndefined();
  });

  it("that fails can be tried again, as an edit", async () => {
    const { server, client } = await begun();
    const old = idOf(client, "1");
    server.before = ({ method }) => (method === "POST" ? refuse(500, "internal") : undefined);
    await client.edit(old, "eins");
    expect(client.getSnapshot().status).toBe("error");
    expect(contents(client)).toEqual(["eins"]);
    server.before = undefined;
    server.onRun(() => text("a3", "Ja"));
    await client.retry();
    expect(server.inputs[2]!.forwardedProps.pageside.replaces).toBe(old);
    expect(contents(client)).toEqual(["eins", "Ja"]);
  });

  it("that no run has taken changes only that message", async () => {
    const { server, client } = await begun();
    server.before = () => refuse(500, "internal");
    await client.send("3");
    server.before = undefined;
    server.onRun(() => text("a3", "three"));
    await client.edit(idOf(client, "3"), "three?");
    expect(server.inputs[2]!.messages.map(({ content }) => content)).toEqual(["three?"]);
    expect(server.inputs[2]!.forwardedProps.pageside.replaces).toBeUndefined();
    expect(contents(client)).toEqual(["1", "one", "2", "two", "three?", "three"]);
  });

  it("of somebody else, or that is not there, does nothing", async () => {
    const { server, client } = await begun();
    await client.edit("a1", "me");
    await client.edit("nobody", "me");
    expect(server.inputs).toHaveLength(2);
    expect(contents(client)).toEqual(["1", "one", "2", "two"]);
  });

  it("leaves behind what waited for a person", async () => {
    const { server, client } = await begun();
    server.onRun(function* () {
      yield* call("c1", "pay", {}, "m1");
      yield finished({ type: "interrupt", interrupts: [{ id: "i1", reason: "tool_call", toolCallId: "c1" }] });
    });
    server.onRun(() => text("a3", "three"));
    await client.send("pay");
    expect(client.getSnapshot().questions).toHaveLength(1);
    await client.edit(idOf(client, "pay"), "do not pay");
    expect(server.inputs[3]!.resume).toBeUndefined();
    expect(client.getSnapshot().questions).toEqual([]);
  });
});

describe("regenerating", () => {
  it("asks the same again, for any message of the answer", async () => {
    const { server, client } = await begun();
    const old = idOf(client, "1");
    server.onRun(() => text("a3", "another one"));
    await client.regenerate("a1");
    expect(contents(client)).toEqual(["1", "another one"]);
    expect(server.inputs[2]!.forwardedProps.pageside.replaces).toBe(old);
    expect(await client.branches(idOf(client, "1"))).toHaveLength(2);
  });
});

describe("switching", () => {
  it("shows the other branch, up to its newest answer, and comes back", async () => {
    const { server, client } = await begun();
    const first = idOf(client, "1");
    server.onRun(() => text("a3", "eins"));
    await client.edit(first, "1!");
    const now = idOf(client, "1!");
    const [old, current] = await client.branches(now);
    expect([old!.current, current!.current]).toEqual([false, true]);

    await client.switchTo(old!.runId);
    expect(contents(client)).toEqual(["1", "one", "2", "two"]);
    await vi.waitFor(() => expect(Object.keys(client.getSnapshot().branches!)).toEqual([first]));
    expect(client.getSnapshot()).toMatchObject({ status: "idle", loading: false });

    await client.switchTo(current!.runId);
    expect(contents(client)).toEqual(["1!", "eins"]);
    server.onRun(() => text("a4", "zwei"));
    await client.send("2!");
    expect(contents(client)).toEqual(["1!", "eins", "2!", "zwei"]);
  });

  it("leaves nothing of the other branch behind", async () => {
    const { server, client } = await begun();
    const first = idOf(client, "1");
    server.onRun(function* () {
      yield { type: "REASONING_MESSAGE_START", messageId: "r", role: "reasoning" };
      yield { type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "hm" };
      yield { type: "REASONING_MESSAGE_END", messageId: "r" };
      yield { type: "ACTIVITY_SNAPSHOT", messageId: "card", activityType: "chart", content: {} };
    });
    await client.edit(first, "1!");
    const [old] = await client.branches(idOf(client, "1!"));
    await client.switchTo(old!.runId);
    expect(client.getSnapshot().messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("that the server refuses says so", async () => {
    const { server, client } = await begun();
    server.before = ({ method }) => (method === "PATCH" ? refuse(409, "conflict") : undefined);
    await client.switchTo(server.inputs[0]!.runId);
    expect(client.getSnapshot().error).toMatchObject({ code: "conflict" });
    expect(contents(client)).toEqual(["1", "one", "2", "two"]);
    server.before = undefined;
    await client.retry();
    expect(client.getSnapshot().error).toBeUndefined();
  });
});

it("a loaded thread knows its branches", async () => {
  const { server, client } = await begun();
  server.onRun(() => text("a3", "eins"));
  await client.edit(idOf(client, "1"), "1!");
  const later = createPagesideClient({ url: "https://test", fetch: server.fetch });
  await later.openThread(client.getSnapshot().threadId);
  await vi.waitFor(() => expect(later.getSnapshot().branches).toEqual(client.getSnapshot().branches));
});
