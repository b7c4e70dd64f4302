import { memo, useState } from "react";
import type { Cell, Column, Filter } from "../api/types.ts";
import { CellValue, formatNumber, isQuantity } from "./cells.tsx";
import { Icon } from "./Icon.tsx";
import type { Bars } from "./table-columns.ts";

interface RowProps {
  id: string | null;
  row: Cell[];
  columns: Column[];
  indexes: number[];
  open: boolean;
  selected: boolean;
  tabStop: boolean;
  bars: Bars | null;
  filterable: ReadonlySet<string>;
  onOpen(): void;
  onSelect(): void;
  onFilter(filter: Filter): void;
}

/** One row: a request, which opens, or a line of a table. */
export const TableRow = memo(
  function TableRow(props: RowProps) {
    const { id, row, columns, indexes, open, selected, tabStop, bars, filterable, onOpen, onSelect, onFilter } = props;
    const [hovered, setHovered] = useState<number | null>(null);
    return (
      <tr
        role="row"
        data-open={open ? "" : undefined}
        data-row={id ?? undefined}
        data-selected={selected ? "" : undefined}
        onClick={id === null ? undefined : onOpen}
        onMouseLeave={() => setHovered(null)}
      >
        {id !== null && (
          <td role="cell" className="cell-open">
            <button
              type="button"
              className="row-open"
              aria-label="Open request"
              aria-expanded={open}
              tabIndex={tabStop ? 0 : -1}
              onClick={(event) => {
                event.stopPropagation();
                onOpen();
              }}
            >
              <Icon name="chevronRight" size={14} />
            </button>
          </td>
        )}
        {id !== null && (
          <td role="cell" className="cell-tick" onClick={(event) => event.stopPropagation()}>
            <input
              type="checkbox"
              aria-label="Select request"
              checked={selected}
              tabIndex={tabStop ? 0 : -1}
              onChange={onSelect}
            />
          </td>
        )}
        {columns.map((column, index) => {
          const value = row[indexes[index]!] ?? null;
          return (
            <td
              role="cell"
              key={column.name}
              data-column={column.name}
              data-empty={value === null || value === "" ? "" : undefined}
              data-quantity={isQuantity(column) ? "" : undefined}
              title={typeof value === "string" && value.length > 20 ? value : undefined}
              onMouseEnter={() => setHovered(index)}
            >
              {bars?.name === column.name ? (
                <BarCell value={Number(value)} max={bars.max} />
              ) : (
                <CellValue column={column} value={value} />
              )}
              {hovered === index &&
                value !== null &&
                value !== "" &&
                column.type !== "time" &&
                filterable.has(column.name) && <CellActions field={column.name} value={value} onFilter={onFilter} />}
            </td>
          );
        })}
      </tr>
    );
  },
  // The callbacks do the same thing on every render.
  (a, b) =>
    a.row === b.row &&
    a.columns === b.columns &&
    a.open === b.open &&
    a.selected === b.selected &&
    a.tabStop === b.tabStop &&
    a.bars?.max === b.bars?.max &&
    a.id === b.id,
);

function BarCell({ value, max }: { value: number; max: number }) {
  return (
    <span className="bar-cell">
      <span className="bar-value">{formatNumber(value)}</span>
      <span className="bar-track">
        <span className="bar-fill" style={{ width: `${max > 0 ? (100 * value) / max : 0}%` }} />
      </span>
    </span>
  );
}

interface CellActionsProps {
  field: string;
  value: Cell;
  onFilter(filter: Filter): void;
}

/** For the mouse; the keyboard finds the same buttons in the open row. */
function CellActions({ field, value, onFilter }: CellActionsProps) {
  const filter = (op: "is" | "is not") => (event: { stopPropagation(): void }) => {
    event.stopPropagation();
    onFilter({ field, op, value: String(value) });
  };
  return (
    <span className="cell-actions">
      <button
        type="button"
        tabIndex={-1}
        aria-label={`Only ${field} ${value}`}
        title="Filter for this value"
        onClick={filter("is")}
      >
        <Icon name="plus" size={13} />
      </button>
      <button
        type="button"
        tabIndex={-1}
        aria-label={`Without ${field} ${value}`}
        title="Filter this value out"
        onClick={filter("is not")}
      >
        <Icon name="minus" size={13} />
      </button>
    </span>
  );
}
