import { describe, expect, it } from "vitest";
import type { HistogramData } from "../api/types.ts";
import { timeTicks, valueTicks } from "../lib/chart.ts";
import { histogramSpan, layOut, plot, snap } from "./histogram-geometry.ts";

const data: HistogramData = {
  interval: "1h",
  buckets: [
    { from: "2015-05-17T10:00:00Z", count: 10, errors: 4 },
    { from: "2015-05-17T11:00:00Z", count: 0, errors: 0 },
    { from: "2015-05-17T12:00:00Z", count: 20, errors: 20 },
  ],
};
const shown = { from: "2015-05-17T10:00:00Z", to: "2015-05-17T13:00:00Z" };

describe("histogram", () => {
  it("covers its buckets", () => {
    expect(histogramSpan(data)).toEqual(shown);
    expect(histogramSpan({ interval: "1h", buckets: [] })).toBeNull();
    expect(histogramSpan(null)).toBeNull();
  });

  it("stacks errors under the rest, and fills the width", () => {
    const { bars } = layOut(data, shown, 356);
    const [first, , last] = bars;
    expect(first!.okHeight / first!.errorHeight).toBeCloseTo(6 / 4);
    expect(first!.okY + first!.okHeight).toBeCloseTo(first!.errorY);
    expect(last!.okHeight).toBe(0);
    expect(last!.x + last!.width).toBeCloseTo(356 - plot.right - 0.5);
  });

  it("turns pixels into times and back", () => {
    const { x, time, from, to } = layOut(data, shown, 356);
    expect(time(x(from + 1000))).toBeCloseTo(from + 1000);
    expect(time(-50)).toBe(from);
    expect(time(9999)).toBe(to);
  });

  it("is there without data and without requests", () => {
    expect(layOut(null, shown, 356).bars).toEqual([]);
    const none = { ...data, buckets: data.buckets.map((bucket) => ({ ...bucket, count: 0, errors: 0 })) };
    expect(layOut(none, shown, 356).bars.every((bar) => bar.okHeight === 0)).toBe(true);
  });

  it("a drag takes whole buckets, in either direction", () => {
    const { bars, from } = layOut(data, shown, 356);
    const hour = 3_600_000;
    const two = { from, to: from + 2 * hour };
    expect(snap(bars, from + hour / 2, from + 1.5 * hour)).toEqual(two);
    expect(snap(bars, from + 1.5 * hour, from + hour / 2)).toEqual(two);
    expect(snap([], 0, 1)).toBeNull();
  });
});

describe("ticks", () => {
  it.each([
    [0, [0]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [213, [0, 100, 200, 300]],
    [19_000, [0, 10_000, 20_000]],
  ])("values up to %d", (max, ticks) => expect(valueTicks(max, 3)).toEqual(ticks));

  it("times are round, and midnight is the day", () => {
    const labels = timeTicks(Date.parse("2015-05-17T10:05:00Z"), Date.parse("2015-05-18T13:00:00Z"), 6).map(
      (tick) => tick.label,
    );
    expect(labels).toEqual(["12:00", "18:00", "18 May", "06:00", "12:00"]);
  });
});
