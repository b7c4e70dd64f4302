import { expect, it } from "vitest";
import { applyEvent } from "../src/thread/apply.js";
import type { AgUiEvent } from "../src/protocol/events.js";
import { Thread } from "../src/thread/thread.js";
import { text } from "./events.js";
import { type Script, setUp } from "./server.js";

/** A run that ends like this. */
const ending = (id: string, end: object): Script =>
  function* () {
    yield* text(id, id);
    yield end as AgUiEvent;
  };

const using = (...usage: object[]) => ({ type: "RUN_FINISHED", usage });
const small = { provider: "openai", model: "small" };
const large = { provider: "openai", model: "large" };

it("adds up what the runs of the thread used, by model, also of those that failed", async () => {
  const { server, client } = setUp();
  expect(client.getSnapshot().usage).toBeUndefined();
  server
    .onRun(ending("a1", using({ ...small, inputTokens: 1000, cachedInputTokens: 800, outputTokens: 200 })))
    .onRun(ending("a2", using({ ...small, inputTokens: 234, outputTokens: 10 }, { ...large, outputTokens: 5 })))
    .onRun(ending("a3", { type: "RUN_ERROR", message: "broke", usage: [{ ...large, inputTokens: 7 }] }))
    .onRun(() => text("a4", "says nothing of it"));
  for (const words of ["1", "2", "3", "4"]) await client.send(words);
  expect(client.getSnapshot().usage).toEqual([
    { ...small, inputTokens: 1234, cachedInputTokens: 800, outputTokens: 210 },
    { ...large, inputTokens: 7, outputTokens: 5 },
  ]);
});

it("keeps its identity while nothing is added, and is gone with the thread", async () => {
  const { server, client } = setUp();
  server.onRun(ending("a1", using({ ...small, inputTokens: 1 }))).onRun(() => text("a2", "x"));
  await client.send("1");
  const { usage } = client.getSnapshot();
  await client.send("2");
  expect(client.getSnapshot().usage).toBe(usage);
  client.newThread();
  expect(client.getSnapshot().usage).toBeUndefined();
});

it("counts a run once, however often it is read", () => {
  const thread = new Thread("t1", { isFrontend: () => false, withInitial: (state) => state }, () => {});
  const read = (runId: string, inputTokens: number) => {
    applyEvent({ thread, writes: [] }, { type: "RUN_STARTED", threadId: "t1", runId } as AgUiEvent);
    applyEvent({ thread, writes: [] }, { ...using({ ...small, inputTokens }), threadId: "t1", runId } as AgUiEvent);
  };
  read("r1", 3);
  read("r2", 4);
  read("r1", 3);
  expect(thread.data.usage).toEqual([{ ...small, inputTokens: 7 }]);
});
