import { beforeEach, describe, expect, it, vi } from "vitest";
import { fakeClient, user } from "../../../dev/fakeClient.js";
import { DraftKeeper, readDraft, writeDraft } from "./draft.js";

beforeEach(() => {
  vi.useFakeTimers();
});

/** A client, a box, and what keeps its drafts. */
function begin(client = fakeClient()) {
  const box = { text: "", read: () => box.text, write: (text: string) => void (box.text = text) };
  const drafts = new DraftKeeper(client, box);
  const end = drafts.start();
  const type = (text: string) => {
    box.text = text;
    drafts.changed();
  };
  const send = (done?: Promise<void>) => {
    const { text } = box;
    box.text = "";
    drafts.submitted(text, done ?? new Promise(() => {}));
  };
  return { client, box, drafts, end, type, send };
}

const asked = user("before");

it("keeps what is written half a second later, and brings it back after a reload", () => {
  const { type } = begin();
  type("hello");
  vi.advanceTimersByTime(499);
  expect(readDraft("")).toBe("");
  vi.advanceTimersByTime(1);
  expect(begin().box.text).toBe("hello");
  type("");
  vi.advanceTimersByTime(500);
  expect(begin().box.text).toBe("");
});

it("keeps it when the page is left before that", () => {
  begin().type("hello");
  dispatchEvent(new Event("pagehide"));
  expect(begin().box.text).toBe("hello");
});

it("has one for each thread", () => {
  const { client, box, type } = begin(fakeClient({ messages: [asked] }));
  type("for one");
  client.show({ threadId: "t2" });
  expect(box.text).toBe("");
  type("for two");
  client.show({ threadId: "t1" });
  expect(box.text).toBe("for one");
  client.show({ threadId: "t2" });
  expect(box.text).toBe("for two");
  client.show({ threadId: "t3", messages: [] });
  expect(box.text).toBe("");
});

it("does not take a draft from a box that is already used", () => {
  writeDraft("", "old");
  const client = fakeClient();
  const box = { read: () => "new", write: vi.fn() };
  new DraftKeeper(client, box).start();
  expect(box.write).not.toHaveBeenCalled();
});

it("does not show the new thread's draft in one that is still being loaded", () => {
  writeDraft("", "for a new one");
  writeDraft("t1", "for this one");
  const { client, box } = begin();
  expect(box.text).toBe("for a new one");
  client.show({ messages: [asked] });
  expect(box.text).toBe("for this one");
  expect(readDraft("")).toBe("for a new one");
});

it("has it for a thread that could not be loaded", () => {
  writeDraft("t1", "for this one");
  expect(begin().box.text).toBe("for this one");
});

describe("what was sent", () => {
  it("is kept until the server has it", async () => {
    const { client, type, send } = begin();
    type("a question");
    send();
    expect(readDraft("")).toBe("a question");
    client.show({ status: "submitted", messages: [user("a question")] });
    expect(readDraft("t1")).toBe("a question");
    client.show({ status: "streaming" });
    expect([readDraft(""), readDraft("t1")]).toEqual(["", ""]);
  });

  it("does not touch what is written meanwhile", () => {
    const { client, box, type, send } = begin(fakeClient({ messages: [asked] }));
    type("first");
    send();
    client.show({ status: "submitted" });
    type("second");
    client.show({ status: "streaming" });
    vi.advanceTimersByTime(500);
    expect([box.text, readDraft("t1")]).toEqual(["second", "second"]);
  });

  it("stays while it waits in the queue", () => {
    const { client, type, send } = begin(fakeClient({ messages: [asked], status: "streaming" }));
    type("next");
    send();
    client.show({ queue: [{ id: "q1", text: "next", mentions: [] }] });
    expect(readDraft("t1")).toBe("next");
    client.show({ queue: [], status: "submitted" });
    expect(readDraft("t1")).toBe("next");
    client.show({ status: "streaming" });
    expect(readDraft("t1")).toBe("");
  });

  it("comes back where it was refused for good, and not where it can be sent again", () => {
    for (const retryable of [false, true]) {
      const { client, box, drafts } = begin(fakeClient({ messages: [asked] }));
      const onRefused = vi.fn();
      box.text = "";
      drafts.submitted("too long", new Promise(() => {}), onRefused);
      client.show({ status: "submitted" });
      client.show({ status: "error", error: { code: "too_large", message: "", retryable } });
      expect(box.text).toBe(retryable ? "" : "too long");
      expect(onRefused).toHaveBeenCalledTimes(retryable ? 0 : 1);
      expect(readDraft("t1")).toBe("too long");
      client.show({ status: "submitted", error: undefined });
      client.show({ status: "streaming" });
      expect(readDraft("t1")).toBe(retryable ? "" : "too long");
    }
  });

  it.each([false, true])(
    "does not come back where the run failed: it is in the thread (retryable: %s)",
    (retryable) => {
      const { client, box, drafts } = begin(fakeClient({ messages: [asked] }));
      const onRefused = vi.fn();
      box.text = "";
      drafts.submitted("refused key", new Promise(() => {}), onRefused);
      client.show({ status: "submitted" });
      client.show({ status: "error", error: { code: "llm_auth", message: "", retryable, ofRun: true } });
      expect([box.text, readDraft("t1")]).toEqual(["", ""]);
      expect(onRefused).not.toHaveBeenCalled();
    },
  );

  it("does not come back over what is written meanwhile", () => {
    const { client, box, type, send } = begin(fakeClient({ messages: [asked] }));
    type("too long");
    send();
    client.show({ status: "submitted" });
    type("other");
    client.show({ status: "error", error: { code: "too_large", message: "", retryable: false } });
    expect(box.text).toBe("other");
  });
});

it("forgets the oldest of very many, and lives without a storage", () => {
  for (let index = 0; index < 30; index++) writeDraft(`t${index}`, "x");
  expect([readDraft("t9"), readDraft("t10"), readDraft("t29")]).toEqual(["", "x", "x"]);
  sessionStorage.setItem("pageside:drafts", "no json");
  expect(readDraft("t29")).toBe("");
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  expect(() => writeDraft("t1", "x")).not.toThrow();
});
