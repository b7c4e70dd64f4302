import { Icon } from "../../components/Icon.tsx";
import type { TrialAction, TrialView } from "../state/trial-view.ts";
import type { TrialBrief, TrialSort } from "../types.ts";
import { ColumnHead, SelectAll, SelectCell, ValueCell, type Values } from "./ArticleTable.tsx";

interface TrialTableProps {
  trials: readonly TrialBrief[];
  view: TrialView;
  values: Values;
  stale: boolean;
  dispatch(action: TrialAction): void;
}

/** Trials as rows. Their title opens them. */
export function TrialTable({ trials, view, values, stale, dispatch }: TrialTableProps) {
  const selection = {
    ids: view.selected,
    toggle: (nct: string) => dispatch({ type: "toggle", nct }),
    set: (ncts: readonly string[]) => dispatch({ type: "select", ncts }),
  };
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label="Trials">
      <table className="rows" data-stale={stale || undefined}>
        <thead>
          <tr>
            <SelectAll ids={trials.map(({ nct }) => nct)} selection={selection} />
            <SortHead className="col-title" label="Trial" sort="title" view={view} dispatch={dispatch} />
            <SortHead className="col-phase" label="Phase" sort="phase" view={view} dispatch={dispatch} />
            <SortHead className="col-status" label="Status" sort="status" view={view} dispatch={dispatch} />
            <SortHead className="col-date" label="Start" sort="start" view={view} dispatch={dispatch} />
            {view.columns.map((column) => (
              <ColumnHead key={column.name} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {trials.map((trial) => (
            <tr
              key={trial.nct}
              data-selected={view.selected.includes(trial.nct) || undefined}
              data-open={view.open === trial.nct || undefined}
            >
              <SelectCell id={trial.nct} title={trial.title} selection={selection} />
              <td className="col-title">
                <button
                  type="button"
                  className="row-title row-button"
                  data-nct={trial.nct}
                  aria-expanded={view.open === trial.nct}
                  onClick={() => dispatch({ type: "open", nct: trial.nct })}
                >
                  {trial.title}
                </button>
                <span className="row-sub">
                  <span className="mono">{trial.nct}</span> · {trial.sponsor}
                </span>
              </td>
              <td className="col-phase">{trial.phase || <span className="muted">–</span>}</td>
              <td className="col-status">
                <span className="trial-status" data-status={trial.status}>
                  {trial.statusLabel}
                </span>
              </td>
              <td className="col-date">{trial.start}</td>
              {view.columns.map((column) => (
                <ValueCell
                  key={column.name}
                  column={column}
                  value={values.get(column.name)?.[trial.nct] ?? (values.has(column.name) ? null : undefined)}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SortHeadProps {
  className: string;
  label: string;
  sort: TrialSort;
  view: TrialView;
  dispatch(action: TrialAction): void;
}

function SortHead({ className, label, sort, view, dispatch }: SortHeadProps) {
  const on = view.sort === sort;
  const down = view.dir === "desc";
  const first = sort === "title" || sort === "status" ? "asc" : "desc";
  return (
    <th className={className} aria-sort={on ? (down ? "descending" : "ascending") : undefined}>
      <button
        type="button"
        className="sort-head"
        onClick={() => dispatch({ type: "sort", sort, dir: on ? (down ? "asc" : "desc") : first })}
      >
        {label}
        <span className="sort-mark" data-on={on || undefined}>
          <Icon name={on && !down ? "sortUp" : "sortDown"} size={13} />
        </span>
      </button>
    </th>
  );
}
