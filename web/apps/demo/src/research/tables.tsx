import type { ReactNode } from "react";
import { Link } from "../shell/location.tsx";
import { Icon } from "../ui/Icon.tsx";
import { ariaSort, SortButton, TickAll } from "../ui/table.tsx";
import { toggled } from "./article-view.ts";
import { paths } from "./routes.ts";
import { authorLine, plainTitle } from "./text.ts";
import type { TrialAction, TrialView } from "./trial-view.ts";
import type { ArticleBrief, Cell, Column, ColumnValue, TrialBrief, TrialSort } from "./types.ts";
import type { Judged, Progress } from "./use-judged.ts";

interface Selection {
  ids: readonly string[];
  set(ids: readonly string[]): void;
}

interface TableProps {
  label: string;
  stale?: boolean;
  /** Ids and titles of the rows. */
  rows: readonly { id: string; title: string; open?: boolean; cells: ReactNode }[];
  head: ReactNode;
  columns?: readonly Column[];
  judged?: Judged;
  selection?: Selection;
}

/** Rows that can be ticked, with the assistant's columns at their end. */
function Table({ label, stale, rows, head, columns = [], judged, selection }: TableProps) {
  const ids = rows.map(({ id }) => id);
  const ticked = ids.filter((id) => selection?.ids.includes(id));
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label={label}>
      <table className="rows" data-stale={stale || undefined}>
        <thead>
          <tr>
            {selection && (
              <th className="col-check">
                <TickAll
                  rows={ids.length}
                  ticked={ticked.length}
                  onChange={(all) => {
                    const others = selection.ids.filter((id) => !ids.includes(id));
                    selection.set(all ? [...others, ...ids] : others);
                  }}
                />
              </th>
            )}
            {head}
            {columns.map(({ name, criteria }) => (
              <th key={name} className="col-ai" title={criteria}>
                <Icon name="sparkle" size={12} />
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, title, open, cells }) => (
            <tr key={id} data-selected={ticked.includes(id) || undefined} data-open={open || undefined}>
              {selection && (
                <td className="col-check">
                  <input
                    type="checkbox"
                    aria-label={`Select ${title}`}
                    checked={ticked.includes(id)}
                    onChange={() => selection.set(toggled(selection.ids, id))}
                  />
                </td>
              )}
              {cells}
              {columns.map(({ name }) => (
                <td key={name} className="col-ai" data-name={name}>
                  <Judgement
                    cell={judged?.cells.get(name)?.[id]}
                    waiting={judged?.progress.get(name)?.state === "judging"}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
    <span className="kinds">
      {telling.slice(0, most).map((type) => (
        <span key={type} className="badge">
          {type}
        </span>
      ))}
    </span>
  );
}

interface ArticleTableProps extends Pick<TableProps, "label" | "stale" | "columns" | "judged" | "selection"> {
  articles: readonly ArticleBrief[];
}

/** Articles as rows. */
export function ArticleTable({ articles, ...table }: ArticleTableProps) {
  return (
    <Table
      {...table}
      head={
        <>
          <th>Article</th>
          <th className="col-date">Date</th>
          <th className="col-types">Type</th>
        </>
      }
      rows={articles.map(({ pmid, title, authors, journal, date, types }) => ({
        id: pmid,
        title: plainTitle(title),
        cells: (
          <>
            <td className="col-title">
              <Link href={paths.article(pmid)} className="row-title">
                {plainTitle(title)}
              </Link>
              <small>{[authorLine(authors), journal].filter(Boolean).join(" · ")}</small>
            </td>
            <td className="col-date">{date}</td>
            <td className="col-types">
              <Kinds types={types} />
            </td>
          </>
        ),
      }))}
    />
  );
}

interface TrialTableProps {
  trials: readonly TrialBrief[];
  view: TrialView;
  judged: Judged;
  stale: boolean;
  dispatch(action: TrialAction): void;
}

const trialColumns: [sort: TrialSort, label: string, className: string][] = [
  ["title", "Trial", "col-title"],
  ["phase", "Phase", "col-date"],
  ["status", "Status", "col-status"],
  ["start", "Start", "col-date"],
];

/** Trials as rows. Their title opens them. */
export function TrialTable({ trials, view, judged, stale, dispatch }: TrialTableProps) {
  return (
    <Table
      label="Trials"
      stale={stale}
      columns={view.columns}
      judged={judged}
      selection={{ ids: view.selected, set: (ncts) => dispatch({ type: "select", ncts }) }}
      head={trialColumns.map(([sort, label, className]) => {
        const dir = view.sort === sort ? view.dir : null;
        const first = sort === "title" || sort === "status" ? "asc" : "desc";
        const next = dir ? (dir === "asc" ? "desc" : "asc") : first;
        return (
          <th key={sort} className={className} aria-sort={ariaSort(dir)}>
            <SortButton
              label={label}
              dir={dir}
              first={first}
              onClick={() => dispatch({ type: "set", sort, dir: next })}
            />
          </th>
        );
      })}
      rows={trials.map(({ nct, title, sponsor, phase, status, statusLabel, start }) => ({
        id: nct,
        title,
        open: view.open === nct,
        cells: (
          <>
            <td className="col-title">
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
            </td>
            <td className="col-date">{phase || <span className="muted">–</span>}</td>
            <td className="col-status" data-status={status}>
              {statusLabel}
            </td>
            <td className="col-date">{start}</td>
          </>
        ),
      }))}
    />
  );
}

interface ColumnBarProps<C extends Column> {
  columns: readonly C[];
  judged: Judged;
  /** Whether only rows that meet the column are shown. */
  isOnly(column: C): boolean;
  onOnly(column: C, on: boolean): void;
  onRemove(column: C): void;
}

/** The assistant's columns, how far the model is with them, and how it judges. */
export function ColumnBar<C extends Column>({ columns, judged, isOnly, onOnly, onRemove }: ColumnBarProps<C>) {
  const notes = columns.flatMap(({ name }) => {
    const { note, error } = judged.progress.get(name)!;
    return error || note ? [{ name, text: error ?? note, bad: Boolean(error) }] : [];
  });
  return (
    <div className="column-bar" role="group" aria-label="AI columns">
      {columns.map((column) => (
        <ColumnChip
          key={column.name}
          column={column}
          progress={judged.progress.get(column.name)!}
          only={isOnly(column)}
          onOnly={(on) => onOnly(column, on)}
          onStop={() => judged.stop(column)}
          onGo={() => judged.go(column)}
          onRemove={() => onRemove(column)}
        />
      ))}
      {notes.map(({ name, text, bad }) => (
        <p key={name} className={bad ? "column-note bad" : "column-note muted"} role={bad ? "alert" : undefined}>
          <strong>{name}</strong>: {text}
        </p>
      ))}
    </div>
  );
}

interface ColumnChipProps {
  column: Column;
  progress: Progress;
  only: boolean;
  onOnly(on: boolean): void;
  onStop(): void;
  onGo(): void;
  onRemove(): void;
}

/** The head of an assistant's column: how far it is, its filter, and its end. */
function ColumnChip({ column: { name, type, criteria }, progress, only, ...on }: ColumnChipProps) {
  const { state, done, total } = progress;
  return (
    <span className="column-chip" title={criteria}>
      <Icon name="sparkle" size={12} />
      <span className="column-chip-name ellipsis">{name}</span>
      {state !== "done" && (
        <>
          <progress value={done} max={total} aria-label={`${name}: rows judged`} />
          <span className="column-chip-count">
            {done}/{total}
          </span>
          <button type="button" className="column-chip-word" onClick={state === "judging" ? on.onStop : on.onGo}>
            {state === "judging" ? "Stop" : "Go on"}
            <span className="sr-only"> judging by {name}</span>
          </button>
        </>
      )}
      {type === "yes_no" && (
        <button
          type="button"
          aria-pressed={only}
          onClick={() => on.onOnly(!only)}
          title="Show only the rows that meet it"
        >
          <Icon name="filter" size={13} />
          <span className="sr-only">Only {name}</span>
        </button>
      )}
      <button type="button" onClick={on.onRemove} aria-label={`Remove the column ${name}`}>
        <Icon name="cross" size={13} />
      </button>
    </span>
  );
}
