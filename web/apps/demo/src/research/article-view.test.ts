import { describe, expect, it } from "vitest";
import { sampleStream } from "./testing/sample.ts";
import {
  articleReducer,
  decodeArticleView,
  encodeArticleView,
  startView,
  toggled,
  type ArticleAction,
  type ArticleView,
} from "./article-view.ts";

const { retrieval } = sampleStream;
const after = (...actions: ArticleAction[]) => actions.reduce(articleReducer, startView(retrieval));

describe("the Execute tab's view", () => {
  it("is the stream's search at first, with nothing in the address", () => {
    expect(encodeArticleView(startView(retrieval), retrieval)).toBe("");
    expect(decodeArticleView("", retrieval)).toEqual(startView(retrieval));
  });

  it.each<[string, ArticleView]>([
    ["another search", after({ type: "search", query: 'FLT3 AND "x y"[mh] & 100%' })],
    ["everything", after({ type: "search", query: "", filters: {} })],
    ["without the stream's filters", after({ type: "search", filters: {} })],
    [
      "filters",
      after({
        type: "search",
        filters: { to: "2024-05", types: ["Review", "Clinical Trial, Phase I"], mesh: ["A, B"] },
      }),
    ],
    [
      "the rest",
      after({ type: "set", sort: "relevance", dir: "desc" }, { type: "set", pageSize: 50 }, { type: "set", page: 3 }),
    ],
    ["a selection", after({ type: "set", selected: ["1", "2"] }, { type: "set", only: "Is it, really?" })],
  ])("survives a reload: %s", (_, view) =>
    expect(decodeArticleView(encodeArticleView(view, retrieval), retrieval)).toEqual(view),
  );

  it("begins another search at the first page, with nothing selected", () => {
    const view = after({ type: "set", page: 4 }, { type: "set", selected: ["7"] }, { type: "search", query: " new " });
    expect(view).toMatchObject({ query: "new", page: 1, selected: [], filters: { from: "2020" } });
  });

  it("selects and lets go", () => expect(["1", "2", "1"].reduce<readonly string[]>(toggled, [])).toEqual(["2"]));

  it.each([
    "?page=0&size=7&sort=x:y&selected=abc,12,<b>",
    "?page=-1&sort=date",
    "?size=1e9",
    "?filters=own&from=soon&to=2024-13",
  ])("takes the default in the place of nonsense: %s", (search) => {
    const { page, pageSize, sort, dir, selected, filters } = decodeArticleView(search, retrieval);
    expect({ page, pageSize, sort, dir }).toEqual({ page: 1, pageSize: 25, sort: "date", dir: "desc" });
    expect(selected.every((pmid) => /^\d+$/.test(pmid))).toBe(true);
    expect([{}, { from: "2020" }]).toContainEqual(filters);
  });
});
