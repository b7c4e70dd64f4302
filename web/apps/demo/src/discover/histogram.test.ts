import { describe, expect, it } from "vitest";
import type { HistogramData } from "./types.ts";
import { histogramSpan, valueTicks } from "./histogram.ts";
import { timeTicks } from "./time.ts";

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
