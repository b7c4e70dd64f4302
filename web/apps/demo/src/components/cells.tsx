import type { Cell, Column } from "../api/types.ts";
import { stamp } from "../state/time.ts";

/** A value the way its column shows it. */
export function CellValue({ column, value }: { column: Column; value: Cell }) {
  if (value === null || value === "") return <span className="muted">–</span>;
  if (column.type === "time") return <Time value={String(value)} />;
  if (column.name === "status") return <Status value={value} />;
  if (column.type === "number") return <>{formatNumber(value)}</>;
  return <>{String(value)}</>;
}

/** Digits grouped; averages to two places. */
export function formatNumber(value: Cell): string {
  return typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 2 }) : String(value ?? "");
}

/** Codes and identifiers are labels: their digits are not grouped and they stand left. */
export function isQuantity(column: Column): boolean {
  return column.type === "number" && column.name !== "status";
}

function Time({ value }: { value: string }) {
  const { date, time } = stamp(value);
  return (
    <time dateTime={value} className="cell-time">
      <span className="muted">{date}</span> {time}
    </time>
  );
}

function Status({ value }: { value: Cell }) {
  const group = Math.floor(Number(value) / 100);
  return (
    <span className="status" data-group={group}>
      <span className="status-dot" aria-hidden="true" />
      {String(value)}
    </span>
  );
}
