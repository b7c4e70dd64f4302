import { describe, expect, it } from "vitest";
import type { QueryRequest } from "./view.ts";
import { Discover } from "./discover.ts";
import { FakeAddress, FakeApi, pplError, rowsResult } from "./testing/fake.ts";
import { csvOf } from "./csv.ts";
import {
  addFilter,
  executeQuery,
  exportResults,
  removeFilter,
  selectSource,
  setTimeRange,
  undoChange,
} from "./tools.ts";

async function open(auto = (request: QueryRequest) => rowsResult(request, request.filters.length > 0 ? 7 : 100)) {
  const api = new FakeApi(auto);
  const discover = new Discover(api, new FakeAddress());
  discover.start();
  await discover.settled();
  return { api, discover };
}

describe("execute_ppl_query", () => {
  it("answers with the results, after they have arrived", async () => {
    const api = new FakeApi();
    const discover = new Discover(api, new FakeAddress());
    discover.start();
    let done = false;
    const call = executeQuery(discover, { query: "source=access_log | head 5" }, "1").finally(() => (done = true));
    await Promise.resolve();
    expect(done).toBe(false);
    const { request, answer } = api.pending.at(-1)!;
    answer(rowsResult(request, 5));
    expect(await call).toMatchObject({
      success: true,
      executed: true,
      query: "source=access_log | head 5",
      message: "Query run · 5 requests",
      total: 5,
      matched: 5,
      columns: ["timestamp", "status", "method", "path"],
      rows: expect.arrayContaining([{ timestamp: "2015-05-17T10:00:00Z", status: 200, method: "GET", path: "/1" }]),
    });
  });

  it("sends at most 20 rows", async () => {
    const { discover } = await open();
    const result = await executeQuery(discover, { query: "source=access_log | sort bytes" }, "1");
    expect(result.success && result.rows).toHaveLength(20);
  });

  it("only writes the query where it must not run it", async () => {
    const { api, discover } = await open();
    const result = await executeQuery(discover, { query: "source=x", autoExecute: false }, "1");
    expect(result).toMatchObject({ success: true, executed: false });
    expect(discover.getSnapshot()).toMatchObject({ draft: "source=x", view: { query: "source=access_log" } });
    expect(api.asked).toHaveLength(1);
  });

  it("says where the query is wrong", async () => {
    const { api, discover } = await open();
    api.auto = () => {
      throw pplError;
    };
    const result = await executeQuery(discover, { query: "source=access_log | where statu = 4" }, "1");
    expect(result).toEqual({
      success: false,
      error: pplError.message,
      query: "source=access_log | where statu = 4",
      line: 1,
      column: 27,
      expected: ["status"],
    });
  });

  it("a wrong query and its correction are undone together", async () => {
    const { api, discover } = await open();
    api.auto = () => {
      throw pplError;
    };
    await executeQuery(discover, { query: "source=access_log | where statu = 4" }, "1");
    api.auto = (request) => rowsResult(request, 4);
    await executeQuery(discover, { query: "source=access_log | where status = 4" }, "1");
    discover.dispatch({ type: "undo" });
    expect(discover.getSnapshot()).toMatchObject({ view: { query: "source=access_log" }, change: null });
  });
});

describe("set_time_range", () => {
  it("sets it and counts", async () => {
    const { discover } = await open();
    const args = { from: "2015-05-17T12:00:00Z", to: "2015-05-17 13:00", label: "Peak hour" };
    const result = await setTimeRange(discover, args, "1");
    expect(result).toMatchObject({ success: true, message: "Time range set to Peak hour · 100 requests" });
    expect(discover.getSnapshot().view.time).toEqual({
      from: "2015-05-17T12:00:00Z",
      to: "2015-05-17T13:00:00Z",
      label: "Peak hour",
    });
  });

  it("all of both ends is the whole log; of one end, the log's end", async () => {
    const { discover } = await open();
    await setTimeRange(discover, { from: "2015-05-17T12:00:00Z", to: "ALL" }, "1");
    expect(discover.getSnapshot().view.time).toMatchObject({
      from: "2015-05-17T12:00:00Z",
      to: "2015-05-18T10:00:00Z",
    });
    await setTimeRange(discover, { from: "all", to: "all" }, "1");
    expect(discover.getSnapshot().view.time).toBeNull();
  });

  it.each([
    [{ from: "noon", to: "all" }, /"from" is no time: noon/],
    [{ from: "all", to: "later" }, /"to" is no time: later/],
    [{ from: "2015-05-18", to: "2015-05-17" }, /must be before/],
  ])("refuses %j and changes nothing", async (args, message) => {
    const { discover } = await open();
    const before = discover.getSnapshot().view;
    const result = await setTimeRange(discover, args, "1");
    expect(result.success ? "" : result.error).toMatch(message);
    expect(discover.getSnapshot().view).toBe(before);
  });
});

describe("add_filter", () => {
  it("adds it and counts; a number becomes text", async () => {
    const { discover } = await open();
    const result = await addFilter(discover, { field: "status", op: "is", value: 404 }, "1");
    expect(result).toEqual({
      success: true,
      message: "Filter added: status is 404 · 7 requests",
      total: 7,
      matched: 7,
    });
    expect(discover.getSnapshot().view.filters).toEqual([{ field: "status", op: "is", value: "404" }]);
  });

  it.each([
    [{ field: "stat", op: "is", value: "4" }, /no field "stat". Fields: timestamp, method, path, status/],
    [{ field: "status", op: "like", value: "4" }, /no operator "like"/],
  ])("refuses %j with what there is", async (args, message) => {
    const { discover } = await open();
    const result = await addFilter(discover, args, "1");
    expect(result.success ? "" : result.error).toMatch(message);
  });
});

describe("remove_filter", () => {
  it("takes one off, then all; says where there is none", async () => {
    const { discover } = await open();
    await addFilter(discover, { field: "status", op: "is", value: 404 }, "1");
    await addFilter(discover, { field: "method", op: "is", value: "GET" }, "1");
    const result = await removeFilter(discover, { field: "status", op: "is", value: 404 }, "2");
    expect(result.success).toBe(true);
    expect(discover.getSnapshot().view.filters).toEqual([{ field: "method", op: "is", value: "GET" }]);
    await removeFilter(discover, {}, "3");
    expect(discover.getSnapshot().view.filters).toEqual([]);
    expect(await removeFilter(discover, {}, "4")).toEqual({ success: false, error: "There is no such filter" });
  });
});

describe("select_data_source", () => {
  it("shows it, with its fields", async () => {
    const { discover } = await open();
    const result = await selectSource(discover, { source: "error_summary" }, "1");
    expect(result).toEqual({
      success: true,
      message: "The page shows Error summary, 9 rows",
      fields: ["timestamp"],
      total: 9,
    });
  });

  it("refuses another with those there are", async () => {
    const { discover } = await open();
    const result = await selectSource(discover, { source: "nope" }, "1");
    expect(result).toMatchObject({ success: false, error: expect.stringContaining("access_log, error_summary") });
    expect(discover.getSnapshot().view.query).toBe("source=access_log");
  });
});

describe("undo_change", () => {
  it("takes the assistant's last change back", async () => {
    const { discover } = await open();
    expect(await undoChange(discover, {}, "1")).toEqual({ success: false, error: "There is nothing to undo" });
    await addFilter(discover, { field: "status", op: "is", value: 404 }, "1");
    expect(await undoChange(discover, {}, "2")).toMatchObject({ success: true, matched: 100 });
    expect(discover.getSnapshot().view.filters).toEqual([]);
  });
});

describe("export_results", () => {
  it("saves nothing where there is nothing, or in a format that is unknown", async () => {
    const { discover } = await open((request) => rowsResult(request, 0));
    expect(await exportResults(discover, { format: "csv" }, "1")).toMatchObject({ success: false });
    expect(await exportResults(discover, { format: "xlsx" }, "1")).toMatchObject({ success: false });
  });

  it("writes rows as CSV, and no formulas", () => {
    const columns = [
      { name: "path", type: "string" as const },
      { name: "status", type: "number" as const },
    ];
    expect(
      csvOf(columns, [
        { path: '/a,"b"', status: 200 },
        { path: "=1+1", status: null },
      ]),
    ).toBe('path,status\r\n"/a,""b""",200\r\n\'=1+1,\r\n');
  });
});
