import { useState, type KeyboardEvent, type ReactNode } from "react";
import { Icon } from "../ui/Icon.tsx";
import { ariaSort, SortButton, TickAll } from "../ui/table.tsx";
import { CellValue, formatNumber, isQuantity } from "./cells.tsx";
import type { Row } from "./discover.ts";
import { barsOf, fieldsOf, rowId, type Bars } from "./results.ts";
import type { Cell, Column, QueryResult } from "./types.ts";
import { useDiscover } from "./use-discover.ts";

interface TableProps {
  result: QueryResult;
  columns: Column[];
  stale: boolean;
}

/** The rows of a result: requests, which open, or the table of a stats command. */
export function ResultsTable({ result, columns, stale }: TableProps) {
  const [current, setCurrent] = useState(0);
  const bars = barsOf(result);
  const isRequests = result.kind === "rows";
  const rows = result.rows.map((row, index) => ({
    id: rowId(result, row) ?? String(index),
    fields: fieldsOf(result, row),
  }));
  return (
    <table
      role="table"
      className="results"
      data-kind={result.kind}
      data-stale={stale || undefined}
      onKeyDown={moveInRows}
    >
      <caption className="sr-only">{isRequests ? "Requests" : "Result of the query"}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {isRequests && <TickColumn rows={rows} />}
          {columns.map((column) => (
            <Heading key={column.name} column={column} bar={column.name === bars?.name} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, index) => {
          const cells = columns.map((column) => (
            <TableCell key={column.name} column={column} value={row.fields[column.name] ?? null} bars={bars} />
          ));
          const isTabStop = index === Math.min(current, rows.length - 1);
          return isRequests ? (
            <RequestRow key={row.id} row={row} isTabStop={isTabStop} onOpen={() => setCurrent(index)}>
              {cells}
            </RequestRow>
          ) : (
            <tr role="row" key={row.id}>
              {cells}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The headings above the buttons that open rows, and above the ticks. */
function TickColumn({ rows }: { rows: readonly Row[] }) {
  const { snapshot, model } = useDiscover();
  const ids = new Set(snapshot.selected.map(({ id }) => id));
  return (
    <>
      <th role="columnheader" scope="col">
        <span className="sr-only">Open</span>
      </th>
      <th role="columnheader" scope="col" className="cell-tick">
        <TickAll
          rows={rows.length}
          ticked={rows.filter(({ id }) => ids.has(id)).length}
          onChange={(all) => model.selectRows(all ? rows : [])}
        />
      </th>
    </>
  );
}

/** Clicking goes through descending, ascending and the query's own order; text starts ascending. */
function Heading({ column, bar }: { column: Column; bar: boolean }) {
  const { snapshot, dispatch } = useDiscover();
  const { sort } = snapshot.view;
  const dir = sort?.field === column.name ? sort.dir : null;
  const [first, second] = column.type === "string" ? (["asc", "desc"] as const) : (["desc", "asc"] as const);
  const next = dir === null ? first : dir === first ? second : null;
  return (
    <th
      role="columnheader"
      scope="col"
      data-quantity={isQuantity(column) || undefined}
      data-bar={bar || undefined}
      aria-sort={ariaSort(dir)}
    >
      <SortButton
        label={column.name}
        dir={dir}
        first={first}
        onClick={() => dispatch({ type: "set", sort: next && { field: column.name, dir: next } })}
      />
    </th>
  );
}

interface RequestRowProps {
  row: Row;
  isTabStop: boolean;
  onOpen(): void;
  children: ReactNode;
}

function RequestRow({ row, isTabStop, onOpen, children }: RequestRowProps) {
  const { snapshot, dispatch, model } = useDiscover();
  const { id } = row;
  const open = id === snapshot.view.row;
  const selected = snapshot.selected.some((each) => each.id === id);
  const tabIndex = isTabStop ? 0 : -1;
  const toggle = () => {
    onOpen();
    dispatch({ type: "open-row", row: open ? null : id });
  };
  return (
    <tr role="row" data-open={open || undefined} data-row={id} data-selected={selected || undefined} onClick={toggle}>
      <td role="cell" className="cell-open">
        <button type="button" className="row-open" aria-label="Open request" aria-expanded={open} tabIndex={tabIndex}>
          <Icon name="chevronRight" size={14} />
        </button>
      </td>
      <td role="cell" className="cell-tick" onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          aria-label="Select request"
          checked={selected}
          tabIndex={tabIndex}
          onChange={() => model.toggleRow(row)}
        />
      </td>
      {children}
    </tr>
  );
}

function TableCell({ column, value, bars }: { column: Column; value: Cell; bars: Bars | null }) {
  return (
    <td
      role="cell"
      data-column={column.name}
      data-empty={value === null || value === "" || undefined}
      data-quantity={isQuantity(column) || undefined}
      title={typeof value === "string" && value.length > 20 ? value : undefined}
    >
      {bars?.name === column.name ? (
        <span className="bar-cell">
          <span>{formatNumber(Number(value))}</span>
          <span className="bar-track">
            <span className="bar-fill" style={{ width: `${(100 * Number(value)) / (bars.max || 1)}%` }} />
          </span>
        </span>
      ) : (
        <CellValue column={column} value={value} />
      )}
    </td>
  );
}

/** Up and down move between the rows' buttons, of which one is a tab stop. */
function moveInRows(event: KeyboardEvent<HTMLTableElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || !(event.target instanceof HTMLElement) || !event.target.matches(".row-open")) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(".row-open")];
  event.preventDefault();
  buttons[buttons.indexOf(event.target) + by]?.focus();
}
