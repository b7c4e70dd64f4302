import type { Cell, Column } from "./types.ts";

/** Rows as CSV, the columns' names first. */
export function csvOf(columns: Column[], rows: Record<string, Cell>[]): string {
  const names = columns.map(({ name }) => name);
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? null))];
  return lines.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
}

/** Text that a spreadsheet would take for a formula is marked as text: strangers write the log. */
function quoted(cell: Cell): string {
  if (typeof cell !== "string") return String(cell ?? "");
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
