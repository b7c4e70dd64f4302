// @vitest-environment node
import { describe, expect, it } from "vitest";
import { filter, score } from "./match.js";
import { findTrigger, parseCommand } from "./trigger.js";

/** The bar is the caret. */
const at = (text: string) => findTrigger(text.replace("|", ""), text.indexOf("|"));

describe("what is being written at the caret", () => {
  it.each([
    ["/|", { kind: "command", from: 0, to: 1, query: "" }],
    ["  /ana|", { kind: "command", from: 2, to: 6, query: "ana" }],
    ["/ana|lyze now", { kind: "command", from: 0, to: 4, query: "ana" }],
    ["@|", { kind: "mention", from: 0, to: 1, query: "" }],
    ["look at @sel|", { kind: "mention", from: 8, to: 12, query: "sel" }],
    ["one\n@two|", { kind: "mention", from: 4, to: 8, query: "two" }],
    ["/go with @x|", { kind: "mention", from: 9, to: 11, query: "x" }],
  ])("%s", (text, expected) => expect(at(text)).toEqual(expected));

  it.each(["|/analyze", "/analyze |", "say /analyze|", "/var/log|", "me@example|", "@a b|", "|@a", "", "text|"])(
    "nothing in %s",
    (text) => expect(at(text)).toBeUndefined(),
  );
});

it("tells commands from texts", () => {
  expect(parseCommand("/debug Debug the log\nall of it ")).toEqual({
    command: "/debug",
    args: "Debug the log\nall of it",
  });
  expect(parseCommand(" /help")).toEqual({ command: "/help", args: "" });
  for (const text of ["/var/log is full", "/", "/ no", "//x", "a /b", "/ä"]) expect(parseCommand(text)).toBeUndefined();
});

it("finds names by their beginnings, words and letters, and descriptions by their text", () => {
  const items = ["analyze", "explain-data", "export", "refresh"].map((name) => ({
    name,
    description: `${name} it all`,
  }));
  const found = (query: string) => filter(items, query, (item) => item).map(({ name }) => name);
  expect(found("")).toEqual(["analyze", "explain-data", "export", "refresh"]);
  expect(found("ex")[0]).toBe("explain-data");
  expect(found("ED")[0]).toBe("explain-data");
  expect(found("rfs")).toEqual(["refresh"]);
  expect(found("xyz")).toEqual([]);
  expect(found("it all")).toHaveLength(4);
  expect(score("analyze", "ze")).toBeGreaterThan(score("a-z-x-e", "zx")! - 100);
  expect(score("abc", "ca")).toBeUndefined();
});
