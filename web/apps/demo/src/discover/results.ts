import type { Bucket, Cell, Column, HistogramData, Info, QueryResult } from "./types.ts";
import type { QueryRequest, View } from "./view.ts";

/** The request for a view. */
export function requestOf({ query, time, filters, page, pageSize, sort }: View): QueryRequest {
  return { query, time: time && { from: time.from, to: time.to }, filters, page, pageSize, sort };
}

/** Hidden: the row's id. */
const idColumn = "_id";

/** The columns in which whole requests are shown, in this order. */
const telling = ["timestamp", "status", "method", "path", "bytes", "clientip", "browser"];

/** The columns to show: a selection for requests, all for a table. */
export function shownColumns(result: QueryResult, query: string, info: Info | null): Column[] {
  const all = result.columns.filter((column) => column.name !== idColumn);
  if (result.kind === "table") return /\|\s*fields\b/i.test(query) ? all : keysFirst(all, query, info);
  const has = new Set(all.map((column) => column.name));
  const whole = info?.source.name === "access_log" && info.fields.every((field) => has.has(field.name));
  return whole ? telling.flatMap((name) => all.filter((column) => column.name === name)) : all;
}

/** A stats command puts its numbers first; what it counts by reads better before them. */
function keysFirst(columns: Column[], query: string, info: Info | null): Column[] {
  const by = /\bby\b([^|]*)(?:\|.*)?$/is.exec(query)?.[1];
  const keys = by === undefined ? info?.fields.map(({ name }) => name) : by.split(",").map((name) => name.trim());
  const isKey = ({ type, name }: Column) => type !== "number" || keys?.includes(name);
  return [...columns.filter(isKey), ...columns.filter((column) => !isKey(column))];
}

/** The id of a row of requests. */
export function rowId(result: QueryResult, row: Cell[]): string | null {
  const id = row[result.columns.findIndex((column) => column.name === idColumn)];
  return id === null || id === undefined ? null : String(id);
}

/** Rows as objects, for the assistant: only some columns, long text shortened. */
export function briefRows(result: QueryResult, columns: Column[], limit: number): Record<string, Cell>[] {
  return result.rows.slice(0, limit).map((row) => {
    const fields = fieldsOf(result, row);
    return briefCells(Object.fromEntries(columns.map(({ name }) => [name, fields[name] ?? null])));
  });
}

const briefLength = 140;

/** A row with its long texts shortened. */
export function briefCells(fields: Record<string, Cell>): Record<string, Cell> {
  const brief = (cell: Cell) =>
    typeof cell === "string" && cell.length > briefLength ? `${cell.slice(0, briefLength - 1)}…` : cell;
  return Object.fromEntries(Object.entries(fields).map(([name, cell]) => [name, brief(cell)]));
}

/** A row of a result as an object, without its id. */
export function fieldsOf(result: QueryResult, row: Cell[]): Record<string, Cell> {
  const { [idColumn]: _, ...fields } = Object.fromEntries(
    result.columns.map(({ name }, index) => [name, row[index] ?? null]),
  );
  return fields;
}

/** The fullest bucket; undefined if nothing matched. */
export function peak({ buckets }: HistogramData): Bucket | undefined {
  const most = Math.max(0, ...buckets.map(({ count }) => count));
  return most > 0 ? buckets.find(({ count }) => count === most) : undefined;
}

/** The column that has bars, and the value of the longest bar. */
export interface Bars {
  name: string;
  max: number;
}

/**
 * The bars of a stats table: in the first column named like a count by which the rows are sorted,
 * else in any named so, else in the only numeric one. Its values must be ≥ 0.
 */
export function barsOf({ kind, rows, columns }: QueryResult): Bars | null {
  if (kind !== "table" || rows.length < 2 || columns.length < 2) return null;
  const found = columns.flatMap(({ name, type }, index) => {
    const values = rows.map((row) => Number(row[index] ?? -1));
    const isSorted = values.every((value, at) => at === 0 || value <= values[at - 1]!);
    return type === "number" && Math.min(...values) >= 0 ? [{ name, max: Math.max(...values), isSorted }] : [];
  });
  const named = found.filter(({ name }) => /count|hits|requests|errors|total|sum|visits|bytes/i.test(name));
  const only = found.length === 1 && found[0]!.name !== "status" ? found[0] : undefined;
  const best = named.find(({ isSorted }) => isSorted) ?? named[0] ?? only;
  return best ? { name: best.name, max: best.max } : null;
}
