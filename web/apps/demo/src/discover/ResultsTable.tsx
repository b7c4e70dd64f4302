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
}

/** The rows of a result: requests, which open, or the table of a stats command. */
export function ResultsTable({ result, columns, stale }: TableProps & { stale: boolean }) {
  const bars = barsOf(result);
  const rows = result.kind === "rows";
  return (
    <table
      role="table"
      className="results"
      data-kind={result.kind}
      data-stale={stale || undefined}
      onKeyDown={moveInRows}
    >
      <caption className="sr-only">{rows ? "Requests" : "Result of the query"}</caption>
      <Head result={result} columns={columns} bars={bars} />
      <Body result={result} columns={columns} bars={bars} />
    </table>
  );
}

interface PartProps extends TableProps {
  bars: Bars | null;
}

/** Clicking goes through descending, ascending and the query's own order; text starts ascending. */
function Head({ result, columns, bars }: PartProps) {
  const { snapshot, dispatch, model } = useDiscover();
  const { sort } = snapshot.view;
  const shown = result.rows.map((row) => ({ id: rowId(result, row)!, fields: fieldsOf(result, row) }));
  const ids = new Set(snapshot.selected.map(({ id }) => id));
  return (
    <thead role="rowgroup">
      <tr role="row">
        {result.kind === "rows" && (
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
        )}
        {columns.map((column) => {
          const dir = sort?.field === column.name ? sort.dir : null;
          const [first, second] = column.type === "string" ? (["asc", "desc"] as const) : (["desc", "asc"] as const);
          const next = dir === null ? first : dir === first ? second : null;
          return (
            <th
              key={column.name}
              role="columnheader"
              scope="col"
              data-quantity={isQuantity(column) || undefined}
              data-bar={column.name === bars?.name || undefined}
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
        })}
      </tr>
    </thead>
  );
}

function Body({ result, columns, bars }: PartProps) {
  const { snapshot, dispatch, model } = useDiscover();
  const [current, setCurrent] = useState(0);
  const indexes = columns.map((column) => result.columns.indexOf(column));
  const cellsOf = (row: Cell[]) =>
    columns.map((column, index) => (
      <TableCell key={column.name} column={column} value={row[indexes[index]!] ?? null} bars={bars} />
    ));
  if (result.kind === "table")
    return (
      <tbody role="rowgroup">
        {result.rows.map((row, index) => (
          <tr role="row" key={index}>
            {cellsOf(row)}
          </tr>
        ))}
      </tbody>
    );
  return (
    <tbody role="rowgroup">
      {result.rows.map((row, index) => {
        const id = rowId(result, row)!;
        const open = id === snapshot.view.row;
        return (
          <RequestRow
            key={id}
            id={id}
            open={open}
            selected={snapshot.selected.some((each) => each.id === id)}
            tabStop={index === Math.min(current, result.rows.length - 1)}
            onSelect={() => model.toggleRow({ id, fields: fieldsOf(result, row) })}
            onOpen={() => {
              setCurrent(index);
              dispatch({ type: "open-row", row: open ? null : id });
            }}
          >
            {cellsOf(row)}
          </RequestRow>
        );
      })}
    </tbody>
  );
}

interface RequestRowProps {
  id: string;
  open: boolean;
  selected: boolean;
  tabStop: boolean;
  onOpen(): void;
  onSelect(): void;
  children: ReactNode;
}

function RequestRow({ id, open, selected, tabStop, onOpen, onSelect, children }: RequestRowProps) {
  return (
    <tr role="row" data-open={open || undefined} data-row={id} data-selected={selected || undefined} onClick={onOpen}>
      <td role="cell" className="cell-open">
        <button
          type="button"
          className="row-open"
          aria-label="Open request"
          aria-expanded={open}
          tabIndex={tabStop ? 0 : -1}
        >
          <Icon name="chevronRight" size={14} />
        </button>
      </td>
      <td role="cell" className="cell-tick" onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          aria-label="Select request"
          checked={selected}
          tabIndex={tabStop ? 0 : -1}
          onChange={onSelect}
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
