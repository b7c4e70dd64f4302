// @vitest-environment node
import type { ClientOptions, Message } from "@pageside/core";
import { expect, it, vi } from "vitest";
import { scriptedAgent } from "../src/index.js";
import { clientWith, loaded } from "./world.js";

const TURNS = 500;

/** 2,000 messages: questions, calls, their results and answers. */
const messages = Array.from({ length: TURNS }, (_, n): Message[] => [
  { id: `q${n}`, role: "user", content: `question ${n}` },
  { id: `a${n}`, role: "assistant", toolCalls: [{ id: `c${n}`, type: "function", function: { name: "look", arguments: "{}" } }] }, // prettier-ignore
  { id: `r${n}`, role: "tool", toolCallId: `c${n}`, content: "found" },
  { id: `e${n}`, role: "assistant", content: `answer ${n}` },
]).flat();

async function opened(options: ClientOptions = {}) {
  const agent = scriptedAgent([{ reply: "Ok." }], { threads: [{ id: "long", messages }] });
  let broken = false;
  const cut: typeof fetch = (url, init) =>
    broken && String(url).includes("/history") ? Promise.reject(new TypeError("offline")) : agent.fetch(url, init);
  const client = await loaded(clientWith({ fetch: cut, threadId: "long", ...options }));
  return { agent, client, shown: () => client.getSnapshot(), fail: (isBroken: boolean) => (broken = isBroken) };
}

const windows = ({ requests }: ReturnType<typeof scriptedAgent>) =>
  requests.flatMap(({ path }) => (path.includes("/history") ? [path] : []));

it("a long thread opens with its newest turns, and older ones come on request", async () => {
  const { agent, client, shown } = await opened();
  expect(shown().messages.map(({ id }) => id)).toEqual(messages.slice(-100).map(({ id }) => id));
  expect(shown().older).toBe("available");
  const last = shown().messages.at(-1);
  // two at once ask for two windows, one after the other
  await Promise.all([client.loadOlder(), client.loadOlder()]);
  expect(shown().messages).toEqual(messages.slice(-300));
  expect(shown().messages.at(-1)).toBe(last);
  expect(shown().toolCalls.c430).toMatchObject({ status: "complete", result: "found" });
  await client.loadOlder({ all: true });
  expect(shown().messages).toEqual(messages);
  expect(shown().older).toBeUndefined();
  const asked = windows(agent).length;
  await client.loadOlder();
  expect(windows(agent)).toHaveLength(asked);
});

it("a window that fails can be asked for again", async () => {
  const { client, shown, fail } = await opened({ history: 40 });
  fail(true);
  await client.loadOlder();
  expect(shown()).toMatchObject({ older: "failed", status: "idle" });
  expect(shown().messages).toHaveLength(40);
  fail(false);
  await client.loadOlder();
  expect(shown().messages).toHaveLength(80);
});

it("what was loaded stays when another tab goes on", async () => {
  const { agent, client, shown } = await opened({ history: 8 });
  await client.loadOlder();
  const first = shown().messages[0];
  const unfollow = client.follow();
  await clientWith({ fetch: agent.fetch, threadId: "long" }).send("More");
  await vi.waitFor(() => expect(shown().messages.at(-1)).toMatchObject({ content: "Ok." }));
  expect(shown().messages).toHaveLength(18);
  expect(shown().messages[0]).toBe(first);
  expect(shown().older).toBe("available");
  unfollow();
});

it("a thread that is left takes no older messages", async () => {
  const { client, shown } = await opened();
  const loading = client.loadOlder();
  client.newThread();
  await loading;
  expect(shown().messages).toEqual([]);
  expect(shown().older).toBeUndefined();
});

it("all of a thread comes at once where that is asked for", async () => {
  const { agent, shown } = await opened({ history: 0 });
  expect(shown().messages).toEqual(messages);
  expect(shown().older).toBeUndefined();
  expect(agent.requests.filter(({ path }) => path.includes("history"))).toEqual([]);
});
