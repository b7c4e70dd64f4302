// A thread as events build it: what is new is told apart from what is only said again.
import { expect, it } from "vitest";
import type { Message } from "../src/index.js";
import type { AgUiEvent } from "../src/protocol/events.js";
import { applyEvent } from "../src/thread/apply.js";
import { ThreadStream } from "../src/thread/thread-stream.js";
import { Thread } from "../src/thread/thread.js";
import { callStates } from "../src/tools/calls.js";
import { call, result, text } from "./events.js";

const event = (value: object) => value as AgUiEvent;
const started = (runId = "r") => event({ type: "RUN_STARTED", threadId: "t", runId });

/** A thread, and what applies an event to it. */
function begin(...events: AgUiEvent[]) {
  const thread = new Thread("t", { isFrontend: () => false, withInitial: (state) => state }, () => {});
  const apply = (each: AgUiEvent) => applyEvent({ thread, writes: [] }, each);
  [started(), ...events].forEach(apply);
  return { thread, apply };
}

it("a call is the same until its message, its result or its progress changes", () => {
  const { thread, apply } = begin(...call("c1", "look", {}, "m1"), ...call("c2", "look", {}, "m2"));
  const read = (last = {}) => callStates(thread.data.messages, thread.data.progress, last);
  const first = read();
  expect(read(first)).toBe(first);
  [...text("a1", "a word", " and another")].forEach(apply);
  expect(read(first)).toBe(first);
  apply({ type: "CUSTOM", name: "tool_progress", value: { toolCallId: "nobody" } });
  thread.update({ progress: new Map(thread.data.progress) });
  expect(read(first)).toBe(first);
  apply(result("c1", 1));
  const next = read(first);
  expect(next).not.toBe(first);
  expect(next.c1).toMatchObject({ status: "complete", result: 1 });
  expect(next.c2).toBe(first.c2);
});

it("a result that comes with the messages alone counts, and goes with them", () => {
  const { messages, progress } = begin(...call("c1", "look", {}, "m1"), result("c1", 1)).thread.data;
  const isResult = ({ role }: Message) => role === "tool";
  const without = messages.filter((message) => !isResult(message));
  const open = callStates(without, progress);
  expect(open.c1!.result).toBeUndefined();
  const answered = callStates([...without, ...messages.filter(isResult)], progress, open);
  expect(answered.c1!.result).toBe(1);
  expect(callStates([], progress, answered)).toEqual({});
});

it("what streams is no longer tried again", () => {
  const trying = event({ type: "CUSTOM", name: "retrying", value: { attempt: 2 } });
  expect(begin(trying).thread.data.retrying).toEqual({ attempt: 2 });
  expect(begin(trying, ...text("a1", "x")).thread.data.retrying).toBeUndefined();
});

it("what a run used counts once, however often it is read", () => {
  const { thread, apply } = begin();
  for (const [runId, inputTokens] of [["r1", 3], ["r2", 4], ["r1", 3]] as const) {
    apply(started(runId));
    apply(event({ type: "RUN_FINISHED", threadId: "t", runId, usage: [{ model: "small", inputTokens }] }));
  } // prettier-ignore
  expect(thread.data.usage).toEqual([{ model: "small", inputTokens: 7 }]);
});

const open = { id: "c", role: "activity", activityType: "query", content: {}, metadata: { pageside: { status: "open" } } }; // prettier-ignore

/** Begins to read the record of a thread with one card; what it returns reads it to its end. */
function reading(thread: Thread, metadata?: object) {
  const stream = new ThreadStream({ thread, writes: [] }, true);
  const record = [started(), event({ type: "MESSAGES_SNAPSHOT", messages: [structuredClone(open)], metadata })];
  return () => record.forEach((each) => stream.apply(each));
}

it("keeps what the user decides while the thread's record is on its way, and nothing older", () => {
  const { thread } = begin();
  const status = () => thread.data.messages[0]?.metadata?.["pageside"];
  const overtaken = reading(thread);
  thread.update({ decided: [{ id: "c", status: "accepted" }] });
  overtaken();
  expect(status()).toEqual({ status: "accepted" });
  reading(thread)(); // another tab has undone it since
  expect(status()).toEqual({ status: "open" });
});

it("keeps what a record repeats, and what was there before it where the record is of the end alone", () => {
  const { thread } = begin();
  const older = { id: "o", role: "user", content: "before" } as const;
  reading(thread)();
  const [card] = thread.data.messages;
  thread.update({ messages: [older, card!], older: "loading" });
  reading(thread, { pageside: { before: "c" } })();
  expect(thread.data.messages).toEqual([older, card]);
  expect(thread.data.messages[1]).toBe(card);
  expect(thread.data.older).toBe("loading");
});
