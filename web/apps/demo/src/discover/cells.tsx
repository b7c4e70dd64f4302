import { stamp } from "./time.ts";
import type { Cell, Column } from "./types.ts";

/** A value as its column shows it. */
export function CellValue({ column: { name, type }, value }: { column: Column; value: Cell }) {
  if (value === null || value === "") return <span className="muted">–</span>;
  if (type === "time") {
    const { date, time } = stamp(String(value));
    return (
      <time dateTime={String(value)} className="cell-time">
        <span className="muted">{date}</span> {time}
      </time>
    );
  }
  if (name === "status")
    return (
      <span className="status" data-group={Math.floor(Number(value) / 100)}>
        {value}
      </span>
    );
  return typeof value === "number" ? formatNumber(value) : value;
}

/** Digits grouped; averages to two places. */
export const formatNumber = (value: number) => value.toLocaleString("en", { maximumFractionDigits: 2 });

/** Codes and identifiers are labels: left-aligned, without grouped digits. */
export const isQuantity = ({ type, name }: Column) => type === "number" && name !== "status";
