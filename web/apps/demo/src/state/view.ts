import type { Filter, FilterOp, Sort, TimeSpan } from "../api/types.ts";

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
  /** Columns of log rows to show; `null` is the usual ones. */
  columns: string[] | null;
  /** The open row's id. */
  row: string | null;
}

export const defaultQuery = "source=access_log";
export const pageSizes = [25, 50, 100, 200] as const;
/** The server pages through that many rows of a result. */
export const pageableRows = 10_000;
export const filterOps: readonly FilterOp[] = ["is", "is not", "contains", ">=", "<="];

export const defaultView: View = {
  query: defaultQuery,
  time: null,
  filters: [],
  sort: null,
  page: 1,
  pageSize: 50,
  columns: null,
  row: null,
};

/** The source that a query reads; the log where it names none. */
export function sourceName(query: string): string {
  return /^\s*(?:search\s+)?(?:source|index)\s*=\s*`?([\w.]+)/i.exec(query)?.[1] ?? "access_log";
}

export function isFilterOp(value: unknown): value is FilterOp {
  return filterOps.includes(value as FilterOp);
}

export function sameFilter(a: Filter, b: Filter): boolean {
  return a.field === b.field && a.op === b.op && a.value === b.value;
}

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
