import { expect, test } from "vitest";
import { pretty, prettyArgs, summarize } from "./format.js";

test("what turns the direction of text turns no arguments", () => {
  const args = { to: "pay \u202e001$\u202c to \u2067bob\u2069" };
  expect(summarize(args)).toBe("pay 001$ to bob");
  expect(pretty(args)).toContain(String.raw`"pay \u202e001$\u202c to \u2067bob\u2069"`);
  expect(prettyArgs({ id: "c", name: "pay", args } as never)).toBe(pretty(args));
});
