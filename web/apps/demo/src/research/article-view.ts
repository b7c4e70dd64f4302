import { positive } from "../ui/text.ts";
import { clean, readFilters, same, writeCriteria } from "./filters.ts";
import type { ArticleBrief, ArticleSearch, Filters, Paging, Retrieval } from "./types.ts";

/** What the Execute tab shows: a search, and what is selected in its result. */
export interface ArticleView extends ArticleSearch {
  selected: readonly string[];
  /** In the workbench: show only rows that meet this yes-or-no column. */
  only: string | null;
}

/** How many rows a page may have. */
export const pageSizes = [10, 25, 50, 100] as const;

/** The stream's own search. */
export const startView = (retrieval: Pick<Retrieval, "query" | "filters">): ArticleView => ({
  query: retrieval.query,
  filters: clean(retrieval.filters),
  sort: "date",
  dir: "desc",
  page: 1,
  pageSize: 25,
  selected: [],
  only: null,
});

/** The actions on the view. */
export type ArticleAction =
  | { type: "search"; query?: string; filters?: Filters }
  | ({ type: "set" } & Partial<Pick<ArticleView, "sort" | "dir" | "page" | "pageSize" | "only" | "selected">>);

/** A new search begins on its first page, with nothing selected. */
export function articleReducer(view: ArticleView, action: ArticleAction): ArticleView {
  if (action.type === "search") {
    const { query = view.query, filters = view.filters } = action;
    return { ...view, query: query.trim(), filters: clean(filters), page: 1, selected: [] };
  }
  const { type, ...parts } = action;
  void type;
  return { ...view, ...("selected" in parts ? {} : { page: 1 }), ...parts };
}

/** What is sent to the server. */
export const toSearch = ({ selected: _selected, only: _only, ...search }: ArticleView): ArticleSearch => search;

/** What the assistant is told of an article in a list. */
export const briefOf = ({ pmid, title, journal, date, types }: ArticleBrief) => ({ pmid, title, journal, date, types });

/** The view as parameters, without what equals the stream's search. */
export function encodeArticleView(view: ArticleView, retrieval: Retrieval): string {
  const start = startView(retrieval);
  const params = new URLSearchParams();
  if (view.query !== start.query) params.set("q", view.query);
  if (!same(view.filters, start.filters)) {
    params.set("filters", "own");
    writeCriteria(params, view.filters);
  }
  writeTable(params, view, start);
  if (view.only) params.set("only", view.only);
  return params.size > 0 ? `?${params.toString()}` : "";
}

/** What every table of Research has in its address. */
export interface TableView<Sort extends string = string> extends Paging<Sort> {
  selected: readonly string[];
}

/** Writes the table's part of an address, without defaults. */
export function writeTable(params: URLSearchParams, view: TableView, start: TableView): void {
  if (view.sort !== start.sort || view.dir !== start.dir) params.set("sort", `${view.sort}:${view.dir}`);
  if (view.page !== 1) params.set("page", String(view.page));
  if (view.pageSize !== start.pageSize) params.set("size", String(view.pageSize));
  if (view.selected.length > 0) params.set("selected", view.selected.join(","));
}

/** Reads what `writeTable` wrote. Invalid parts get their defaults. */
export function readTable<Sort extends string>(
  params: URLSearchParams,
  sorts: readonly Sort[],
  id: RegExp,
): Partial<TableView<Sort>> {
  const [name, dir] = (params.get("sort") ?? "").split(":");
  const sort = sorts.find((each) => each === name);
  const page = positive(params.get("page"));
  const pageSize = pageSizes.find((size) => size === positive(params.get("size")));
  return {
    ...(sort && (dir === "asc" || dir === "desc") && { sort, dir }),
    ...(page && { page }),
    ...(pageSize && { pageSize }),
    selected: (params.get("selected") ?? "").split(",").filter((each) => id.test(each)),
  };
}

/** Reads what `encodeArticleView` wrote. Invalid parts are the stream's. */
export function decodeArticleView(search: string, retrieval: Retrieval): ArticleView {
  const params = new URLSearchParams(search);
  const start = startView(retrieval);
  return {
    ...start,
    query: params.get("q") ?? start.query,
    filters: params.get("filters") === "own" ? readFilters(params) : start.filters,
    ...readTable(params, ["date", "relevance"], /^\d{1,9}$/),
    only: params.get("only") || null,
  };
}

/** The list with the value added, or removed if it was there. */
export const toggled = (values: readonly string[], value: string) =>
  values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
