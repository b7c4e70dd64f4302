import { expect, it } from "vitest";
import type { AgUiEvent } from "../src/protocol/events.js";
import type { Message } from "../src/index.js";
import { applyEvent } from "../src/thread/apply.js";
import { Thread } from "../src/thread/thread.js";
import { callStates } from "../src/tools/calls.js";
import { call, result, text } from "./events.js";

const run = { type: "RUN_STARTED", threadId: "t", runId: "r" } as AgUiEvent;

/** A thread after the events. */
function after(...events: AgUiEvent[]): Thread {
  const thread = new Thread("t", { isFrontend: () => false, withInitial: (state) => state }, () => {});
  for (const event of events) applyEvent({ thread, writes: [] }, event);
  return thread;
}

it("a call is the same until its message, its result or its progress changes", () => {
  const thread = after(run, ...call("c1", "look", {}, "m1"), ...call("c2", "look", {}, "m2"));
  const read = (last = {}) => callStates(thread.data.messages, thread.data.progress, last);
  const apply = (event: AgUiEvent) => applyEvent({ thread, writes: [] }, event);
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
  const { messages, progress } = after(run, ...call("c1", "look", {}, "m1"), result("c1", 1)).data;
  const isResult = ({ role }: Message) => role === "tool";
  const without = messages.filter((message) => !isResult(message));
  const open = callStates(without, progress);
  expect(open.c1!.result).toBeUndefined();
  const answered = callStates([...without, ...messages.filter(isResult)], progress, open);
  expect(answered.c1!.result).toBe(1);
  expect(callStates([], progress, answered)).toEqual({});
});

it("what streams is no longer tried again", () => {
  const trying = { type: "CUSTOM", name: "retrying", value: { attempt: 2 } } as AgUiEvent;
  expect(after(run, trying).data.retrying).toEqual({ attempt: 2 });
  expect(after(run, trying, ...text("a1", "x")).data.retrying).toBeUndefined();
});
