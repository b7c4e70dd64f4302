import type { Filter, Sort, TimeSpan } from "./types.ts";

/** A chosen part of the log. `label` is how the user or the assistant named it. */
export interface TimeRange extends TimeSpan {
  label?: string;
}

/** Everything that decides what is on screen. It is what the URL holds. */
export interface View {
  query: string;
  /** `null` is the whole log. */
  time: TimeRange | null;
  filters: Filter[];
  sort: Sort | null;
  /** From 1. */
  page: number;
  pageSize: number;
  /** The open row's id. */
  row: string | null;
}

/** A query request: a view without what only the page needs. */
export type QueryRequest = Omit<View, "row">;

/** How many rows a page may have. */
export const pageSizes = [25, 50, 100, 200] as const;

/** How many rows of a result the server pages through. */
export const pageableRows = 10_000;

/** The operators of filters. */
export const filterOps = ["is", "is not", "contains", ">=", "<="] as const satisfies Filter["op"][];

/** What is on screen at first. */
export const defaultView: View = {
  query: "source=access_log",
  time: null,
  filters: [],
  sort: null,
  page: 1,
  pageSize: 50,
  row: null,
};

/** The source that a query reads, by default the log. */
export function sourceName(query: string): string {
  return /^\s*(?:search\s+)?(?:source|index)\s*=\s*`?([\w.]+)/i.exec(query)?.[1] ?? "access_log";
}

/** Reports whether a text is the operator of a filter. */
export const isFilterOp = (value: unknown): value is Filter["op"] => filterOps.includes(value as Filter["op"]);

/** The parts of a view that change the results. */
export type ViewPart = "query" | "time" | "filters";

/** Which of those parts differ between two views. */
export function changedParts(a: View, b: View): ViewPart[] {
  const parts: ViewPart[] = [];
  if (a.query !== b.query) parts.push("query");
  if (a.time?.from !== b.time?.from || a.time?.to !== b.time?.to) parts.push("time");
  if (JSON.stringify(a.filters) !== JSON.stringify(b.filters)) parts.push("filters");
  return parts;
}

/** "status is 404". */
export const filterLabel = ({ field, op, value }: Filter) => `${field} ${op} ${value || "empty"}`;
