import { describe, expect, it } from "vitest";
import { HttpError } from "../shell/http.ts";
import { FakeAddress, FakeApi, pplError, rowsResult } from "./testing/fake.ts";
import { selectionContext, queryContext, rowContext } from "./context.ts";
import { Discover } from "./discover.ts";

/** Lets answered promises run on. */
const tick = () => new Promise((resolve) => setTimeout(resolve));

async function open(search = "", api = new FakeApi((request) => rowsResult(request, 100))) {
  const address = new FakeAddress(search);
  const discover = new Discover(api, address);
  discover.start();
  await discover.settled();
  await tick();
  return { api, address, discover };
}

describe("Discover", () => {
  it("loads what the URL asks for", async () => {
    const { api, discover } = await open("?f=status~is~404&page=2&row=9");
    expect(api.asked).toHaveLength(1);
    expect(api.asked[0]).toMatchObject({ page: 2, filters: [{ field: "status", op: "is", value: "404" }] });
    expect(discover.getSnapshot()).toMatchObject({ results: { status: "ready" }, detail: { id: "9" } });
  });

  it("writes the URL and follows back and forward", async () => {
    const { address, discover } = await open();
    discover.dispatch({ type: "set", page: 2 });
    discover.dispatch({ type: "add-filter", filter: { field: "status", op: "is", value: "404" } });
    expect(address.entries).toEqual(["", "?page=2", "?f=status%7Eis%7E404"]);
    address.go(-1);
    await discover.settled();
    expect(discover.getSnapshot().view).toMatchObject({ page: 2, filters: [] });
  });

  it("stepping through rows leaves one entry in the history", async () => {
    const { address, discover } = await open();
    for (const row of ["1", "2", "3"]) discover.dispatch({ type: "open-row", row });
    expect(address.entries).toEqual(["", "?row=3"]);
  });

  it("does not ask again for what only changes the looks", async () => {
    const { api, discover } = await open();
    discover.dispatch({ type: "open-row", row: "1" });
    discover.dispatch({ type: "edit-draft", draft: "source=" });
    expect(api.asked).toHaveLength(1);
  });

  it("an answer that was overtaken is ignored, whichever comes first", async () => {
    const api = new FakeApi();
    const discover = new Discover(api, new FakeAddress());
    discover.start();
    discover.dispatch({ type: "run", query: "source=access_log | head 5" });
    let settled = false;
    const waiting = discover.settled().then(() => (settled = true));
    api.pending[0]!.answer(rowsResult(api.pending[0]!.request, 1));
    await tick();
    expect(settled).toBe(false);
    expect(discover.getSnapshot().results.status).toBe("loading");
    api.pending[1]!.answer(rowsResult(api.pending[1]!.request, 5));
    await waiting;
    expect(discover.getSnapshot().results).toMatchObject({ status: "ready", data: { total: 5 } });
  });

  it("whoever waits also waits for a query that overtakes the first", async () => {
    const api = new FakeApi();
    const discover = new Discover(api, new FakeAddress());
    discover.start();
    const waiting = discover.settled();
    discover.dispatch({ type: "set", page: 2 });
    await tick();
    api.pending[1]!.answer();
    expect(await waiting).toMatchObject({ status: "ready", data: { rows: expect.arrayContaining([]) } });
    expect(discover.getSnapshot().view.page).toBe(2);
  });

  it("a page past the end becomes the last one", async () => {
    const { address, discover } = await open("?page=9");
    expect(discover.getSnapshot().view.page).toBe(2);
    expect(address.entries).toEqual(["?page=2"]);
  });

  it("an error keeps the old data at hand, and asking again can succeed", async () => {
    const { api, discover } = await open();
    api.auto = () => {
      throw new HttpError("The server cannot be reached.", "unreachable", 0);
    };
    discover.dispatch({ type: "set", page: 2 });
    await discover.settled();
    expect(discover.getSnapshot().results).toMatchObject({ status: "error", data: { total: 100 } });
    api.auto = (request) => rowsResult(request, 100);
    discover.refresh();
    expect(await discover.settled()).toMatchObject({ status: "ready" });
  });

  it("says what keeps an empty result empty, with counts", async () => {
    const api = new FakeApi((request) =>
      rowsResult(request, request.filters.every((filter) => filter.disabled) ? 42 : 0),
    );
    const { discover } = await open("?f=status~is~999&from=2015-05-17T10:00:00Z&to=2015-05-17T11:00:00Z", api);
    const hints = discover.getSnapshot().hints.map(({ kind, matched }) => [kind, matched]);
    expect(hints).toEqual([
      ["filter", 42],
      ["time", 0],
    ]);
    discover.dispatch(discover.getSnapshot().hints[0]!.remove);
    await discover.settled();
    expect(discover.getSnapshot().hints).toEqual([]);
  });

  it("counts what each filter keeps out also where few results are left, and asks no more than it needs where there are many", async () => {
    const counts = [60, 9, 1];
    const api = new FakeApi((request) => rowsResult(request, counts[request.filters.length]!));
    const { discover } = await open("?f=status~is~404&f=method~is~GET", api);
    expect(discover.getSnapshot().hints.map(({ label, matched }) => [label, matched])).toEqual([
      ["status is 404", 9],
      ["method is GET", 9],
    ]);
    counts[2] = 50;
    const asked = api.asked.length;
    discover.refresh();
    await discover.settled();
    expect(discover.getSnapshot().hints).toEqual([]);
    expect(api.asked.length).toBe(asked + 1);
  });

  it("keeps the last row's fields until the next one's are here", async () => {
    const { discover } = await open("?row=1");
    discover.dispatch({ type: "open-row", row: "2" });
    expect(discover.getSnapshot().detail).toMatchObject({ id: "2", data: { raw: "line 1" } });
    await tick();
    expect(discover.getSnapshot().detail).toMatchObject({ id: "2", data: { raw: "line 2" } });
  });

  it("can be stopped and started again, as StrictMode does", async () => {
    const { api, discover } = await open("?row=1");
    discover.stop();
    discover.start();
    await discover.settled();
    await tick();
    expect(api.asked).toHaveLength(2);
    expect(discover.getSnapshot().detail?.data).not.toBeNull();
  });
});

describe("another source, ticked rows, alerts", () => {
  it("a source has its own fields; filters go, and come back with undo", async () => {
    const { discover } = await open("?f=status~is~404");
    discover.dispatch({ type: "assistant", turn: "1", action: { type: "set-source", source: "error_summary" } });
    expect(discover.getSnapshot()).toMatchObject({
      view: { query: "source=error_summary", filters: [] },
      draft: "source=error_summary",
      info: { total: 9, source: { name: "error_summary", label: "Error summary" } },
    });
    discover.dispatch({ type: "undo" });
    expect(discover.getSnapshot()).toMatchObject({ view: { filters: [{ field: "status" }] }, info: { total: 100 } });
  });

  it("ticks stay over pages and go with another question", async () => {
    const { discover } = await open("");
    const row = { id: "1", fields: { path: `/${"x".repeat(200)}`, status: 404 } };
    discover.toggleRow(row);
    discover.toggleRow({ id: "2", fields: { path: "/b" } });
    discover.toggleRow({ id: "2", fields: { path: "/b" } });
    discover.dispatch({ type: "set", page: 2 });
    expect(discover.getSnapshot().selected).toEqual([row]);
    const told = selectionContext(discover.getSnapshot()) as { count: number; rows: { path: string }[] };
    expect(told.count).toBe(1);
    expect(told.rows[0]!.path).toHaveLength(140);
    discover.dispatch({ type: "run", query: "source=access_log | head 3" });
    expect(discover.getSnapshot().selected).toEqual([]);
  });

  it("a deleted alert comes back", async () => {
    const { api, discover } = await open("");
    api.saved = [
      { id: "7", name: "Many", query: "source=access_log", threshold: 1, interval: "1h", fired: 2, peak: 3 },
    ];
    await discover.loadAlerts();
    await discover.deleteAlert("7");
    expect(discover.getSnapshot()).toMatchObject({ alerts: [], deletedAlert: { id: "7" } });
    await discover.restoreAlert();
    expect(discover.getSnapshot()).toMatchObject({ alerts: [{ id: "7" }], deletedAlert: null });
  });
});

describe("what the assistant is told", () => {
  it("is what is on screen", async () => {
    const { discover } = await open("?f=status~is~404&sort=path:asc&size=25");
    expect(queryContext(discover.getSnapshot())).toMatchObject({
      source: "access_log",
      query: "source=access_log",
      timeRange: { from: "2015-05-17T10:00:00Z", to: "2015-05-18T10:00:00Z", label: "Whole log" },
      filters: [{ field: "status", op: "is", value: "404" }],
      sort: { field: "path", dir: "asc" },
      page: 1,
      pageSize: 25,
      total: 100,
      matched: 100,
      shown: 25,
      histogram: { interval: "1h", peak: { from: "2015-05-17T10:00:00Z", count: 100 } },
    });
    expect(queryContext(discover.getSnapshot()).rows).toHaveLength(20);
  });

  it("has what is typed but not run, and errors", async () => {
    const api = new FakeApi(() => {
      throw pplError;
    });
    const { discover } = await open("?q=source%3Daccess_log+%7C+where+statu+%3D+4", api);
    discover.dispatch({ type: "edit-draft", draft: "source=other" });
    expect(queryContext(discover.getSnapshot())).toMatchObject({
      textInQueryBarNotRunYet: "source=other",
      error: { message: pplError.message, line: 1, column: 27 },
    });
  });

  it("has the open row whole", async () => {
    const { discover } = await open("?row=3");
    expect(rowContext(discover.getSnapshot())).toEqual({ id: "3", fields: { path: "/3" }, raw: "line 3" });
    discover.dispatch({ type: "open-row", row: null });
    expect(rowContext(discover.getSnapshot())).toBeNull();
  });
});
