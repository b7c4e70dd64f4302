import { useState, type KeyboardEvent, type ReactNode } from "react";
import { Icon } from "../ui/Icon.tsx";
import { ariaSort, SortButton, TickAll } from "../ui/table.tsx";
import { CellValue, formatNumber, isQuantity } from "./cells.tsx";
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
          {isRequests && <TickColumn result={result} />}
          {columns.map((column) => (
            <Heading key={column.name} column={column} bar={column.name === bars?.name} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {result.rows.map((row, index) => {
          const id = rowId(result, row);
          const fields = fieldsOf(result, row);
          const cells = columns.map((column) => (
            <TableCell key={column.name} column={column} value={fields[column.name] ?? null} bars={bars} />
          ));
          if (id === null)
            return (
              <tr role="row" key={index}>
                {cells}
              </tr>
            );
          const isTabStop = index === Math.min(current, result.rows.length - 1);
          return (
            <RequestRow key={id} id={id} fields={fields} isTabStop={isTabStop} onOpen={() => setCurrent(index)}>
              {cells}
            </RequestRow>
          );
        })}
      </tbody>
    </table>
  );
}

/** The headings above the buttons that open rows, and above the ticks. */
function TickColumn({ result }: { result: QueryResult }) {
  const { snapshot, model } = useDiscover();
  const shown = result.rows.map((row) => ({ id: rowId(result, row)!, fields: fieldsOf(result, row) }));
  const ids = new Set(snapshot.selected.map(({ id }) => id));
  return (
    <>
      <th role="columnheader" scope="col">
        <span className="sr-only">Open</span>
      </th>
      <th role="columnheader" scope="col" className="cell-tick">
        <TickAll
          rows={shown.length}
          ticked={shown.filter(({ id }) => ids.has(id)).length}
          onChange={(all) => model.selectRows(all ? shown : [])}
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
  id: string;
  fields: Record<string, Cell>;
  isTabStop: boolean;
  onOpen(): void;
  children: ReactNode;
}

function RequestRow({ id, fields, isTabStop, onOpen, children }: RequestRowProps) {
  const { snapshot, dispatch, model } = useDiscover();
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
          onChange={() => model.toggleRow({ id, fields })}
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
