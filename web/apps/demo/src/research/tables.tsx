import type { ReactNode } from "react";
import { Link } from "../shell/location.tsx";
import { Icon } from "../ui/Icon.tsx";
import { ariaSort, SortButton, TickAll, type Direction } from "../ui/table.tsx";
import { toggled } from "./article-view.ts";
import { paths } from "./routes.ts";
import { authorLine, plainTitle } from "./text.ts";
import type { TrialAction, TrialView } from "./trial-view.ts";
import type { ArticleBrief, Cell, Column, ColumnValue, TrialBrief, TrialSort } from "./types.ts";
import type { Judged, JudgedColumn } from "./use-judged.ts";

/** A column of a table: its head, and what it has of a row. */
export interface TableColumn<Row> {
  head: ReactNode;
  /** How the rows are sorted by it; null if they are not. */
  dir?: Direction | null;
  className: string;
  cell(row: Row): ReactNode;
}

interface Selection {
  ids: readonly string[];
  set(ids: readonly string[]): void;
  /** What a row is ticked for, if not to select it: then all rows cannot be ticked at once. */
  verb?: string;
}

interface TableProps<Row> {
  label: string;
  rows: readonly Row[];
  idOf(row: Row): string;
  titleOf(row: Row): string;
  table: readonly TableColumn<Row>[];
  /** The id of the row that is open beside the table. */
  open?: string | null;
  stale?: boolean;
  judged?: Judged;
  selection?: Selection;
}

/** Rows that can be ticked, with the assistant's columns at their end. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, rows, idOf, titleOf, table, open, stale, judged, selection } = props;
  const ticked = new Set(selection?.ids);
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label={label}>
      <table className="rows" data-stale={stale || undefined}>
        <thead>
          <tr>
            {selection && (
              <th className="col-check">
                <SelectionHead {...selection} shown={rows.map(idOf)} />
              </th>
            )}
            {table.map(({ head, dir, className }, index) => (
              <th key={index} className={className} aria-sort={ariaSort(dir ?? null)}>
                {head}
              </th>
            ))}
            {judged?.columns.map(({ column: { name, criteria } }) => (
              <th key={name} className="col-ai" title={criteria}>
                <Icon name="sparkle" size={12} />
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={idOf(row)}
              data-selected={ticked.has(idOf(row)) || undefined}
              data-open={open === idOf(row) || undefined}
            >
              {selection && (
                <td className="col-check">
                  <input
                    type="checkbox"
                    aria-label={`${selection.verb ?? "Select"} ${titleOf(row)}`}
                    checked={ticked.has(idOf(row))}
                    onChange={() => selection.set(toggled(selection.ids, idOf(row)))}
                  />
                </td>
              )}
              {table.map(({ className, cell }, index) => (
                <td key={index} className={className}>
                  {cell(row)}
                </td>
              ))}
              {judged?.columns.map(({ column: { name }, cells, state }) => (
                <td key={name} className="col-ai" data-name={name}>
                  <Judgement cell={cells[idOf(row)]} waiting={state === "judging"} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SelectionHead({ ids, set, verb, shown }: Selection & { shown: readonly string[] }) {
  if (verb) return <span className="sr-only">{verb}</span>;
  const others = ids.filter((id) => !shown.includes(id));
  return (
    <TickAll
      rows={shown.length}
      ticked={ids.length - others.length}
      onChange={(all) => set(all ? [...others, ...shown] : others)}
    />
  );
}

/** What the model says of a row, with the passage that shows it. */
function Judgement({ cell, waiting }: { cell?: Cell; waiting: boolean }) {
  if (!cell) return <span className="muted">{waiting ? "…" : "–"}</span>;
  return (
    <>
      <Value value={cell.value} />
      {cell.evidence && (
        <small
          className="evidence"
          data-quoted={cell.quoted}
          title={cell.quoted ? cell.evidence : `${cell.evidence}\n\nThis does not stand in the row word for word.`}
        >
          {cell.quoted ? `“${cell.evidence}”` : <>Not a quote: {cell.evidence}</>}
        </small>
      )}
    </>
  );
}

function Value({ value }: { value: ColumnValue }) {
  if (value === true) return <span className="value-yes">Yes</span>;
  if (value === false || value === null) return <span className="muted">{value === null ? "–" : "No"}</span>;
  return <span title={String(value)}>{value}</span>;
}

/** The publication types of an article, except "Journal Article". */
export function Kinds({ types, most = 2 }: { types: readonly string[]; most?: number }) {
  const telling = types.filter((type) => type !== "Journal Article");
  return (
    <span className="row tight">
      {telling.slice(0, most).map((type) => (
        <span key={type} className="badge ellipsis">
          {type}
        </span>
      ))}
    </span>
  );
}

interface ArticleTableProps extends Pick<TableProps<ArticleBrief>, "label" | "stale" | "judged" | "selection"> {
  articles: readonly ArticleBrief[];
}

/** Articles as rows. */
export function ArticleTable({ articles, ...table }: ArticleTableProps) {
  return (
    <Table
      {...table}
      rows={articles}
      idOf={({ pmid }) => pmid}
      titleOf={({ title }) => plainTitle(title)}
      table={articleColumns}
    />
  );
}

const articleColumns: TableColumn<ArticleBrief>[] = [
  {
    head: "Article",
    className: "col-title",
    cell: ({ pmid, title, authors, journal }) => (
      <>
        <Link href={paths.article(pmid)} className="row-title">
          {plainTitle(title)}
        </Link>
        <small>{[authorLine(authors), journal].filter(Boolean).join(" · ")}</small>
      </>
    ),
  },
  { head: "Date", className: "col-date", cell: ({ date }) => date },
  { head: "Type", className: "col-types wide-only", cell: ({ types }) => <Kinds types={types} /> },
];

interface TrialTableProps {
  trials: readonly TrialBrief[];
  view: TrialView;
  judged: Judged;
  stale: boolean;
  dispatch(action: TrialAction): void;
}

/** Trials as rows. Their title opens them. */
export function TrialTable({ trials, view, judged, stale, dispatch }: TrialTableProps) {
  const sortedBy = (sort: TrialSort, label: string, first: Direction) => {
    const dir = view.sort === sort ? view.dir : null;
    const next = dir ? (dir === "asc" ? "desc" : "asc") : first;
    const onClick = () => dispatch({ type: "set", sort, dir: next });
    return { dir, head: <SortButton label={label} dir={dir} first={first} onClick={onClick} /> };
  };
  return (
    <Table
      label="Trials"
      rows={trials}
      idOf={({ nct }) => nct}
      titleOf={({ title }) => title}
      open={view.open}
      stale={stale}
      judged={judged}
      selection={{ ids: view.selected, set: (ncts) => dispatch({ type: "select", ncts }) }}
      table={[
        {
          ...sortedBy("title", "Trial", "asc"),
          className: "col-title",
          cell: ({ nct, title, sponsor }) => (
            <>
              <button
                type="button"
                className="row-title row-button"
                data-nct={nct}
                aria-expanded={view.open === nct}
                onClick={() => dispatch({ type: "open", nct })}
              >
                {title}
              </button>
              <small>
                <span className="mono">{nct}</span> · {sponsor}
              </small>
            </>
          ),
        },
        {
          ...sortedBy("phase", "Phase", "desc"),
          className: "col-date",
          cell: ({ phase }) => phase || <span className="muted">–</span>,
        },
        {
          ...sortedBy("status", "Status", "asc"),
          className: "col-status",
          cell: ({ status, statusLabel }) => (
            <span className="trial-status" data-status={status}>
              {statusLabel}
            </span>
          ),
        },
        { ...sortedBy("start", "Start", "desc"), className: "col-date", cell: ({ start }) => start },
      ]}
    />
  );
}

interface ColumnBarProps<Kind extends Column> {
  judged: Judged<Kind>;
  /** Whether only rows that meet the column are shown. */
  isOnly(column: Kind): boolean;
  onOnly(column: Kind, on: boolean): void;
  onRemove(column: Kind): void;
}

/** The assistant's columns, how far the model is with them, and how it judges. */
export function ColumnBar<Kind extends Column>(bar: ColumnBarProps<Kind>) {
  const { judged } = bar;
  if (judged.columns.length === 0) return null;
  return (
    <div className="row tight column-bar" role="group" aria-label="AI columns">
      {judged.columns.map((each) => (
        <ColumnChip key={each.column.name} {...bar} each={each} />
      ))}
      {judged.columns.map(
        ({ column: { name }, note, error }) =>
          (error || note) && (
            <p key={name} className={error ? "small bad" : "small"} role={error ? "alert" : undefined}>
              <strong>{name}</strong>: {error ?? note}
            </p>
          ),
      )}
    </div>
  );
}

interface ColumnChipProps<Kind extends Column> extends ColumnBarProps<Kind> {
  each: JudgedColumn<Kind>;
}

/** The head of an assistant's column: how far it is, its filter, and its end. */
function ColumnChip<Kind extends Column>({ each, judged, isOnly, onOnly, onRemove }: ColumnChipProps<Kind>) {
  const { column, state, done, total } = each;
  const { name, type, criteria } = column;
  return (
    <span className="line tight column-chip" title={criteria}>
      <Icon name="sparkle" size={12} />
      <strong className="ellipsis">{name}</strong>
      {state !== "done" && (
        <>
          <progress value={done} max={total} aria-label={`${name}: rows judged`} />
          <span className="word">
            {done}/{total}
          </span>
          <button type="button" className="word" onClick={() => judged.toggle(column)}>
            {state === "judging" ? "Stop" : "Go on"}
            <span className="sr-only"> judging by {name}</span>
          </button>
        </>
      )}
      {type === "yes_no" && (
        <button
          type="button"
          aria-pressed={isOnly(column)}
          onClick={() => onOnly(column, !isOnly(column))}
          title="Show only the rows that meet it"
        >
          <Icon name="filter" size={13} />
          <span className="sr-only">Only {name}</span>
        </button>
      )}
      <button type="button" onClick={() => onRemove(column)} aria-label={`Remove the column ${name}`}>
        <Icon name="cross" size={13} />
      </button>
    </span>
  );
}
