import { useMemo, useState, type KeyboardEvent } from "react";
import { useDiscover } from "../app/discover-context.ts";
import type { Column, QueryResult } from "../api/types.ts";
import { fieldsOf, rowId } from "../state/results.ts";
import { HeaderCell } from "./HeaderCell.tsx";
import { TableRow } from "./TableRow.tsx";
import { barsOf, columnWidth, openerWidth, tableMinWidth, tickWidth, type Bars } from "./table-columns.ts";
import "./results-table.css";

interface ResultsTableProps {
  result: QueryResult;
  columns: Column[];
  /** Newer results are on their way. */
  stale: boolean;
}

/** The rows of a result: requests, which open, or the table of a stats command. */
export function ResultsTable({ result, columns, stale }: ResultsTableProps) {
  const bars = useMemo(() => barsOf(result), [result]);
  const rows = result.kind === "rows";
  return (
    <table
      role="table"
      className="results"
      data-kind={result.kind}
      data-stale={stale ? "" : undefined}
      style={{ minWidth: tableMinWidth(columns, result) }}
      onKeyDown={moveInRows}
    >
      <caption className="sr-only">{rows ? "Requests" : "Result of the query"}</caption>
      <colgroup>
        {rows && <col style={{ width: openerWidth }} />}
        {rows && <col style={{ width: tickWidth }} />}
        {columns.map((column) => (
          <col key={column.name} style={{ width: columnWidth(column, result, bars) }} />
        ))}
      </colgroup>
      <Head result={result} columns={columns} bars={bars} opens={rows} />
      <Body result={result} columns={columns} bars={bars} />
    </table>
  );
}

interface HeadProps {
  result: QueryResult;
  columns: Column[];
  bars: Bars | null;
  opens: boolean;
}

function Head({ result, columns, bars, opens }: HeadProps) {
  const { snapshot, dispatch } = useDiscover();
  return (
    <thead role="rowgroup">
      <tr role="row">
        {opens && (
          <th role="columnheader" scope="col">
            <span className="sr-only">Open</span>
          </th>
        )}
        {opens && (
          <th role="columnheader" scope="col" className="cell-tick">
            <TickAll result={result} />
          </th>
        )}
        {columns.map((column) => (
          <HeaderCell
            key={column.name}
            column={column}
            bar={column.name === bars?.name}
            sort={snapshot.view.sort}
            onSort={(sort) => dispatch({ type: "set-sort", sort })}
          />
        ))}
      </tr>
    </thead>
  );
}

/** Ticks all rows that are shown, or none. */
function TickAll({ result }: { result: QueryResult }) {
  const { snapshot, model } = useDiscover();
  const shown = result.rows.flatMap((row) => {
    const id = rowId(result, row);
    return id === null ? [] : [{ id, fields: fieldsOf(result, row) }];
  });
  const ticked = shown.filter(({ id }) => snapshot.selected.some((row) => row.id === id)).length;
  return (
    <input
      type="checkbox"
      aria-label="Select all rows shown"
      checked={shown.length > 0 && ticked === shown.length}
      ref={(box) => {
        if (box) box.indeterminate = ticked > 0 && ticked < shown.length;
      }}
      onChange={(event) => model.selectRows(event.target.checked ? shown : [])}
    />
  );
}

function Body({ result, columns, bars }: { result: QueryResult; columns: Column[]; bars: Bars | null }) {
  const { snapshot, dispatch, model } = useDiscover();
  const selected = new Set(snapshot.selected.map((row) => row.id));
  const openRow = snapshot.view.row;
  const [current, setCurrent] = useState(0);
  const indexes = columns.map((column) => result.columns.indexOf(column));
  const filterable = new Set(snapshot.info?.fields.map((field) => field.name));
  return (
    <tbody role="rowgroup">
      {result.rows.map((row, index) => {
        const id = rowId(result, row);
        return (
          <TableRow
            key={id ?? index}
            id={id}
            row={row}
            columns={columns}
            indexes={indexes}
            open={id !== null && id === openRow}
            selected={id !== null && selected.has(id)}
            onSelect={() => id !== null && model.toggleRow({ id, fields: fieldsOf(result, row) })}
            tabStop={index === Math.min(current, result.rows.length - 1)}
            bars={bars}
            filterable={filterable}
            onOpen={() => {
              setCurrent(index);
              dispatch({ type: "open-row", row: id === openRow ? null : id });
            }}
            onFilter={(filter) => dispatch({ type: "add-filter", filter })}
          />
        );
      })}
    </tbody>
  );
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
