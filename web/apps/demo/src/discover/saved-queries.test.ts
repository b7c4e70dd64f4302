import { describe, expect, it } from "vitest";
import { SavedQueries, viewOf } from "./saved-queries.ts";
import { defaultView } from "./view.ts";

class FakeStorage {
  readonly held = new Map<string, string>();
  getItem = (key: string) => this.held.get(key) ?? null;
  setItem = (key: string, value: string) => void this.held.set(key, value);
}

const missing = {
  ...defaultView,
  query: "source=access_log | where status = 404",
  filters: [{ field: "method", op: "is" as const, value: "GET" }],
  page: 3,
  row: "17",
};

const names = ({ list }: { list: readonly { name: string }[] }) => list.map(({ name }) => name);

describe("saved queries", () => {
  it("come back with query and filters, from the first page, also after a reload", () => {
    const storage = new FakeStorage();
    new SavedQueries(storage).save(" Missing pages ", missing);
    const saved = new SavedQueries(storage).find("missing PAGES")!;
    expect(saved.name).toBe("Missing pages");
    expect(viewOf(saved)).toEqual({ ...missing, page: 1, row: null });
  });

  it("give way to one of the same name", () => {
    const queries = new SavedQueries(new FakeStorage());
    queries.save("Mine", defaultView);
    queries.save("mine", missing);
    expect(queries.getSnapshot().list.map(({ query }) => query)).toEqual([missing.query]);
  });

  it("go when they are deleted, and come back to where they stood", () => {
    const storage = new FakeStorage();
    const queries = new SavedQueries(storage);
    for (const name of ["a", "b", "c"]) queries.save(name, defaultView);
    let told = 0;
    const stop = queries.subscribe(() => told++);
    expect(queries.remove("B")?.name).toBe("b");
    expect(names(new SavedQueries(storage).getSnapshot())).toEqual(["a", "c"]);
    queries.restore();
    queries.restore();
    expect(names(queries.getSnapshot())).toEqual(["a", "b", "c"]);
    expect(told).toBe(2);
    expect(queries.remove("d")).toBeUndefined();
    stop();
    queries.remove("a");
    expect(told).toBe(2);
  });
});
