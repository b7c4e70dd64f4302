import type { ArticleSearch, ArticleSort, Direction, Filters, Retrieval } from "../types.ts";
import { cleanFilters, readFilters, sameFilters, writeFilters } from "./filters.ts";

/** What the Execute tab shows: a search, the part of its result, and what is selected in it. */
export interface ArticleView {
  query: string;
  filters: Filters;
  sort: ArticleSort;
  dir: Direction;
  page: number;
  pageSize: number;
  selected: readonly string[];
  /** In the workbench: show only rows that meet this yes-or-no column. */
  only: string | null;
}

export const pageSizes = [10, 25, 50, 100] as const;

export const startView = (retrieval: Pick<Retrieval, "query" | "filters">): ArticleView => ({
  query: retrieval.query,
  filters: cleanFilters(retrieval.filters),
  sort: "date",
  dir: "desc",
  page: 1,
  pageSize: 25,
  selected: [],
  only: null,
});

export type ArticleAction =
  | { type: "search"; query: string; filters?: Filters }
  | { type: "filter"; filters: Filters }
  | { type: "sort"; sort: ArticleSort; dir: Direction }
  | { type: "page"; page: number }
  | { type: "page-size"; pageSize: number }
  | { type: "select"; pmids: readonly string[] }
  | { type: "toggle"; pmid: string }
  | { type: "only"; column: string | null }
  | { type: "restore"; view: ArticleView };

/** Another search begins at its first page, and with nothing selected. */
export function articleReducer(view: ArticleView, action: ArticleAction): ArticleView {
  const anew = { page: 1, selected: [] };
  switch (action.type) {
    case "search":
      return { ...view, query: action.query.trim(), filters: cleanFilters(action.filters ?? view.filters), ...anew };
    case "filter":
      return { ...view, filters: cleanFilters(action.filters), ...anew };
    case "sort":
      return { ...view, sort: action.sort, dir: action.dir, page: 1 };
    case "page":
      return { ...view, page: Math.max(1, action.page) };
    case "page-size":
      return { ...view, pageSize: action.pageSize, page: 1 };
    case "select":
      return { ...view, selected: [...new Set(action.pmids)] };
    case "toggle":
      return {
        ...view,
        selected: view.selected.includes(action.pmid)
          ? view.selected.filter((pmid) => pmid !== action.pmid)
          : [...view.selected, action.pmid],
      };
    case "only":
      return { ...view, only: action.column, page: 1 };
    case "restore":
      return action.view;
  }
}

/**
 * What is sent to the server: with the workbench, all there is up to a limit, and pages are made
 * here.
 */
export const toSearch = ({ query, filters, sort, dir, page, pageSize }: ArticleView): ArticleSearch => ({
  query,
  filters,
  sort,
  dir,
  page,
  pageSize,
});

/** The view as parameters; what is as the stream has it is left out. */
export function encodeArticleView(view: ArticleView, retrieval: Retrieval): string {
  const start = startView(retrieval);
  const params = new URLSearchParams();
  if (view.query !== start.query) params.set("q", view.query);
  if (!sameFilters(view.filters, start.filters)) {
    params.set("filters", "own");
    writeFilters(params, view.filters);
  }
  if (view.sort !== start.sort || view.dir !== start.dir) params.set("sort", `${view.sort}:${view.dir}`);
  if (view.page !== 1) params.set("page", String(view.page));
  if (view.pageSize !== start.pageSize) params.set("size", String(view.pageSize));
  if (view.selected.length > 0) params.set("selected", view.selected.join(","));
  if (view.only) params.set("only", view.only);
  const text = params.toString();
  return text && `?${text}`;
}

/** Reads what `encodeArticleView` wrote; what makes no sense is as the stream has it. */
export function decodeArticleView(search: string, retrieval: Retrieval): ArticleView {
  const params = new URLSearchParams(search);
  const start = startView(retrieval);
  const [, sort, dir] = /^(date|relevance):(asc|desc)$/.exec(params.get("sort") ?? "") ?? [];
  return {
    query: params.get("q") ?? start.query,
    filters: params.get("filters") === "own" ? readFilters(params) : start.filters,
    sort: (sort as ArticleSort | undefined) ?? start.sort,
    dir: (dir as Direction | undefined) ?? start.dir,
    page: positive(params.get("page")) ?? 1,
    pageSize: pageSizes.find((size) => size === positive(params.get("size"))) ?? start.pageSize,
    selected: (params.get("selected") ?? "").split(",").filter((pmid) => /^\d{1,9}$/.test(pmid)),
    only: params.get("only") || null,
  };
}

export function positive(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
}
