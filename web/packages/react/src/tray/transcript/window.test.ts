import { expect, it } from "vitest";
import type { Turn } from "../turn/turns.js";
import { near, openingOf, piecesOf } from "./window.js";

const ids = Array.from({ length: 1000 }, (_, n) => `t${n}`);
const turns = ids.map((id): Turn => ({ id, items: [], stopped: false, failed: false, sources: [] }));
const heights = (height: number) => new Map(ids.map((id) => [id, height]));
const none: ReadonlySet<string> = new Set();
const span = (found: readonly string[]) => [found[0], found.at(-1), found.length];

it("draws what is at most a view away, and keeps what is at most two away", () => {
  // 100 px and the distance of 4: the view begins at turn 100 and ends before turn 110
  const view = [10_400, 11_436] as const;
  expect(span(near(ids, heights(100), ...view, none))).toEqual(["t90", "t119", 30]);
  const before = new Set(ids.slice(0, 90));
  expect(span(near(ids, heights(100), ...view, before))).toEqual(["t80", "t119", 40]);
});

it("draws no more than a bounded number of low turns, and those around the view", () => {
  const found = near(ids, heights(10), 7000, 7800, none);
  expect(found.length).toBeLessThanOrEqual(46);
  const middle = ids.indexOf(found[Math.floor(found.length / 2)]!) * 14;
  expect(middle).toBeGreaterThan(7000);
  expect(middle).toBeLessThan(7800);
});

it("takes the newest turns where there is no layout", () => {
  expect(near(ids, new Map(), 0, 0, none)).toEqual(ids.slice(-46));
});

it("opens a thread with its end, below a gap as high as the others", () => {
  expect(piecesOf(turns, openingOf(turns))).toEqual([{ gap: "t0", height: 990 * 204 - 4 }, ...turns.slice(-10)]);
});

it("leaves gaps between what is drawn, as high as what was measured there", () => {
  const view = { drawn: new Set(["t1", "t2"]), heights: new Map([["t0", 50]]) };
  expect(piecesOf(turns.slice(0, 6), view, "t3")).toEqual([{ gap: "t0", height: 50 }, ...turns.slice(1, 6)]);
  expect(piecesOf(turns.slice(0, 8), view)).toEqual([
    { gap: "t0", height: 50 },
    ...turns.slice(1, 3),
    { gap: "t3", height: 3 * 204 - 4 },
    ...turns.slice(6, 8),
  ]);
});
