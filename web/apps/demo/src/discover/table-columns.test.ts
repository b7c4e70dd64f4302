import { expect, test } from "vitest";
import type { Column, QueryResult } from "./types.ts";
import { requestOf } from "./results.ts";
import { defaultView } from "./view.ts";
import { rowsResult } from "./testing/fake.ts";
import { barsOf, columnWidth, tableMinWidth } from "./table-columns.ts";

const column = (name: string, type: Column["type"]): Column => ({ name, type });
const columns = [
  column("hour", "time"),
  column("status", "number"),
  column("path", "string"),
  column("errors", "number"),
];

test("a table with bars is wide enough for a whole time and for what stands beside it", () => {
  const rows = [
    ["2026-03-12T14:00:00Z", 502, "/api/checkout", 50],
    ["2026-03-12T19:00:00Z", 500, "/search", 3],
  ];
  const result: QueryResult = { ...rowsResult(requestOf(defaultView), 0), kind: "table", columns, rows };
  const bars = barsOf(result);
  expect(bars).toEqual({ name: "errors", max: 50 });
  expect(columns.map((each) => columnWidth(each, result, bars))).toEqual([168, 80, undefined, "44%"]);
  const beside = tableMinWidth(columns, result) * 0.56;
  expect(beside).toBeGreaterThanOrEqual(168 + 80 + 140);
  expect(beside).toBeLessThan(168 + 80 + 140 + 2);
});
