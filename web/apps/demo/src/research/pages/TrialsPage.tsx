import { useAssistantAction, useDynamicContext, usePageContext, usePayload } from "@pageside/react";
import { useArrival } from "../../shell/arrival.ts";
import { navigate, useHref } from "../../shell/location.ts";
import { useTitle } from "../../shell/shell-context.tsx";
import { looks } from "../assistant/CardLooks.tsx";
import type { ColumnSuggestion, TrialSearchSuggestion } from "../assistant/payloads.ts";
import { researchApi } from "../api.ts";
import { paths, searchOf } from "../routes.ts";
import {
  cleanForm,
  decodeTrialView,
  encodeTrialView,
  trialReducer,
  type TrialAction,
  type TrialView,
} from "../state/trial-view.ts";
import { before } from "../state/undo.ts";
import { useColumnValues } from "../state/use-column-values.ts";
import { useLoad } from "../state/use-load.ts";
import type { TrialBrief, TrialForm, TrialResults } from "../types.ts";
import { AddColumn } from "../ui/AddColumn.tsx";
import type { Values } from "../ui/ArticleTable.tsx";
import { Pager } from "../ui/Pager.tsx";
import { Empty, Failed, RowsSkeleton } from "../ui/States.tsx";
import { TrialTable } from "../ui/TrialTable.tsx";
import { count, num } from "../ui/text.ts";
import { matchingTrials } from "./matching.ts";
import { TrialDetail } from "./TrialDetail.tsx";
import { TrialSearchForm } from "./TrialSearchForm.tsx";
import { ColumnChip } from "./Workbench.tsx";

/** How many trials are loaded at most; pages and columns work on those. */
const loadLimit = 250;

/** Clinical trials: a form, what it finds, and one of them in full. */
export function TrialsPage() {
  const view = decodeTrialView(searchOf(useHref()));
  const dispatch = (action: TrialAction) => {
    const small = action.type === "toggle" || action.type === "select";
    navigate(paths.trials(encodeTrialView(trialReducer(view, action))), { replace: small });
  };
  const request = { ...view.form, sort: view.sort, dir: view.dir, page: 1, pageSize: loadLimit };
  const results = useLoad(JSON.stringify(request), (signal) => researchApi.searchTrials(request, signal));
  const { data, error, loading, reload } = results;
  const loaded = data?.trials ?? [];
  const values = useColumnValues(
    view.columns,
    loaded.map(({ nct }) => nct),
    "ncts",
  );
  const matching = matchingTrials(loaded, view.columns, values);
  const visible = matching.slice((view.page - 1) * view.pageSize, view.page * view.pageSize);
  useTitle("Trials · Research");
  usePageContext({ page: "trials", description: "Address in Research" });
  useTrialContext(view, data, matching, values, error);
  useTrialCards(view);
  useTrialTools(view, dispatch);
  useArrival(!loading && view.columns.every(({ name }) => values.has(name)));
  const filled = !error && loaded.length > 0;
  return (
    <>
      <header className="page-head">
        <div>
          <h1>Clinical trials</h1>
        </div>
      </header>
      <TrialSearchForm form={view.form} facets={data?.facets} onSearch={(form) => dispatch({ type: "search", form })} />
      <div className="results-area">
        <section className="panel results-panel" aria-label="Trials" aria-busy={loading}>
          <header className="results-head wrap">
            <h2 className="results-title">{data && !error ? headline(data, matching.length) : "Trials"}</h2>
            {view.selected.length > 0 && <span className="badge">{num(view.selected.length)} selected</span>}
            <span className="spring" />
            {filled && (
              <Pager
                {...view}
                total={matching.length}
                onPage={(page) => dispatch({ type: "page", page })}
                onPageSize={(pageSize) => dispatch({ type: "page-size", pageSize })}
              />
            )}
          </header>
          {filled && (
            <div className="column-bar" role="group" aria-label="AI columns">
              {view.columns.map((column) => (
                <ColumnChip
                  key={column.name}
                  column={column}
                  only={column.filter}
                  onOnly={(filter) => dispatch({ type: "filter-column", name: column.name, filter })}
                  onRemove={() => dispatch({ type: "remove-column", name: column.name })}
                />
              ))}
              <AddColumn
                target="trials"
                taken={view.columns.map(({ name }) => name)}
                onAdd={(column) => dispatch({ type: "add-column", column: { ...column, filter: false } })}
              />
            </div>
          )}
          {visible.length > 0 && !error && (
            <TrialTable trials={visible} view={view} values={values} stale={loading} dispatch={dispatch} />
          )}
          {filled && matching.length === 0 && (
            <Empty title="No trial meets the columns" text={`${count(loaded.length, "trial")} found, none is a Yes.`} />
          )}
          {error && <Failed what="trials" error={error} retry={reload} />}
          {!data && !error && <RowsSkeleton />}
          {data && !error && loaded.length === 0 && (
            <Empty title="No trials" text="No trial fits the whole form." ask="Why did I get no results?">
              <button type="button" className="button" onClick={() => dispatch({ type: "search", form: {} })}>
                Clear the form
              </button>
            </Empty>
          )}
        </section>
        {view.open && (
          <TrialDetail key={view.open} nct={view.open} onClose={() => dispatch({ type: "open", nct: null })} />
        )}
      </div>
    </>
  );
}

function headline({ total, trials }: TrialResults, matching: number): string {
  if (matching < trials.length) return `${num(matching)} of ${count(total, "trial")}`;
  return count(total, "trial");
}

function useTrialContext(
  view: TrialView,
  data: TrialResults | undefined,
  matching: readonly TrialBrief[],
  values: Values,
  error: Error | undefined,
): void {
  const { form, sort, dir, page, pageSize, columns, selected, open } = view;
  const columnsOf = (nct: string) =>
    Object.fromEntries(columns.map(({ name }) => [name, values.get(name)?.[nct] ?? null]));
  useDynamicContext({
    description: "Research: trial search",
    source: "Research",
    value: {
      form,
      sort,
      dir,
      page,
      pageSize,
      total: data?.total ?? null,
      loaded: matching.length,
      columns: columns.map(({ name, criteria, filter }) => ({ name, criteria, filter })),
      selected,
      ...(open && { open }),
      ...(error && { error: { message: error.message } }),
      trials: matching.map(({ nct, title, phase, statusLabel: status, start }) => ({
        nct,
        title,
        phase,
        status,
        start,
        ...(columns.length > 0 && { columns: columnsOf(nct) }),
      })),
    },
    items: matching.map((trial) => (columns.length > 0 ? { ...trial, columns: columnsOf(trial.nct) } : trial)),
  });
  useDynamicContext({
    description: "Selected trials",
    label: "@selected-trials",
    source: "Research",
    value: matching
      .filter(({ nct }) => selected.includes(nct))
      .map(({ nct, title, phase, statusLabel: status, start }) => ({ nct, title, phase, status, start })),
  });
}

/**
 * Applies what the assistant proposes here, and takes it back. The whole of the page's state is in
 * its address.
 */
function useTrialCards(view: TrialView): void {
  const change = (action: TrialAction, id: string) => {
    before.remember(id, encodeTrialView({ ...view, open: null }));
    navigate(paths.trials(encodeTrialView(trialReducer(view, action))));
  };
  const undo = (_: unknown, id: string) => navigate(paths.trials(before.recall<string>(id)));
  usePayload<TrialSearchSuggestion>("trial_search_suggestion", {
    ...looks.trials,
    acceptLabel: "Fill the form and search",
    accept: ({ form }, id) => change({ type: "search", form }, id),
    undo,
  });
  usePayload<ColumnSuggestion>("ai_column_suggestion", {
    ...looks.column,
    acceptLabel: "Add column",
    accept({ target, name, criteria, type, match, filter = false }, id) {
      if (target === "articles") throw new Error("This column is for articles: accept it in a stream's workbench.");
      change({ type: "add-column", column: { name, criteria, type, match, filter } }, id);
    },
    undo,
  });
}

function useTrialTools(view: TrialView, dispatch: (action: TrialAction) => void): void {
  useAssistantAction<{ ids: string[] }, { selected: number }>({
    name: "select_rows",
    description: "Select trials of the table on the page by NCT number. An empty list selects none.",
    parameters: {
      type: "object",
      properties: { ids: { type: "array", items: { type: "string" }, maxItems: 250 } },
      required: ["ids"],
      additionalProperties: false,
    },
    handler: ({ ids }) => {
      dispatch({ type: "select", ncts: ids });
      return { selected: new Set(ids).size };
    },
  });
  const text = { type: "string" };
  const list = { type: "array", items: { type: "string" } };
  useAssistantAction<TrialForm, { form: TrialForm; total: number }>({
    name: "set_search_form",
    description:
      "Fill the trial search form and search, without asking. Only when the user said to do it; else propose it as a TRIAL_SEARCH_SUGGESTION. What is not given is emptied.",
    parameters: {
      type: "object",
      properties: {
        condition: text,
        intervention: text,
        sponsor: text,
        text,
        startFrom: text,
        startTo: text,
        phases: list,
        statuses: list,
      },
      additionalProperties: false,
    },
    handler: async (form, { signal }) => {
      const clean = cleanForm(form);
      const search = { ...clean, sort: view.sort, dir: view.dir, page: 1, pageSize: 1 };
      const { total } = await researchApi.searchTrials(search, signal);
      dispatch({ type: "search", form: clean });
      return { form: clean, total };
    },
  });
}
