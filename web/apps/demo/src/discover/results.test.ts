import { describe, expect, it } from "vitest";
import type { QueryResult } from "./types.ts";
import { rowsResult, testInfo } from "./testing/fake.ts";
import { narrowings } from "./hints.ts";
import { barsOf, briefRows, fieldsOf, peak, requestOf, rowId, shownColumns } from "./results.ts";
import { defaultView } from "./view.ts";

const request = requestOf(defaultView);
const names = (result: QueryResult, query = defaultView.query) =>
  shownColumns(result, query, testInfo).map(({ name }) => name);

const table: QueryResult = {
  ...rowsResult(request, 0),
  kind: "table",
  columns: [
    { name: "hits", type: "number" },
    { name: "status", type: "number" },
    { name: "path", type: "string" },
  ],
  rows: [
    [61, 404, "/a"],
    [3, 404, "/b"],
  ],
  total: 2,
};

describe("columns", () => {
  it("of whole requests: the telling ones, never the id", () => {
    expect(names(rowsResult(request, 1))).toEqual(["timestamp", "status", "method", "path"]);
  });

  it("of a table: keys before numbers, unless the query says in which order", () => {
    expect(names(table)).toEqual(["status", "path", "hits"]);
    expect(names(table, "… | fields hits, status, path")).toEqual(["hits", "status", "path"]);
  });

  it("of a table: a number named like a field is no key unless it is grouped by", () => {
    const greatest = { ...table, columns: table.columns.slice(1) };
    expect(names(greatest, "… | stats max(status) as status by path | sort - status")).toEqual(["path", "status"]);
    expect(names(greatest, "… | stats count() by status, path")).toEqual(["status", "path"]);
  });

  it("bars go to the count, not to a code", () => {
    expect(barsOf(table)).toEqual({ name: "hits", max: 61 });
    expect(barsOf({ ...table, rows: table.rows.slice(0, 1) })).toBeNull();
    expect(barsOf(rowsResult(request, 5))).toBeNull();
    const negative = table.rows.map(([hits, ...rest]) => [-Number(hits), ...rest]);
    expect(barsOf({ ...table, rows: negative })).toBeNull();
    const bySize = ["path", "requests", "bytes"].map((name) => ({ name, type: name === "path" ? "string" : "number" }));
    const rows = [
      ["/a", 2, 900],
      ["/b", 7, 30],
    ];
    expect(barsOf({ ...table, columns: bySize as typeof table.columns, rows })?.name).toBe("bytes");
  });
});

describe("rows", () => {
  it("in brief: objects of the shown columns, long text cut", () => {
    const result = rowsResult(request, 30);
    result.rows[0]![3] = "x".repeat(500);
    const rows = briefRows(result, shownColumns(result, defaultView.query, testInfo), 20);
    expect(rows).toHaveLength(20);
    expect(Object.keys(rows[0]!)).not.toContain("_id");
    expect(fieldsOf(result, result.rows[0]!)).not.toHaveProperty("_id");
    expect(String(rows[0]!.path)).toHaveLength(140);
  });

  it("of requests have an id, of a table none", () => {
    const result = rowsResult(request, 1);
    expect(rowId(result, result.rows[0]!)).toBe("1");
    expect(rowId(table, table.rows[0]!)).toBeNull();
  });

  it("nothing has no peak", () => {
    expect(peak({ interval: "1h", buckets: [{ from: "2015-05-17T10:00:00Z", count: 0, errors: 0 }] })).toBeUndefined();
  });
});

describe("what narrows a view", () => {
  it("names every filter that is on, the time and the query, each with the view without it", () => {
    const view = {
      ...defaultView,
      query: "source=access_log | where status = 999",
      page: 4,
      time: { from: "2015-05-17T10:00:00Z", to: "2015-05-17T11:00:00Z" },
      filters: [
        { field: "status", op: "is" as const, value: "404", disabled: true },
        { field: "path", op: "contains" as const, value: "blog" },
      ],
    };
    const list = narrowings(view);
    expect(list.map(({ kind, label }) => [kind, label])).toEqual([
      ["filter", "path contains blog"],
      ["time", "17 May 10:00 – 11:00"],
      ["query", view.query],
    ]);
    expect(list[0]!.without.filters).toEqual([view.filters[0]]);
    expect(list[0]!.remove).toEqual({ type: "toggle-filter", index: 1 });
    expect(list.every(({ without }) => without.page === 1)).toBe(true);
    expect(narrowings(defaultView)).toEqual([]);
  });
});
