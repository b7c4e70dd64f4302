import type { Column, QueryResult } from "./types.ts";
import { barColumn } from "./results.ts";

/** Widths in pixels of the columns whose content is known; the others share what is left. */
const widths: Record<string, number> = {
  timestamp: 168,
  status: 80,
  method: 84,
  protocol: 92,
  bytes: 96,
  clientip: 136,
  user: 88,
  query: 160,
  referrer: 220,
  useragent: 260,
  browser: 104,
};
const flexible = 220;

const tableColumn = 140;
/** The part of a table that bars take, in percent. */
const barShare = 44;
export const openerWidth = 36;
export const tickWidth = 32;

/** Where rows have bars: in which column, and what the longest one stands for. */
export interface Bars {
  name: string;
  max: number;
}

export function barsOf(result: QueryResult): Bars | null {
  const name = barColumn(result);
  if (name === null) return null;
  const index = result.columns.findIndex((column) => column.name === name);
  return { name, max: Math.max(...result.rows.map((row) => Number(row[index])), 0) };
}

/** What a column's `<col>` gets; undefined shares what is left. */
export function columnWidth(column: Column, result: QueryResult, bars: Bars | null): number | string | undefined {
  if (result.kind === "rows") return widths[column.name];
  if (column.name === bars?.name) return `${barShare}%`;
  return column.type === "number" || column.type === "time" ? tableColumnWidth(column) : undefined;
}

/** Below this the table scrolls sideways. */
export function tableMinWidth(columns: Column[], result: QueryResult): number {
  if (result.kind === "table") {
    const bars = barColumn(result);
    const others = columns.filter(({ name }) => name !== bars);
    const width = others.reduce((sum, column) => sum + tableColumnWidth(column), 0);
    return bars === null ? width : Math.ceil(width / (1 - barShare / 100));
  }
  return columns.reduce((sum, column) => sum + (widths[column.name] ?? flexible), openerWidth + tickWidth);
}

/** A time is cut off where it matters most: it has the room it takes. */
function tableColumnWidth({ name, type }: Column): number {
  return type === "time" ? widths.timestamp! : Math.min(widths[name] ?? tableColumn, tableColumn);
}
