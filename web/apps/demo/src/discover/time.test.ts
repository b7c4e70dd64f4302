import { describe, expect, it } from "vitest";
import { intervalLabel, intervalMs, iso, parseTime, rangeLabel, spanLabel, stamp, timePresets } from "./time.ts";

describe("time", () => {
  it("presets count back from the log's end", () => {
    const [all, day, , hour] = timePresets({ min: "2015-05-17T10:05:00Z", max: "2015-05-20T21:05:59Z" });
    expect(all?.range).toBeNull();
    expect(day?.range).toMatchObject({ from: "2015-05-19T21:05:59Z", to: "2015-05-20T21:05:59Z" });
    expect(hour?.range?.from).toBe("2015-05-20T20:05:59Z");
  });

  it.each([
    ["2015-05-17T10:00:00Z", "2015-05-17T12:30:00Z", "17 May 10:00 – 12:30"],
    ["2015-05-17T10:00:00Z", "2015-05-18T12:30:05Z", "17 May 10:00:00 – 18 May 12:30:05"],
    ["2015-05-17T10:00:00Z", "2015-05-17T10:59:59.999Z", "17 May 10:00 – 11:00"],
  ])("a range in words: %s to %s", (from, to, label) => {
    expect(spanLabel({ from, to })).toBe(label);
    expect(rangeLabel({ from, to, label: "Peak" })).toBe("Peak");
    expect(rangeLabel(null)).toBe("Whole log");
  });

  it.each([
    ["2015-05-17", "2015-05-17T00:00:00Z"],
    ["2015-05-17 10:00", "2015-05-17T10:00:00Z"],
    ["2015-05-17T10:00:05", "2015-05-17T10:00:05Z"],
    [" 2015-05-17T10:00:00+02:00 ", "2015-05-17T08:00:00Z"],
    ["2015-05-17T10:00:00.500Z", "2015-05-17T10:00:00.500Z"],
  ])("reads %s as UTC", (text, expected) => expect(iso(parseTime(text))).toBe(expected));

  it("a day as an end is its last moment", () => {
    expect(iso(parseTime("2015-05-17", true))).toBe("2015-05-17T23:59:59.999Z");
  });

  it.each(["", "now", "yesterday", "10:00", "2015", "17/May/2015:10:05:03"])("refuses %j", (text) => {
    expect(parseTime(text)).toBeNaN();
  });

  it("knows the histogram's intervals", () => {
    expect(intervalMs("30s")).toBe(30_000);
    expect(intervalMs("3h")).toBe(3 * 3_600_000);
    expect(intervalMs("4w")).toBe(28 * 86_400_000);
    expect(intervalMs("soon")).toBeNaN();
    expect([intervalLabel("1h"), intervalLabel("5m")]).toEqual(["1 hour", "5 minutes"]);
  });

  it("shows what is no time as it is", () => {
    expect(stamp("2015-05-17T10:05:03Z")).toEqual({ date: "2015-05-17", time: "10:05:03" });
    expect(stamp("soon")).toEqual({ date: "", time: "soon" });
  });
});
