import { render, waitFor } from "@testing-library/react";
import type { Token, Tokens } from "marked";
import { describe, expect, it } from "vitest";
import { isLong } from "../../../../long.js";
import { effortOf } from "../../../core/test/effort.js";
import { floods } from "../../dev/floods.js";
import { oneShotElement } from "../../dev/render.js";
import { countTokens, endOfPortion, isTooMuch, MAX_TOKENS } from "./budget.js";
import { IncrementalLexer } from "./lexer.js";
import { Markdown } from "./Markdown.js";

const read = (text: string) => new IncrementalLexer().read(text, false).tokens;
const rawOf = (tokens: readonly Token[]) => tokens.map(({ raw }) => raw);
const sizeOf = (tokens: readonly Token[]) => tokens.reduce((sum, token) => sum + countTokens(token), 0);

/**
 * Reads it as it grows, and gives what it is at the end and how many tokens were read on the way.
 */
function stream(text: string, steps: number) {
  const lexer = new IncrementalLexer();
  let tokens: readonly Token[] = [];
  let work = 0;
  for (let step = 1; step <= steps + 1; step++) {
    const before = new Set(tokens);
    const end = Math.ceil((text.length * Math.min(step, steps)) / steps);
    tokens = lexer.read(text.slice(0, end), step <= steps).tokens;
    work += sizeOf(tokens.filter((token) => !before.has(token)));
  }
  return { tokens, work };
}

it("knows many ways to be long", () => expect(Object.keys(floods).length).toBeGreaterThan(100));

describe.each(Object.entries(floods))("%s without end", (_name, flood) => {
  it.each(isLong ? [10_000, 100_000, 400_000] : [100_000])(
    "is %i characters of few tokens, and all of it is there",
    (size) => {
      const text = flood(size);
      const tokens = read(text);
      expect(sizeOf(tokens)).toBeLessThan(MAX_TOKENS + 6_000);
      expect(rawOf(tokens).join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
    },
  );

  it("is the same when it arrives in pieces, and is not read over and over", () => {
    const [size, steps] = isLong ? [200_000, 60] : [60_000, 20];
    const text = flood(size);
    const { tokens, work } = stream(text, steps);
    expect(rawOf(tokens)).toEqual(rawOf(read(text)));
    expect(work).toBeLessThan(steps * 6_000);
  });

  it("is drawn in portions of few tokens, each with some of it", () => {
    const text = flood(100_000);
    for (let from = 0, portions = 0; from < text.length && portions < 3; portions++) {
      const to = endOfPortion(text, from, 8_000);
      expect(to).toBeGreaterThan(Math.min(text.length, from + 130) - 1);
      expect(sizeOf(read(text.slice(from, to)))).toBeLessThan(2_000);
      from = to;
    }
  });

  it("takes little time", () => {
    const text = flood(300_000);
    // Some tens of milliseconds; without bounds many took minutes.
    expect(effortOf(() => void read(text), 3_000)).toBeLessThan(3_000);
  });
});

describe("what answers hold that are meant to be read is read", () => {
  const typesOf = (text: string) => new Set(read(text).map(({ type }) => type));

  it.each([
    ["a table of 100 rows", floods["a table of 4"]!(3_000), "table"],
    ["a table of 400 rows", floods["a table of 4"]!(7_000), "table"],
    ["a list of 300 items", "- an item with **bold** words and `code` in it\n".repeat(300), "list"],
    ["a loose list of 300 items", "1. an item with [a link](https://x.example/)\n\n".repeat(300), "list"],
    ["lists in lists", "- one\n  - two\n    - three\n      - four\n".repeat(100), "list"],
    ["a quote of 200 lines", "> a line of it\n".repeat(200), "blockquote"],
    ["quotes in quotes", "> > > deep\n> > middle\n> outer\nlazy\n\n".repeat(40), "blockquote"],
    ["code of 200 kB", `\`\`\`js\n${"const answer = 42;\n".repeat(11_000)}\`\`\`\n`, "code"],
    ["code of 200 kB that is not over", `\`\`\`js\n${"const answer = 42;\n".repeat(11_000)}`, "code"],
    ["a long paragraph", "A sentence with **bold**, `code` and [a link](https://x.example/). ".repeat(60), "paragraph"],
    ["very long prose", "A sentence without any marks that goes on and on. ".repeat(300), "paragraph"],
  ])("%s", (_name, text, type) => {
    const types = typesOf(text);
    types.delete("space");
    expect([...types]).toEqual([type]);
    const inside = JSON.stringify(read(text));
    expect(inside).not.toContain('"type":"plain"');
  });

  it("an answer of 200 kB with everything in it, also below what is too much", () => {
    const chapter = `## Chapter\n\nSome **bold** prose with \`code\`, and so on. ${"Words. ".repeat(60)}\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\`\`\`go\nfunc main() {}\n\`\`\`\n\n`;
    const text = chapter.repeat(300) + `${floods["[a](http://x/"]!(50_000)}\n\n${chapter}`;
    const types = rawOf(read(text).filter(({ type }) => type === "table")).length;
    expect(types).toBe(301);
    expect(read(text).filter(({ type }) => type === "plain").length).toBeGreaterThan(10);
  });

  it("code keeps its text, its language and its place, however long it is", () => {
    const body = "  if (a) {\n\n    b();\n  }\n".repeat(5_000);
    for (const [head, end] of [
      ["```ts", "```"],
      ["~~~~ts", "~~~~~"],
    ] as const) {
      const [code, , after] = read(`${head}\n${body}${end}\n\nafter **it**\n`) as Tokens.Generic[];
      expect(code).toMatchObject({ type: "code", lang: "ts" });
      expect(`${code!.text as string}\n`).toBe(body);
      expect(after!.type).toBe("paragraph");
    }
    const [indented] = read(`  \`\`\`\n${body}  \`\`\`\n`) as Tokens.Generic[];
    expect(indented!.text).toBe(body.replace(/^ {2}/gm, "").slice(0, -1));
  });

  it("a definition holds above itself in a short answer, and below itself in a long one", () => {
    const link = (text: string) => JSON.stringify(read(text)).split('"type":"link"').length - 1;
    expect(link("see [it]\n\n[it]: https://x.example/")).toBe(1);
    expect(link(`see [it]\n\n${"Words. ".repeat(10_000)}\n\n[it]: https://x.example/\n\nsee [it]`)).toBe(1);
  });
});

describe("what is too much", () => {
  it("is marks in a long paragraph, a long word, and a long paragraph", () => {
    expect(isTooMuch("**a** ".repeat(100))).toBe(false);
    expect(isTooMuch("**a** ".repeat(1_000))).toBe(true);
    expect(isTooMuch("a".repeat(4_001))).toBe(true);
    expect(isTooMuch("漢".repeat(4_001))).toBe(false);
    expect(isTooMuch("words ".repeat(4_000))).toBe(true);
  });

  it("is shown as it was written", () => {
    const text = floods["[a](http://x/)"]!(20_000);
    const element = oneShotElement(`before\n\n${text}\n\n**after**`);
    expect(element.querySelectorAll("a")).toHaveLength(0);
    const pieces = [...element.querySelectorAll(".ps-md-plain")];
    expect(
      pieces
        .map((piece) => piece.textContent)
        .join("")
        .trim(),
    ).toBe(text.trim());
    expect(pieces.map((piece) => piece.hasAttribute("data-follows"))).toEqual([
      false,
      ...pieces.slice(1).map(() => true),
    ]);
    expect(element.querySelector("strong")?.textContent).toBe("after");
  });

  it("is a cell or an item alone where the rest is not", () => {
    const cell = "`a` ".repeat(1_200);
    const element = oneShotElement(`| a | b |\n|---|---|\n| **c** | ${cell}|\n\n- **d**\n- ${cell}`);
    expect(element.querySelectorAll("td strong, li strong")).toHaveLength(2);
    expect(element.querySelectorAll("td code, li code")).toHaveLength(0);
    expect(element.querySelector("td:last-child")?.textContent).toBe(cell.trim());
  });
});

it("draws a long text in portions, and to its end", async () => {
  const text = "A paragraph of some **words**.\n\n".repeat(1_200);
  const { container } = render(<Markdown source={text} />);
  const drawn = () => container.querySelectorAll("p").length;
  expect(drawn()).toBeLessThan(1_000);
  await waitFor(() => expect(drawn()).toBe(1_200));
  const slices = render(<Markdown source={`\`\`\`\n${"line of code\n".repeat(5_000)}\`\`\``} />).container;
  await waitFor(() => expect(slices.querySelector("code")?.textContent).toBe("line of code\n".repeat(5_000).trimEnd()));
  expect(slices.querySelectorAll(".ps-code-slice").length).toBeGreaterThan(10);
});

it("draws portions by what they cost", () => {
  expect(endOfPortion("words ".repeat(10_000), 0, 8_000)).toBe(8_000);
  expect(endOfPortion("- a\n".repeat(10_000), 0, 8_000)).toBeLessThan(1_000);
  expect(endOfPortion("`a` ".repeat(10_000), 0, 8_000)).toBeLessThan(1_000);
  expect(endOfPortion("short", 0, 8_000)).toBe(5);
  expect(endOfPortion("abc", 2, 1)).toBe(3);
});
