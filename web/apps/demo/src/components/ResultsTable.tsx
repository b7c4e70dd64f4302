import { memo, useState, type KeyboardEvent } from "react";
import { useDiscover } from "../app/discover-context.ts";
import type { Cell, Column, Filter, QueryResult, Sort } from "../api/types.ts";
import { barColumn, rowId } from "../state/results.ts";
import { CellValue, formatNumber, isQuantity } from "./cells.tsx";
import { Icon } from "./Icon.tsx";
import "./results-table.css";

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

interface ResultsTableProps {
  result: QueryResult;
  columns: Column[];
  stale: boolean;
}

/** The rows of a result: requests, which open, or the table of a stats command. */
export function ResultsTable({ result, columns, stale }: ResultsTableProps) {
  const { snapshot, dispatch } = useDiscover();
  const { sort, row: openRow } = snapshot.view;
  const [current, setCurrent] = useState(0);
  const rows = result.kind === "rows";
  const bars = barColumn(result);
  const minWidth = columns.reduce(
    (sum, column) => sum + (rows ? (widths[column.name] ?? flexible) : 140),
    rows ? 36 : 0,
  );
  const indexes = columns.map((column) => result.columns.indexOf(column));
  const fieldNames = new Set(snapshot.info?.fields.map((field) => field.name));

  return (
    <table
      role="table"
      className="results"
      data-kind={result.kind}
      data-stale={stale ? "" : undefined}
      style={{ minWidth }}
      onKeyDown={moveInRows}
    >
      <caption className="sr-only">{rows ? "Requests" : "Result of the query"}</caption>
      <colgroup>
        {rows && <col style={{ width: 36 }} />}
        {columns.map((column) => (
          <col key={column.name} style={{ width: columnWidth(column, rows, bars) }} />
        ))}
      </colgroup>
      <thead role="rowgroup">
        <tr role="row">
          {rows && (
            <th role="columnheader" scope="col">
              <span className="sr-only">Open</span>
            </th>
          )}
          {columns.map((column) => (
            <HeaderCell
              key={column.name}
              column={column}
              bar={column.name === bars}
              sort={sort}
              onSort={(next) => dispatch({ type: "set-sort", sort: next })}
            />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {result.rows.map((row, index) => {
          const id = rowId(result, row);
          return (
            <Row
              key={id ?? index}
              id={id}
              row={row}
              columns={columns}
              indexes={indexes}
              open={id !== null && id === openRow}
              tabStop={index === Math.min(current, result.rows.length - 1)}
              bar={bars === null ? null : { name: bars, max: columnMax(result, bars) }}
              filterable={fieldNames}
              onOpen={() => {
                setCurrent(index);
                dispatch({ type: "open-row", row: id === openRow ? null : id });
              }}
              onFilter={(filter) => dispatch({ type: "add-filter", filter })}
            />
          );
        })}
      </tbody>
    </table>
  );
}

function columnWidth(column: Column, rows: boolean, bars: string | null): number | string | undefined {
  if (rows) return widths[column.name];
  if (column.name === bars) return "44%";
  return column.type === "number" ? 140 : undefined;
}

function columnMax(result: QueryResult, name: string): number {
  const index = result.columns.findIndex((column) => column.name === name);
  return Math.max(...result.rows.map((row) => Number(row[index])), 0);
}

/** Up and down move between the rows' buttons, of which one is a tab stop. */
function moveInRows(event: KeyboardEvent<HTMLTableElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  if (!(event.target instanceof HTMLElement) || !event.target.matches(".row-open")) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(".row-open")];
  const next = buttons[buttons.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

interface HeaderCellProps {
  column: Column;
  /** Stands over bars. */
  bar: boolean;
  sort: Sort | null;
  onSort(sort: Sort | null): void;
}

/** Clicking goes through descending, ascending and the query's own order; text starts ascending. */
function HeaderCell({ column, bar, sort, onSort }: HeaderCellProps) {
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

interface RowProps {
  id: string | null;
  row: Cell[];
  columns: Column[];
  indexes: number[];
  open: boolean;
  tabStop: boolean;
  bar: { name: string; max: number } | null;
  filterable: ReadonlySet<string>;
  onOpen(): void;
  onFilter(filter: Filter): void;
}

const Row = memo(
  function Row({ id, row, columns, indexes, open, tabStop, bar, filterable, onOpen, onFilter }: RowProps) {
    const [hovered, setHovered] = useState<number | null>(null);
    return (
      <tr
        role="row"
        data-open={open ? "" : undefined}
        data-row={id ?? undefined}
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
        {columns.map((column, index) => {
          const value = row[indexes[index]!] ?? null;
          return (
            <td
              role="cell"
              key={column.name}
              data-column={column.name}
              data-quantity={isQuantity(column) ? "" : undefined}
              title={typeof value === "string" && value.length > 20 ? value : undefined}
              onMouseEnter={() => setHovered(index)}
            >
              {bar?.name === column.name ? (
                <BarCell value={Number(value)} max={bar.max} />
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
    a.tabStop === b.tabStop &&
    a.bar?.max === b.bar?.max &&
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
