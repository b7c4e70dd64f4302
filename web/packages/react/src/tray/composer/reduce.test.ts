// @vitest-environment node
import { describe, expect, it } from "vitest";
import { reduce, type ComposerAction } from "./reduce.js";
import { EMPTY, filesOf, mentionsOf, type ComposerState } from "./state.js";
import type { Trigger } from "./trigger.js";

const after = (state: ComposerState, ...actions: ComposerAction[]) => actions.reduce(reduce, state);
const attachment = (id: string, size = 1) => ({ id, name: `${id}.txt`, size, mimeType: "text/plain", data: "" });
const add = (threadId: string, ...ids: string[]): ComposerAction => ({
  type: "addFiles",
  files: ids.map((id) => ({ id, threadId, name: id, size: 1, mimeType: "text/plain", progress: 0 })),
  rejections: [],
});
const read = (id: string, size: number): ComposerAction => ({
  type: "fileRead",
  id,
  attachment: attachment(id, size),
  maxTotalSize: 10,
});
const names = (state: ComposerState, threadId: string) => filesOf(state.files, threadId).map(({ id }) => id);

describe("what goes with a message", () => {
  const two = after(
    EMPTY,
    add("one", "a"),
    add("two", "b"),
    { type: "mention", threadId: "one", ids: ["rows"] },
    {
      type: "mention",
      threadId: "two",
      ids: ["chart"],
    },
  );

  it("goes out with it, and that of other threads stays", () => {
    const sent = after(two, { type: "send", threadId: "one" });
    expect([names(sent, "one"), names(sent, "two")]).toEqual([[], ["b"]]);
    expect([mentionsOf(sent, "one"), mentionsOf(sent, "two")]).toEqual([[], ["chart"]]);
  });

  it("comes back with it to its thread", () => {
    const back = after(
      two,
      { type: "send", threadId: "one" },
      { type: "restore", threadId: "one", mentions: ["rows"], attachments: [attachment("a")] },
    );
    expect([names(back, "one"), mentionsOf(back, "one")]).toEqual([["a"], ["rows"]]);
    expect([names(back, "two"), mentionsOf(back, "two")]).toEqual([["b"], ["chart"]]);
  });

  it("may be as large as the limit together; a file removed while it is read stays away", () => {
    const full = after(EMPTY, add("one", "a", "b", "c"), read("a", 4), read("b", 5), read("gone", 1));
    expect(after(full, { type: "removeFile", id: "c" }, read("c", 1)).files).toHaveLength(2);
    const over = after(full, read("c", 2));
    expect(names(over, "one")).toEqual(["a", "b"]);
    expect(over.rejections).toEqual([{ name: "c.txt", reason: "total", limit: 10 }]);
  });
});

it("takes away with the message what was said about the one before", () => {
  const rejections = [{ name: "x", reason: "empty", limit: 0 } as const];
  const told = after(EMPTY, { type: "set", to: { rejections, dialog: "help", problem: "No." } });
  const { text, ...sent } = after(told, { type: "send", threadId: "one" });
  expect([text, sent.rejections, sent.dialog, sent.problem]).toEqual(["", [], undefined, undefined]);
});

describe("the list", () => {
  const at = (query: string, from = 0): ComposerAction => ({ type: "trigger", trigger: trigger(query, from) });
  const trigger = (query: string, from: number): Trigger => ({
    kind: "command",
    from,
    to: from + query.length + 1,
    query,
  });
  const opened = after(EMPTY, at("e"), { type: "set", to: { active: 2 } });

  it("begins at its top with each query", () => {
    expect(opened.active).toBe(2);
    expect(after(opened, at("e", 1)).active).toBe(2);
    expect(after(opened, at("ex")).active).toBe(0);
  });

  it("stays away once dismissed, until another begins", () => {
    const dismissed = after(opened, { type: "set", to: { isDismissed: true } });
    expect(after(dismissed, at("exp")).isDismissed).toBe(true);
    expect(after(dismissed, at("e", 4)).isDismissed).toBe(false);
    expect(after(dismissed, { type: "trigger", trigger: undefined }, at("e")).isDismissed).toBe(false);
  });

  it("is drawn anew only when something changes", () => {
    expect(after(opened, at("e"))).toBe(opened);
    expect(after(opened, { type: "write", text: "" })).toBe(opened);
  });
});
