import { describe, expect, it } from "vitest";
import { initialState, reduce, type Action, type State } from "./reducer.ts";
import { defaultView } from "./view.ts";

const all = (state: State, ...actions: Action[]) => actions.reduce(reduce, state);
const start = initialState({ ...defaultView, page: 3, sort: { field: "bytes", dir: "desc" }, row: "7" });
const status404 = { field: "status", op: "is", value: "404" } as const;
const day = { from: "2015-05-18T00:00:00Z", to: "2015-05-18T23:59:59Z" };

describe("changes by hand", () => {
  it("a new query starts over: first page, its own order, no open row", () => {
    const { view, draft } = reduce(start, { type: "run", query: "  source=access_log | head 5\n" });
    expect(view).toMatchObject({ query: "source=access_log | head 5", page: 1, sort: null, row: null });
    expect(draft).toBe(view.query);
  });

  it("the same query keeps everything", () => {
    expect(reduce(start, { type: "run", query: start.view.query }).view).toBe(start.view);
  });

  it("an empty query is the whole source", () => {
    expect(reduce(start, { type: "run", query: " " }).view.query).toBe(defaultView.query);
  });

  it("typing changes nothing but the text", () => {
    const next = reduce(start, { type: "edit-draft", draft: "source=" });
    expect(next.view).toBe(start.view);
    expect(next.draft).toBe("source=");
  });

  it.each<Action>([
    { type: "set", time: day },
    { type: "add-filter", filter: status404 },
    { type: "set", sort: null },
    { type: "set", pageSize: 100 },
  ])("$type goes to the first page and keeps the open row", (action) => {
    expect(reduce(start, action).view).toMatchObject({ page: 1, row: "7" });
  });

  it("adds a filter once, and switches it on again", () => {
    const off = all(start, { type: "add-filter", filter: status404 }, { type: "toggle-filter", index: 0 });
    expect(off.view.filters).toEqual([{ ...status404, disabled: true }]);
    expect(reduce(off, { type: "add-filter", filter: status404 }).view.filters).toEqual([status404]);
  });

  it("a filter takes the place of its opposite", () => {
    const not = { ...status404, op: "is not" } as const;
    const next = all(start, { type: "add-filter", filter: status404 }, { type: "add-filter", filter: not });
    expect(next.view.filters).toEqual([not]);
  });

  it("toggling twice gives the same filter", () => {
    const once = reduce(start, { type: "add-filter", filter: status404 });
    const twice = all(once, { type: "toggle-filter", index: 0 }, { type: "toggle-filter", index: 0 });
    expect(twice.view.filters).toEqual(once.view.filters);
  });

  it("clears filters and time range together and keeps the query", () => {
    const narrow = all(
      start,
      { type: "run", query: "source=access_log | head 5" },
      { type: "add-filter", filter: status404 },
      { type: "set", time: day },
      { type: "clear-narrowing" },
    );
    expect(narrow.view).toMatchObject({ query: "source=access_log | head 5", filters: [], time: null });
  });
});

describe("changes by the assistant", () => {
  const run: Action = { type: "assistant", turn: "1", action: { type: "run", query: "source=access_log | head 5" } };
  const time: Action = { type: "assistant", turn: "1", action: { type: "set", time: day } };

  it("remembers what was before, draft included, and undoes to it", () => {
    const typed = reduce(start, { type: "edit-draft", draft: "source=half" });
    const changed = reduce(typed, run);
    expect(changed.change?.parts).toEqual(["query"]);
    const undone = reduce(changed, { type: "undo" });
    expect({ ...undone, ended: {}, flash: null }).toEqual({ ...typed, flash: null });
  });

  it("undoes all changes of one question together", () => {
    const changed = all(start, run, time);
    expect(changed.change?.parts).toEqual(["query", "time"]);
    expect(reduce(changed, { type: "undo" }).view).toEqual(start.view);
  });

  it("keeps the next question's change apart", () => {
    const changed = all(start, run, { ...time, turn: "2" });
    expect(changed.change?.parts).toEqual(["time"]);
    expect(reduce(changed, { type: "undo" }).view.query).toBe("source=access_log | head 5");
  });

  it("flashes only what changed in this step", () => {
    const changed = all(start, run, time);
    expect(changed.flash).toEqual({ seq: 2, parts: ["time"] });
  });

  it("says what became of a change that can no longer be undone", () => {
    const changed = reduce(start, run);
    expect(reduce(changed, { type: "undo" }).ended).toEqual({ "1": "undone" });
    expect(reduce(changed, { type: "run", query: "source=access_log" }).ended).toEqual({ "1": "changed by the user" });
    expect(reduce(changed, { type: "navigate", view: start.view }).ended).toEqual({ "1": "changed by the user" });
    expect(all(start, run, { ...time, turn: "2" }).ended).toEqual({ "1": "followed by another" });
    expect(all(start, run, time).ended).toEqual({});
  });

  it("a change that changes nothing offers no undo", () => {
    const same: Action = { type: "assistant", turn: "1", action: { type: "run", query: start.view.query } };
    expect(reduce(start, same).change).toBeNull();
  });

  it("a query that was only written can be undone too", () => {
    const written = reduce(start, { type: "assistant", turn: "1", action: { type: "edit-draft", draft: "source=x" } });
    expect(written.change?.parts).toEqual(["query"]);
    expect(written.view).toBe(start.view);
    expect(reduce(written, { type: "undo" }).draft).toBe(start.draft);
  });

  it("the offer goes when the user changes the query by hand, and stays when they turn the page", () => {
    const changed = reduce(start, run);
    expect(reduce(changed, { type: "set", page: 2 }).change).not.toBeNull();
    expect(reduce(changed, { type: "run", query: "source=access_log" }).change).toBeNull();
    expect(reduce(changed, { type: "navigate", view: start.view }).change).toBeNull();
    expect(reduce(changed, { type: "undo" }).change).toBeNull();
  });
});
