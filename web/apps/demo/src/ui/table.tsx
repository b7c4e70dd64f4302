import { Icon } from "./Icon.tsx";

/** Which way rows are sorted. */
export type Direction = "asc" | "desc";

/** The `aria-sort` of a column that is sorted this way. */
export const ariaSort = (dir: Direction | null) =>
  dir === null ? undefined : dir === "asc" ? "ascending" : "descending";

interface SortButtonProps {
  label: string;
  /** The direction if the rows are sorted by this column, else null. */
  dir: Direction | null;
  /** How the first click sorts. */
  first: Direction;
  onClick(): void;
}

/** A column's name, which sorts by it. */
export function SortButton({ label, dir, first, onClick }: SortButtonProps) {
  return (
    <button type="button" className="sort" onClick={onClick}>
      <span>{label}</span>
      <span className="sort-icon" data-on={dir ? "" : undefined}>
        <Icon name={(dir ?? first) === "asc" ? "sortUp" : "sortDown"} size={13} />
      </span>
    </button>
  );
}

interface TickAllProps {
  /** How many rows there are, and how many of them are ticked. */
  rows: number;
  ticked: number;
  onChange(all: boolean): void;
}

/** Ticks all rows that are shown, or none. */
export function TickAll({ rows, ticked, onChange }: TickAllProps) {
  const all = rows > 0 && ticked === rows;
  return (
    <input
      type="checkbox"
      aria-label="Select all rows shown"
      checked={all}
      ref={(box) => {
        if (box) box.indeterminate = ticked > 0 && !all;
      }}
      onChange={() => onChange(!all)}
    />
  );
}
