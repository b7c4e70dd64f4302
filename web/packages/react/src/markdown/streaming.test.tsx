import { render } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { corpus } from "../../dev/corpus.js";
import { canonical, oneShotElement, prefixes } from "../../dev/render.js";
import type * as inline from "./inline.js";
import { Markdown } from "./Markdown.js";
import { isLong, stride } from "../../../../long.js";

// Counts how often the inline content of each source is rendered.
const counts = vi.hoisted(() => new Map<string, number>());
vi.mock("./inline.js", async (original) => {
  const module = await original<typeof inline>();
  return {
    ...module,
    Inline: (props: Parameters<typeof module.Inline>[0]) => {
      const source = props.tokens.map((token) => token.raw).join("");
      counts.set(source, (counts.get(source) ?? 0) + 1);
      return module.Inline(props);
    },
  };
});

/** Streams a text, `step` characters at a time, and gives what is shown at the end. */
function stream(source: string, step: number, each?: (element: HTMLElement) => void): string {
  const { container, rerender, unmount } = render(<Markdown source="" streaming />);
  let shown = 0;
  for (const prefix of prefixes(source)) {
    if (prefix.length - shown < step && prefix.length < source.length) continue;
    shown = prefix.length;
    rerender(<Markdown source={prefix} streaming />);
    each?.(container);
  }
  rerender(<Markdown source={source} />);
  const result = canonical(container);
  unmount();
  return result;
}

/** A small generator, so that a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const pieces = Object.values(corpus).flatMap((text) => text.split(/(?<=\n\n)|(?<= )/));

function mixed(seed: number): string {
  const next = random(seed);
  const joints = ["\n\n", "\n", " ", "", "\n\n", "\n> ", "\n- ", "\n\n1. "];
  return Array.from(
    { length: 25 },
    () => pieces[Math.floor(next() * pieces.length)]! + joints[Math.floor(next() * joints.length)]!,
  ).join("");
}

describe("a text that arrives in pieces ends as it would at once", () => {
  it.each(Object.entries(corpus))("%s, at its prefixes", (_name, source) => {
    expect(stream(source, stride(2))).toBe(canonical(oneShotElement(source)));
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("mixed by seed %i", (seed) => {
    for (let index = 0; index < (isLong ? 12 : 3); index++) {
      const source = mixed(seed * 100 + index);
      expect(stream(source, 3 + (index % 9)), JSON.stringify(source)).toBe(canonical(oneShotElement(source)));
    }
  });

  it("also when another text takes its place", () => {
    const { container, rerender } = render(<Markdown source={corpus.lists!} streaming />);
    rerender(<Markdown source={corpus.tables!} streaming={false} />);
    expect(canonical(container)).toBe(canonical(oneShotElement(corpus.tables!)));
  });
});

describe("half-written markup does not show", () => {
  const shows = (source: string) => {
    const { container, unmount } = render(<Markdown source={source} streaming />);
    const text = container.textContent;
    const element = container.firstElementChild!.cloneNode(true) as HTMLElement;
    unmount();
    return { text, element };
  };

  it.each([
    ["a **b", "a b", "strong"],
    ["a **b*", "a b", "strong"],
    ["a **", "a ", undefined],
    ["a *b c", "a b c", "em"],
    ["a ~~b", "a b", "del"],
    ["a `b", "a b", "code"],
    ["a `", "a ", undefined],
    ["**a `b", "a b", "strong code"],
    ["**bold:", "bold:", "strong"],
    ["- **it", "it", "li strong"],
    ["## **it", "it", "h3 strong"],
    ["[do", "do", undefined],
    ["[docs]", "docs", undefined],
    ["[docs](https://a.exam", "docs", undefined],
    ["**[docs](htt", "docs", "strong"],
    ["see ![img](https://a", "see ", undefined],
    ["see ![im", "see ", undefined],
    ["https://a.exa", "https://a.exa", undefined],
    ["text\n-", "text", "p"],
    ["text\n==", "text", "p"],
    ["##", "", undefined],
    ["- [ ", "", undefined],
    ["- [x]", "", undefined],
    ["1.", "", undefined],
    ["a &am", "a ", undefined],
    ["a \\", "a ", undefined],
    ["``", "", undefined],
    ["```js\ncode\n``", "jscode", "pre"],
    ["| a | b", "ab", "th"],
    ["| a | b |\n", "ab", "th"],
    ["| a | b |\n|-", "ab", "th"],
    ["| a | **b", "ab", "th strong"],
    ["| a | b |\n|--|--|\n| 1 | `x", "ab1x", "td code"],
    ["a | b\n--", "ab", "th"],
    ["> | a |\n> |", "a", "blockquote th"],
    ["snake_", "snake_", undefined],
    ["2 * 3", "2 * 3", undefined],
  ])("%j shows %j", (source, text, selector) => {
    const shown = shows(source);
    expect(shown.element.querySelector("a, img, button.ps-image-gate")).toBeNull();
    expect(shown.text).toBe(text);
    if (selector) expect(shown.element.querySelector(selector), shown.element.innerHTML).not.toBeNull();
    else expect(shown.element.querySelector("strong, em, code, th")).toBeNull();
  });

  it("never shows a table's pipes or a link's target", () => {
    stream(
      "Intro:\n\n| page | hits |\n|:--|--:|\n| `/a` | [x](https://t.example/q) |\n\nSee [docs](https://d.example/z).",
      1,
      (element) => {
        expect(element.textContent).not.toMatch(/\||\]\(|https:|\*\*/);
      },
    );
  });
});

it("renders closed blocks once while the rest streams", () => {
  counts.clear();
  const source = Array.from({ length: 40 }, (_, index) => `Paragraph number ${index} with **bold** text.`).join("\n\n");
  stream(source, 7);
  for (let index = 0; index < 38; index++) {
    const before = counts.get(`Paragraph number ${index} with **bold** text.`);
    // Once when its last character came, once when it stopped being the open block.
    expect(before, `paragraph ${index}`).toBeLessThanOrEqual(2);
  }
  counts.clear();
  const { rerender } = render(<Markdown source={source} streaming />);
  counts.clear();
  rerender(<Markdown source={`${source}\n\nmore`} streaming />);
  rerender(<Markdown source={`${source}\n\nmore and more`} streaming />);
  expect([...counts.keys()].filter((raw) => /number (?:[0-9]|[12][0-9]|3[0-8]) /.test(raw))).toEqual([]);
});

it("renders the finished items of an open list and rows of an open table no more", () => {
  const list = Array.from({ length: 30 }, (_, index) => `- item ${index}`).join("\n");
  const table = `| h |\n|---|\n${Array.from({ length: 30 }, (_, index) => `| row ${index} |`).join("\n")}`;
  for (const source of [list, table]) {
    const { rerender, unmount } = render(<Markdown source={source} streaming />);
    counts.clear();
    rerender(<Markdown source={`${source} m`} streaming />);
    rerender(<Markdown source={`${source} mo`} streaming />);
    expect([...counts.keys()].filter((raw) => /(?:item|row) (?:1?[0-9]|2[0-8])\b/.test(raw))).toEqual([]);
    unmount();
  }
});
