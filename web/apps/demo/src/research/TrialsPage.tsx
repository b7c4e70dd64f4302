import { useDynamicContext, usePageContext, usePayload } from "@pageside/react";
import { useArrival } from "../shell/arrival.ts";
import { navigate, useHref } from "../shell/location.tsx";
import { Button } from "../ui/Button.tsx";
import { Failed, Loading, State } from "../ui/State.tsx";
import { useLoad, type Loaded } from "../ui/hooks.ts";
import { count, num } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import { looks } from "./cards.tsx";
import { PageHead, Pager } from "./parts.tsx";
import type { ColumnSuggestion, TrialSearchSuggestion } from "./payloads.ts";
import { paths, searchOf } from "./routes.ts";
import { ColumnBar, TrialTable } from "./tables.tsx";
import { TrialDetail } from "./TrialDetail.tsx";
import { TrialSearchForm } from "./TrialSearchForm.tsx";
import {
  decodeTrialView,
  encodeTrialView,
  matchingTrials,
  trialReducer,
  type TrialAction,
  type TrialView,
} from "./trial-view.ts";
import type { TrialBrief, TrialResults } from "./types.ts";
import { before } from "./undo.ts";
import { useJudged, type Judged } from "./use-judged.ts";

/** The most trials that are loaded, on which pages and columns work. */
const loadLimit = 250;

/** The state that the parts of the page share. */
interface Trials {
  view: TrialView;
  dispatch(action: TrialAction): void;
  results: Loaded<TrialResults>;
  /** The trials that meet every filtering column. */
  matching: readonly TrialBrief[];
  judged: Judged;
}

/** Clinical trials: a form, what it finds, and one of them in full. */
export function TrialsPage() {
  const trials = useTrials();
  const { view, dispatch, results, judged } = trials;
  usePageContext({ page: "trials", description: "Address in Research" });
  useTrialContext(trials);
  useTrialCards(view);
  useArrival(!results.loading && view.columns.every(({ name }) => judged.values.has(name)));
  return (
    <>
      <PageHead title="Clinical trials" />
      <TrialSearchForm
        form={view.form}
        facets={results.data?.facets}
        onSearch={(form) => dispatch({ type: "search", form })}
      />
      <div className="results-area">
        <section className="panel results-panel" aria-label="Trials" aria-busy={results.loading}>
          <Results {...trials} />
        </section>
        {view.open && (
          <TrialDetail key={view.open} nct={view.open} onClose={() => dispatch({ type: "open", nct: null })} />
        )}
      </div>
    </>
  );
}

/** The whole of the page's state is in its address. */
function useTrials(): Trials {
  const view = decodeTrialView(searchOf(useHref()));
  const { form, sort, dir, columns } = view;
  const dispatch = (action: TrialAction) =>
    navigate(paths.trials(encodeTrialView(trialReducer(view, action))), { replace: action.type === "select" });
  const request = { ...form, sort, dir, page: 1, pageSize: loadLimit };
  const results = useLoad(JSON.stringify(request), (signal) => researchApi.searchTrials(request, signal));
  const loaded = results.data?.trials ?? [];
  const ids = loaded.map(({ nct }) => nct);
  const judged = useJudged(columns, ids, "ncts");
  return { view, dispatch, results, matching: matchingTrials(loaded, columns, judged.values), judged };
}

function Results({ view, dispatch, results, matching, judged }: Trials) {
  const { data, error, loading, reload } = results;
  const { page, pageSize, columns, selected } = view;
  if (error) return <Failed what="trials" error={error} retry={reload} />;
  if (!data) return <Loading />;
  const found = count(data.total, "trial");
  const visible = matching.slice((page - 1) * pageSize, page * pageSize);
  return (
    <>
      <header className="results-head">
        <h2 className="results-title">
          {matching.length < data.trials.length ? `${num(matching.length)} of ${found}` : found}
        </h2>
        {selected.length > 0 && <span className="badge">{num(selected.length)} selected</span>}
        <span className="spring" />
        <Pager
          {...view}
          total={matching.length}
          onPage={(to) => dispatch({ type: "set", page: to })}
          onPageSize={(size) => dispatch({ type: "set", pageSize: size })}
        />
      </header>
      {columns.length > 0 && (
        <ColumnBar
          columns={columns}
          judged={judged}
          isOnly={({ filter }) => filter}
          onOnly={(column, filter) => dispatch({ type: "put-column", column: { ...column, filter } })}
          onRemove={({ name }) => dispatch({ type: "remove-column", name })}
        />
      )}
      {visible.length > 0 && (
        <TrialTable trials={visible} view={view} judged={judged} stale={loading} dispatch={dispatch} />
      )}
      {data.trials.length > 0 && matching.length === 0 && (
        <State title="No trial meets the columns" text={`${found} found, none is a Yes.`} />
      )}
      {data.trials.length === 0 && (
        <State
          title="No trials"
          text="No trial fits the whole form."
          ask="Why did I get no results?"
          actions={<Button onClick={() => dispatch({ type: "search", form: {} })}>Clear the form</Button>}
        />
      )}
    </>
  );
}

function useTrialContext({ view, results: { data, error }, matching, judged }: Trials): void {
  const { form, sort, dir, page, pageSize, columns, selected, open } = view;
  const columnsOf = ({ nct }: TrialBrief) =>
    columns.length > 0 && {
      columns: Object.fromEntries(columns.map(({ name }) => [name, judged.values.get(name)?.[nct] ?? null])),
    };
  const brief = ({ nct, title, phase, statusLabel: status, start }: TrialBrief) => ({
    nct,
    title,
    phase,
    status,
    start,
  });
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
      trials: matching.map((trial) => ({ ...brief(trial), ...columnsOf(trial) })),
    },
    items: matching.map((trial) => ({ ...trial, ...columnsOf(trial) })),
  });
  useDynamicContext({
    description: "Selected trials",
    label: "@selected-trials",
    source: "Research",
    value: matching.filter(({ nct }) => selected.includes(nct)).map(brief),
  });
}

/** Applies and undoes the assistant's proposals. */
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
    accept({ target, name, criteria, type, filter = false }, id) {
      if (target === "articles") throw new Error("This column is for articles: accept it in a stream's workbench.");
      change({ type: "put-column", column: { name, criteria, type, filter } }, id);
    },
    undo,
  });
}
