import { expect, it } from "vitest";
import type { AgUiEvent } from "../src/protocol/events.js";
import { Thread } from "../src/thread/thread.js";
import { ThreadStream } from "../src/thread/thread-stream.js";

/** A thread with one card, as its record tells it. */
const record = (): AgUiEvent[] =>
  [
    { type: "RUN_STARTED", threadId: "t", runId: "r" },
    {
      type: "MESSAGES_SNAPSHOT",
      messages: [{ id: "c", role: "activity", activityType: "query", content: {}, metadata: { pageside: { status: "open" } } }], // prettier-ignore
    },
  ] as unknown as AgUiEvent[];

const noPage = { isFrontend: () => false, withInitial: (state: unknown) => state };

const statusOf = (thread: Thread) =>
  (thread.data.messages[0]?.metadata?.["pageside"] as { status?: string } | undefined)?.status;

it("keeps what the user decides while the thread's record is on its way, and nothing older", () => {
  const thread = new Thread("t", noPage, () => {});
  const overtaken = new ThreadStream({ thread, writes: [] }, true);
  thread.update({ decided: [{ id: "c", status: "accepted" }] });
  for (const event of record()) overtaken.apply(event);
  expect(statusOf(thread)).toBe("accepted");
  const later = new ThreadStream({ thread, writes: [] }, true); // another tab has undone it since
  for (const event of record()) later.apply(event);
  expect(statusOf(thread)).toBe("open");
});

it("keeps what a record repeats, and what was there before it where the record is of the end alone", () => {
  const thread = new Thread("t", noPage, () => {});
  const older = { id: "o", role: "user", content: "before" } as const;
  for (const event of record()) new ThreadStream({ thread, writes: [] }, true).apply(event);
  const [card] = thread.data.messages;
  thread.update({ messages: [older, card!], older: "loading" });
  const [started, snapshot] = record();
  const ofTheEnd = { ...snapshot!, metadata: { pageside: { before: "c" } } } as AgUiEvent;
  for (const event of [started!, ofTheEnd]) new ThreadStream({ thread, writes: [] }, true).apply(event);
  expect(thread.data.messages).toEqual([older, card]);
  expect(thread.data.messages[1]).toBe(card);
  expect(thread.data.older).toBe("loading");
});
