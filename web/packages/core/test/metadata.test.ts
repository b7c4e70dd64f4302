import { expect, it } from "vitest";
import { isNote, readMetadata } from "../src/index.js";
import { NOTE_TYPE, withStatus, writeMetadata } from "../src/protocol/pageside.js";

it("reads what Pageside says, and nothing where it says nothing", () => {
  expect(readMetadata({ metadata: { pageside: { status: "cut", reason: "length" } } })).toEqual({
    status: "cut",
    reason: "length",
  });
  const nothing = readMetadata({ metadata: { other: 1 } });
  expect(nothing).toEqual({});
  for (const of of [
    undefined,
    {},
    { metadata: null },
    { metadata: { pageside: null } },
    { metadata: { pageside: "x" } },
  ])
    expect(readMetadata(of)).toBe(nothing);
});

it("writes what it reads", () => {
  const metadata = writeMetadata({ hidden: true });
  expect(metadata).toEqual({ pageside: { hidden: true } });
  expect(readMetadata({ metadata })).toEqual({ hidden: true });
});

it("changes the status of a card, and nothing else", () => {
  const card = { id: "p1", metadata: { own: 1, pageside: { source: "llm", status: "open" } } };
  const copy = structuredClone(card);
  expect(withStatus(card, "accepted")).toEqual({
    id: "p1",
    metadata: { own: 1, pageside: { source: "llm", status: "accepted" } },
  });
  expect(card).toEqual(copy);
});

it("knows notes from cards", () => {
  expect(isNote({ role: "activity", activityType: NOTE_TYPE, content: { kind: "page" } })).toBe(true);
  expect(isNote({ role: "activity", activityType: "chart", content: {} })).toBe(false);
  expect(isNote({ role: "user", content: NOTE_TYPE })).toBe(false);
});
