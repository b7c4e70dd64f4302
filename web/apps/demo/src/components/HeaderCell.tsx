import type { Column, Sort } from "../api/types.ts";
import { isQuantity } from "./cells.tsx";
import { Icon } from "./Icon.tsx";

interface HeaderCellProps {
  column: Column;
  /** Stands over bars. */
  bar: boolean;
  sort: Sort | null;
  onSort(sort: Sort | null): void;
}

/** Clicking goes through descending, ascending and the query's own order; text starts ascending. */
export function HeaderCell({ column, bar, sort, onSort }: HeaderCellProps) {
  const dir = sort?.field === column.name ? sort.dir : null;
  const first = column.type === "string" ? "asc" : "desc";
  const second = first === "asc" ? "desc" : "asc";
  const next = dir === null ? first : dir === first ? second : null;
  return (
    <th
      role="columnheader"
      scope="col"
      data-quantity={isQuantity(column) ? "" : undefined}
      data-bar={bar ? "" : undefined}
      aria-sort={dir === null ? undefined : dir === "asc" ? "ascending" : "descending"}
    >
      <button type="button" className="sort" onClick={() => onSort(next && { field: column.name, dir: next })}>
        <span>{column.name}</span>
        <span className="sort-icon" data-on={dir ? "" : undefined}>
          <Icon name={(dir ?? first) === "asc" ? "sortUp" : "sortDown"} size={13} />
        </span>
      </button>
    </th>
  );
}
