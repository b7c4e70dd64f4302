import { navigate, useHref } from "../shell/location.tsx";
import { Button } from "../ui/Button.tsx";
import { State } from "../ui/State.tsx";
import { useLoad } from "../ui/hooks.ts";
import { count, num } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import { Loaded, PageHead, pageOf, Pager, Results, usePlace, useSelected, useShown } from "./parts.tsx";
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
import type { TrialBrief } from "./types.ts";
import { columnsOf, useJudged } from "./use-judged.ts";
import { useProposal } from "./use-proposal.ts";

/** The most trials that are loaded, on which pages and columns work. */
const loadLimit = 250;

/** Clinical trials: a form, what it finds, and one of them in full. */
export function TrialsPage() {
  const trials = useTrials();
  const { view, dispatch, results, judged } = trials;
  useTrialContext(trials);
  useTrialProposals(view);
  usePlace({ page: "trials" }, !results.loading && judged.settled);
  return (
    <>
      <PageHead title="Clinical trials" />
      <TrialSearchForm
        form={view.form}
        facets={results.data?.facets}
        onSearch={(form) => dispatch({ type: "search", form })}
      />
      <div className="results-area">
        <Found {...trials} />
        {view.open && (
          <TrialDetail key={view.open} nct={view.open} onClose={() => dispatch({ type: "open", nct: null })} />
        )}
      </div>
    </>
  );
}

/** The state that the parts of the page share. */
type Trials = ReturnType<typeof useTrials>;

/**
 * The whole of the page's state is in its address. Those trials are `matching` that meet every
 * filtering column.
 */
function useTrials() {
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

/** The trials that were found, with columns that judge each of them. */
function Found({ view, dispatch, results, matching, judged }: Trials) {
  const { data, error, loading } = results;
  const loaded = data && !error ? data.trials.length : 0;
  const found = count(data?.total ?? 0, "trial");
  const visible = pageOf(matching, view);
  return (
    <Results
      label="Trials"
      busy={loading}
      title={data && !error ? (matching.length < loaded ? `${num(matching.length)} of ${found}` : found) : undefined}
      selected={view.selected}
      tools={<Pager {...view} total={matching.length} onChange={(change) => dispatch({ type: "set", ...change })} />}
    >
      <Loaded what="trials" {...results}>
        {() => (
          <>
            <ColumnBar
              judged={judged}
              isOnly={({ filter }) => filter}
              onOnly={(column, filter) => dispatch({ type: "put-column", column: { ...column, filter } })}
              onRemove={({ name }) => dispatch({ type: "remove-column", name })}
            />
            {visible.length > 0 && (
              <TrialTable trials={visible} view={view} judged={judged} stale={loading} dispatch={dispatch} />
            )}
            {loaded > 0 && matching.length === 0 && (
              <State title="No trial meets the columns" text={`${found} found, none is a Yes.`} />
            )}
            {loaded === 0 && (
              <State
                title="No trials"
                text="No trial fits the whole form."
                ask="Why did I get no results?"
                actions={<Button onClick={() => dispatch({ type: "search", form: {} })}>Clear the form</Button>}
              />
            )}
          </>
        )}
      </Loaded>
    </Results>
  );
}

/** What the assistant is told of a trial in a list. */
const briefOf = ({ nct, title, phase, statusLabel: status, start }: TrialBrief) => ({
  nct,
  title,
  phase,
  status,
  start,
});

function useTrialContext({ view, results: { data, error }, matching, judged }: Trials): void {
  const { columns, selected, open, ...search } = view;
  const more = ({ nct }: TrialBrief) => columns.length > 0 && { columns: columnsOf(judged, nct) };
  useShown(
    "Research: trial search",
    {
      ...search,
      total: data?.total ?? null,
      loaded: matching.length,
      columns: columns.map(({ name, criteria, filter }) => ({ name, criteria, filter })),
      selected,
      ...(open && { open }),
      ...(error && { error: { message: error.message } }),
      trials: matching.map((trial) => ({ ...briefOf(trial), ...more(trial) })),
    },
    { items: matching.map((trial) => ({ ...trial, ...more(trial) })) },
  );
  useSelected("trials", matching.filter(({ nct }) => selected.includes(nct)).map(briefOf));
}

/** Applies and undoes the assistant's proposals. */
function useTrialProposals(view: TrialView): void {
  const state = encodeTrialView({ ...view, open: null });
  const change = (action: TrialAction) => navigate(paths.trials(encodeTrialView(trialReducer(view, action))));
  const restore = (was: string) => navigate(paths.trials(was));
  useProposal("trial_search_suggestion", {
    acceptLabel: "Fill the form and search",
    state,
    accept: ({ form }) => change({ type: "search", form }),
    restore,
  });
  useProposal("ai_column_suggestion", {
    acceptLabel: "Add column",
    state,
    accept({ target, name, criteria, type, filter = false }) {
      if (target === "articles") throw new Error("This column is for articles: accept it in a stream's workbench.");
      change({ type: "put-column", column: { name, criteria, type, filter } });
    },
    restore,
  });
}
