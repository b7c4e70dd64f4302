import { useState } from "react";
import { useArrival } from "../shell/arrival.ts";
import { navigate, useHref } from "../shell/location.tsx";
import { Button } from "../ui/Button.tsx";
import { QueryInput } from "../ui/QueryInput.tsx";
import { Failed, Loading, State } from "../ui/State.tsx";
import { useFlash, useLoad, type Loaded } from "../ui/hooks.ts";
import { count, messageOf, num } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import {
  articleReducer,
  briefOf,
  decodeArticleView,
  encodeArticleView,
  toSearch,
  type ArticleAction,
  type ArticleView,
} from "./article-view.ts";
import { same } from "./filters.ts";
import { FiltersBar } from "./FiltersBar.tsx";
import { pageOf, Pager, pubmed, queryError, Results, Tabs, useEdited, useSelected, useShown } from "./parts.tsx";
import { paths, searchOf } from "./routes.ts";
import { ArticleTable, ColumnBar } from "./tables.tsx";
import type { ArticleBrief, ArticleResults, ArticleSearch, Stream } from "./types.ts";
import { columnsOf, useJudged } from "./use-judged.ts";
import type { StreamDraft } from "./use-stream-draft.ts";

/** The most articles in the workbench: the largest page of the server. */
const workbenchLimit = 200;

interface ExecuteTabProps {
  editor: StreamDraft;
  workbench: boolean;
}

/** Runs the stream's search or a trial one, and shows its results. */
export function ExecuteTab({ editor, workbench }: ExecuteTabProps) {
  const { draft } = editor;
  const search = searchOf(useHref());
  const execute = useExecute(editor, workbench, decodeArticleView(search, draft.retrieval));
  useSearchContext(execute);
  useArrival(!execute.results.loading && execute.judged.settled);
  const columns = draft.columns.length;
  return (
    <>
      <SearchBar {...execute} />
      <div className="row">
        <Tabs
          small
          label="Result"
          tabs={[
            { label: "Results", href: paths.stream(draft.id, "execute") + search, current: !workbench },
            {
              label: "Workbench",
              href: paths.stream(draft.id, "execute", true) + search,
              current: workbench,
              ...(columns > 0 && { count: columns }),
            },
          ]}
        />
        <span className="spring" />
        <MakeReport {...execute} />
      </div>
      <Articles {...execute} />
    </>
  );
}

/** The state that the parts of the tab share. */
type Execute = ReturnType<typeof useExecute>;

/**
 * In the workbench all rows are loaded. Those are `matching` that the column filter leaves, and
 * pages are made here.
 */
function useExecute(editor: StreamDraft, workbench: boolean, view: ArticleView) {
  const { id, retrieval, columns } = editor.draft;
  const dispatch = (action: ArticleAction) => {
    const next = encodeArticleView(articleReducer(view, action), retrieval);
    navigate(paths.stream(id, "execute", workbench) + next, { replace: "selected" in action });
  };
  const pageSize = Math.min(workbenchLimit, retrieval.maxResults);
  const request = workbench ? { ...toSearch(view), page: 1, pageSize } : toSearch(view);
  const results = useLoad(JSON.stringify(request), (signal) => researchApi.searchArticles(request, signal));
  const articles = results.data?.articles ?? [];
  const ids = workbench ? articles.map(({ pmid }) => pmid) : [];
  const judged = useJudged(workbench ? columns : [], ids, "pmids");
  const meets = view.only === null ? undefined : judged.values.get(view.only);
  const matching = meets ? articles.filter(({ pmid }) => meets[pmid] === true) : articles;
  const visible = workbench ? pageOf(matching, view) : articles;
  return { editor, workbench, view, dispatch, results, articles, matching, visible, judged };
}

function useSearchContext({ workbench, view, results, articles, matching, visible, judged }: Execute): void {
  const { selected, only, ...search } = view;
  const { data, error, loading } = results;
  const more = ({ pmid }: ArticleBrief) => workbench && { columns: columnsOf(judged, pmid) };
  useShown(
    "Research: article search",
    {
      ...search,
      total: data?.total ?? null,
      shown: visible.length,
      ...(workbench && { loaded: articles.length, matching: matching.length, ...(only && { only }) }),
      ...(loading && { loading: true }),
      ...(error && { error: { message: error.message } }),
      selected,
      articles: visible.map((article) => ({ ...briefOf(article), ...more(article) })),
    },
    { items: articles.map((article) => ({ ...article, ...more(article) })) },
  );
  useSelected("articles", articles.filter(({ pmid }) => selected.includes(pmid)).map(briefOf));
}

/** Reports whether the search differs from the stream's. */
const isOther = (view: ArticleView, { retrieval }: Stream) =>
  view.query !== retrieval.query || !same(view.filters, retrieval.filters);

/** The search to run: at first the stream's own. */
function SearchBar({ editor, view, results, dispatch }: Execute) {
  const { retrieval } = editor.draft;
  const [text, setText] = useEdited(view.query);
  const flash = useFlash(view.query);
  const run = () => dispatch({ type: "search", query: text });
  return (
    <section className="panel form" aria-label="Search">
      <div className="line search-row">
        <div className="query-box" data-flash={flash}>
          <QueryInput {...pubmed} value={text} onChange={setText} onRun={run} error={queryError(results.error)} />
        </div>
        <Button kind="primary" icon="play" className="run" onClick={run}>
          Run
        </Button>
      </div>
      <div className="row">
        <FiltersBar filters={view.filters} onChange={(filters) => dispatch({ type: "search", filters })} />
        {isOther(view, editor.draft) && (
          <>
            <span className="spring" />
            <span className="muted">Not the stream’s search</span>
            <Button kind="quiet" onClick={() => dispatch({ type: "search", ...retrieval })}>
              Back to it
            </Button>
            <Button
              kind="quiet"
              onClick={() => {
                const { query, filters } = view;
                editor.dispatch({ type: "retrieval", retrieval: { query, filters } });
              }}
            >
              Use for the stream
            </Button>
          </>
        )}
      </div>
    </section>
  );
}

/** The results as a table; in the workbench with columns that judge each article. */
function Articles(execute: Execute) {
  const { workbench, view, dispatch, results, articles, matching, visible, judged } = execute;
  const { data, error, loading } = results;
  const filled = !error && data !== undefined && articles.length > 0;
  const set = (change: Partial<ArticleView>) => dispatch({ type: "set", ...change });
  const pager = <Pager {...view} total={workbench ? matching.length : (data?.total ?? 0)} onChange={set} />;
  return (
    <Results
      label={workbench ? "Workbench" : "Results"}
      busy={loading}
      title={headline(execute)}
      selected={view.selected}
      tools={
        filled && (
          <>
            <SortPick {...execute} />
            {pager}
          </>
        )
      }
    >
      <Columns {...execute} />
      {!filled && <NoRows {...results} />}
      {filled && visible.length > 0 && (
        <ArticleTable
          label="Articles"
          articles={visible}
          stale={loading}
          judged={judged}
          selection={{ ids: view.selected, set: (selected) => set({ selected }) }}
        />
      )}
      {filled && visible.length === 0 && (
        <State
          title="No article meets it"
          text={`None of the ${num(articles.length)} articles is a Yes in “${view.only}”.`}
          actions={<Button onClick={() => set({ only: null })}>Show all</Button>}
        />
      )}
    </Results>
  );
}

function headline({ workbench, results: { data, error }, articles, matching }: Execute): string {
  if (!data || error) return "Articles";
  return workbench ? `${num(matching.length)} of ${count(articles.length, "article")}` : count(data.total, "article");
}

/** What is shown instead of rows. */
function NoRows({ data, error, reload }: Loaded<ArticleResults>) {
  if (queryError(error))
    return (
      <State
        icon="alert"
        title="The query cannot be read"
        text="What is wrong is written below it."
        ask="What is wrong with my query?"
      />
    );
  if (error) return <Failed what="result" error={error} retry={reload} />;
  if (!data) return <Loading />;
  return (
    <State
      title="No articles"
      text="Nothing in the library fits the query and the filters."
      ask="Why did I get no results?"
    />
  );
}

function SortPick({ view, dispatch }: Execute) {
  return (
    <select
      className="input input-small"
      aria-label="Sort"
      value={`${view.sort}:${view.dir}`}
      onChange={({ target }) => {
        const [sort, dir] = target.value.split(":") as [ArticleSearch["sort"], ArticleSearch["dir"]];
        dispatch({ type: "set", sort, dir });
      }}
    >
      <option value="date:desc">Newest first</option>
      <option value="date:asc">Oldest first</option>
      <option value="relevance:desc">Most relevant first</option>
    </select>
  );
}

/** The columns of the assistant. */
function Columns({ editor, view, dispatch, judged }: Execute) {
  return (
    <ColumnBar
      judged={judged}
      isOnly={({ name }) => view.only === name}
      onOnly={({ name }, on) => dispatch({ type: "set", only: on ? name : null })}
      onRemove={(column) => {
        if (view.only === column.name) dispatch({ type: "set", only: null });
        editor.dispatch({ type: "set", columns: editor.draft.columns.filter((each) => each !== column) });
      }}
    />
  );
}

/**
 * A report stores the results of the stream's own search, so a different search must be saved to
 * the stream first.
 */
function MakeReport({ editor, view }: Execute) {
  const [state, setState] = useState<{ busy?: boolean; error?: string }>({});
  const { draft, dirty } = editor;
  const other = isOther(view, draft) && "Only the stream’s own search makes a report";
  const why = dirty ? "Save the stream first" : other;
  const make = async () => {
    setState({ busy: true });
    try {
      navigate(paths.report((await researchApi.createReport(draft.id)).id));
    } catch (error) {
      setState({ error: messageOf(error) });
    }
  };
  return (
    <>
      {state.error && (
        <span className="bad" role="alert">
          {state.error}
        </span>
      )}
      <Button
        disabled={Boolean(why) || state.busy}
        title={why || "Store these articles as a report"}
        onClick={() => void make()}
      >
        Make a report
      </Button>
    </>
  );
}
