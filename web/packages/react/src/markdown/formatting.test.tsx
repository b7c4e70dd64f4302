import { render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { Tokens } from "marked";
import { afterEach, expect, it, vi } from "vitest";
import { floods } from "../../dev/floods.js";
import { endOfPortion } from "./budget.js";
import { Formatting } from "./formatting.js";
import { IncrementalLexer } from "./lexer.js";
import { Markdown } from "./Markdown.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

const links = floods["[a](http://x/)"]!(40_000);
const offer = () => screen.findByRole("button", { name: "Show formatted" });

it("is offered where something is plain, not while it is written, and does what it says", async () => {
  const { container, rerender } = render(<Markdown source={links} streaming />);
  expect(container.querySelectorAll("a")).toHaveLength(0);
  expect(screen.queryByRole("note")).toBeNull();
  rerender(<Markdown source={links} />);
  await userEvent.click(await offer());
  await waitFor(() => expect(container.querySelectorAll("a").length).toBe(links.split("](").length - 1));
  expect(screen.queryByRole("note")).toBeNull();
  expect(container.querySelector(".ps-md-plain")).toBeNull();
});

it("is not offered where nothing is", async () => {
  render(<Markdown source="Some **words**" />);
  await new Promise(requestAnimationFrame);
  expect(screen.queryByRole("note")).toBeNull();
});

it("is done in slices, and can be stopped and gone on with", async () => {
  const frames: FrameRequestCallback[] = [];
  const { container } = render(<Markdown source={"`a` ".repeat(20_000)} />);
  const button = await offer();
  vi.stubGlobal("requestAnimationFrame", (frame: FrameRequestCallback) => frames.push(frame));
  const count = () => container.querySelectorAll("code").length;
  const next = async () => {
    const before = count();
    frames.shift()!(0);
    await waitFor(() => expect(count()).toBeGreaterThan(before));
    return count() - before;
  };
  await userEvent.click(button);
  expect(await next()).toBeLessThan(1_500);
  expect(await next()).toBeLessThan(1_500);
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));
  const stopped = count();
  frames.forEach((frame) => frame(0));
  await Promise.resolve();
  expect(count()).toBeLessThanOrEqual(stopped + 1_500);
  expect(await offer()).toBeTruthy();
  expect(container.querySelector(".ps-md-plain")).not.toBeNull();
});

it("keeps the head of a table above each of its pieces", () => {
  const read = new IncrementalLexer().read(floods["a table of 4"]!(88_000), false).tokens;
  const formatting = new Formatting();
  formatting.of(read, true);
  while (formatting.isOffered) formatting.step();
  const tokens = formatting.of(read, true) as Tokens.Generic[];
  expect(tokens.length).toBeGreaterThan(10);
  const tables = tokens.flatMap((token) => token.tokens ?? []).filter(({ type }) => type !== "space");
  expect(new Set(tables.map(({ type }) => type))).toEqual(new Set(["table"]));
  const rows = tables.reduce((sum, table) => sum + (table as Tokens.Table).rows.length, 0);
  expect(rows).toBe(floods["a table of 4"]!(88_000).trim().split("\n").length - 2);
});

it("is safe as all markdown is", async () => {
  const source = `${links}\n[x](javascript:alert(1)) ![y](https://evil.example/y.png) <script>alert(1)</script>`;
  const { container } = render(<Markdown source={source} />);
  await userEvent.click(await offer());
  await waitFor(() => expect(screen.queryByRole("note")).toBeNull());
  expect(container.querySelector("img, script, a[href^=javascript]")).toBeNull();
});

it("draws portions by what they cost", () => {
  expect(endOfPortion("words ".repeat(10_000), 0, 8_000)).toBe(8_000);
  expect(endOfPortion("- a\n".repeat(10_000), 0, 8_000)).toBeLessThan(1_000);
  expect(endOfPortion("`a` ".repeat(10_000), 0, 8_000)).toBeLessThan(1_000);
  expect(endOfPortion("short", 0, 8_000)).toBe(5);
  expect(endOfPortion("abc", 2, 1)).toBe(3);
});
