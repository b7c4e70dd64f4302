import { expect, it } from "vitest";
import { hidesSomething, partsOf } from "./unseen.js";

/** The parts in one line: what is unseen in brackets. */
const shown = (text: string) =>
  partsOf(text)
    .map((part) =>
      typeof part === "string" ? part : `[${part.kind === "character" ? "" : `${part.kind} `}${part.what}]`,
    )
    .join("");

it.each([
  ["a\u200bb", "a[U+200B]b"],
  ["\u202eevil\u2066", "[U+202E]evil[U+2066]"],
  ["no\u00a0break, wide\u3000, thin\u2009", "no[U+00A0]break, wide[U+3000], thin[U+2009]"],
  ["tag \u{e0041}\u{e007f}", "tag [U+E0041][U+E007F]"],
  ["flag \u{1f3f4}\u{e0067}\u{e0062}", "flag \u{1f3f4}[U+E0067][U+E0062]"],
  ["soft\u00adhyphen \ufeff", "soft[U+00AD]hyphen [U+FEFF]"],
  ["filler \u3164 \u2800 \u115f", "filler [U+3164] [U+2800] [U+115F]"],
  ["\u0000\u0007\u001b[2J\u007f\u0085", "[U+0000][U+0007][U+001B][2J[U+007F][U+0085]"],
  ["line\u2028and\u2029\rparagraph", "line[U+2028]and[U+2029][U+000D]paragraph"],
  ["half \ud800 \ue000", "half [U+D800] [U+E000]"],
  ["a\ufe0fb \u034f", "a[U+FE0F]b [U+034F]"],
  [`a${"\u0301".repeat(20)}b`, `a${"\u0301".repeat(4)}[marks 16]b`],
  [`a${"\n".repeat(301)}b`, "a\n[lines 300]\nb"],
  [`a${" \n\t".repeat(40)}b`, "a \n[lines 39]\n\tb"],
  [`a${" ".repeat(200)}b`, "a[spaces 200]b"],
])("%j is shown as %j", (text, expected) => {
  expect(shown(text)).toBe(expected);
  expect(hidesSomething(text)).toBe(true);
});

it.each([
  "plain words,\nin two lines\n\n\nand\ta tab",
  "Grüße, naïve, Ångström e\u0301",
  "漢字 かな 한국어 ไทย ที่",
  "👩\u200d👧 ❤\ufe0f 👩🏽\u200d🚀 1\ufe0f\u20e3",
  "می\u200cخواهم क्\u200dष",
  "שָׁלוֹם العَرَبِيَّة",
  "    indented\n        code",
])("%j hides nothing", (text) => {
  expect(partsOf(text).join("")).toBe(text);
  expect(hidesSomething(text)).toBe(false);
});

it("reads long texts at once", () => {
  for (const piece of ["a\u200b", " \n", "\u0301", "👩\u200d", "\n", "ab "]) {
    const text = piece.repeat(200_000);
    const before = process.cpuUsage().user;
    partsOf(text);
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(5_000);
  }
});
