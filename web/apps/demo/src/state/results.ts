import type { ApiError } from "../api/client.ts";
import type { Bucket, Cell, Column, Filter, HistogramData, Info, QueryRequest, QueryResult } from "../api/types.ts";
import type { View } from "./view.ts";

/**
 * The answer to the current view's query. While it loads, and after an error, `data` is what was
 * there before.
 */
export type Results =
  | { status: "loading"; data: QueryResult | null }
  | { status: "ready"; data: QueryResult }
  | { status: "error"; data: QueryResult | null; error: ApiError };

/** What the server is asked for a view. */
export function requestOf(view: View): QueryRequest {
  return {
    query: view.query,
    time: view.time && { from: view.time.from, to: view.time.to },
    filters: view.filters,
    page: view.page,
    pageSize: view.pageSize,
    sort: view.sort,
  };
}

/** Hidden: it only names a row. */
export const idColumn = "_id";

/** Whole requests are shown with the telling columns only, and these first. */
const leading = ["timestamp", "status", "method", "path", "bytes", "clientip", "browser"];

/** The columns to show: of requests the chosen or the usual ones, of a table all of them. */
export function shownColumns(result: QueryResult, view: Pick<View, "columns" | "query">, info: Info | null): Column[] {
  const all = result.columns.filter((column) => column.name !== idColumn);
  if (result.kind === "table") return /\|\s*fields\b/i.test(view.query) ? all : keysFirst(all, info);
  const has = new Set(all.map((column) => column.name));
  const whole = info !== null && info.fields.every((field) => has.has(field.name));
  const wanted = view.columns ?? (whole && info.source.name === "access_log" ? leading : null);
  if (wanted === null) return all;
  const shown = all.filter((column) => wanted.includes(column.name));
  if (shown.length === 0) return all;
  return whole ? shown.toSorted((a, b) => rank(a) - rank(b)) : shown;
}

function rank(column: Column): number {
  const index = leading.indexOf(column.name);
  return index < 0 ? leading.length : index;
}

/** A stats command puts its numbers first. What they belong to reads better before them. */
function keysFirst(columns: Column[], info: Info | null): Column[] {
  const isKey = (column: Column) =>
    column.type !== "number" || info?.fields.some((field) => field.name === column.name);
  return [...columns.filter(isKey), ...columns.filter((column) => !isKey(column))];
}

/** The id of a row of requests. */
export function rowId(result: QueryResult, row: Cell[]): string | null {
  const index = result.columns.findIndex((column) => column.name === idColumn);
  const id = index < 0 ? null : row[index];
  return id === null || id === undefined ? null : String(id);
}

/** Rows as objects, for the assistant: only some columns, long text shortened. */
export function briefRows(result: QueryResult, columns: Column[], limit: number): Record<string, Cell>[] {
  const picks = columns.map((column) => ({ name: column.name, index: result.columns.indexOf(column) }));
  return result.rows
    .slice(0, limit)
    .map((row) => Object.fromEntries(picks.map(({ name, index }) => [name, brief(row[index] ?? null)])));
}

/** A row with its long texts shortened. */
export function briefCells(fields: Record<string, Cell>): Record<string, Cell> {
  return Object.fromEntries(Object.entries(fields).map(([name, cell]) => [name, brief(cell)]));
}

/** A row of a result as an object, without its id. */
export function fieldsOf(result: QueryResult, row: Cell[]): Record<string, Cell> {
  return Object.fromEntries(
    result.columns.flatMap(({ name }, index) => (name === idColumn ? [] : [[name, row[index] ?? null]])),
  );
}

const briefLength = 140;

function brief(cell: Cell): Cell {
  return typeof cell === "string" && cell.length > briefLength ? `${cell.slice(0, briefLength - 1)}…` : cell;
}

/** The fullest bucket; undefined where nothing matched. */
export function peak(histogram: HistogramData): Bucket | undefined {
  const top = histogram.buckets.reduce<Bucket | undefined>(
    (best, b) => (b.count > (best?.count ?? 0) ? b : best),
    undefined,
  );
  return top;
}

/**
 * Which column of a stats table gets bars: the one named like a count, else the first number whose
 * values are all ≥ 0.
 */
export function barColumn(result: QueryResult): string | null {
  if (result.kind !== "table" || result.rows.length < 2) return null;
  const grouped = result.columns.some((column) => column.type !== "number") || result.columns.length > 1;
  const numbers = result.columns.filter((column, index) => column.type === "number" && allPositive(result, index));
  if (!grouped || numbers.length === 0) return null;
  const named = numbers.find((column) => /count|hits|requests|errors|total|sum|visits/i.test(column.name));
  return (named ?? (numbers.length === 1 && numbers[0]!.name !== "status" ? numbers[0]! : undefined))?.name ?? null;
}

function allPositive(result: QueryResult, index: number): boolean {
  return result.rows.every((row) => typeof row[index] === "number" && (row[index] as number) >= 0);
}

/** "status is 404". */
export function filterLabel({ field, op, value }: Filter): string {
  return `${field} ${op} ${value === "" ? "empty" : value}`;
}
