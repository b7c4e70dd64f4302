import { useAssistantAction, useDynamicContext } from "@pageside/react";
import { useState } from "react";
import { Icon } from "../../components/Icon.tsx";
import { useArrival } from "../../shell/arrival.ts";
import { navigate, useHref } from "../../shell/location.ts";
import { researchApi } from "../api.ts";
import { paths, searchOf } from "../routes.ts";
import {
  articleReducer,
  decodeArticleView,
  encodeArticleView,
  toSearch,
  type ArticleAction,
  type ArticleView,
} from "../state/article-view.ts";
import { sameFilters } from "../state/filters.ts";
import { useFlash } from "../state/use-flash.ts";
import { useLoad, type Loaded } from "../state/use-load.ts";
import type { StreamDraft } from "../state/use-stream-draft.ts";
import type { ArticleResults, Direction, ArticleSort } from "../types.ts";
import { ArticleTable } from "../ui/ArticleTable.tsx";
import { FiltersBar } from "../ui/FiltersBar.tsx";
import { Pager } from "../ui/Pager.tsx";
import { QueryInput } from "../ui/QueryInput.tsx";
import { Empty, Failed, RowsSkeleton } from "../ui/States.tsx";
import { Tabs } from "../ui/Tabs.tsx";
import { count, messageOf, num } from "../ui/text.ts";
import { HttpError } from "../../shell/http.ts";
import { useColumnValues } from "../state/use-column-values.ts";
import { Workbench, workbenchRows } from "./Workbench.tsx";

/** How many articles the workbench works on at most: what the server gives at once. */
const workbenchLimit = 200;

/** Runs the stream's search, or another one to try, and works on what it finds. */
export function ExecuteTab({ editor, workbench }: { editor: StreamDraft; workbench: boolean }) {
  const { draft } = editor;
  const search = searchOf(useHref());
  const view = decodeArticleView(search, draft.retrieval);
  const dispatch = (action: ArticleAction) => {
    const next = encodeArticleView(articleReducer(view, action), draft.retrieval);
    const small = action.type === "toggle" || action.type === "select";
    navigate(paths.stream(draft.id, "execute", workbench) + next, { replace: small });
  };
  const request = workbench
    ? { ...toSearch(view), page: 1, pageSize: Math.min(workbenchLimit, draft.retrieval.maxResults) }
    : toSearch(view);
  const results = useLoad(JSON.stringify(request), (signal) => researchApi.searchArticles(request, signal));
  const values = useColumnValues(
    workbench ? draft.columns : [],
    workbench ? (results.data?.articles.map(({ pmid }) => pmid) ?? []) : [],
    "pmids",
  );
  const rows = workbenchRows(results.data?.articles ?? [], view, draft.columns, values);
  useSearchContext(view, results, workbench ? { rows, values } : undefined);
  useSearchTools(view, dispatch);
  const counted = !workbench || draft.columns.every(({ name }) => values.has(name));
  useArrival(!results.loading && counted);
  return (
    <>
      <SearchBar editor={editor} view={view} error={queryError(results.error)} dispatch={dispatch} />
      <div className="subtabs">
        <Tabs
          small
          label="Result"
          tabs={[
            { label: "Results", href: paths.stream(draft.id, "execute") + search, current: !workbench },
            {
              label: "Workbench",
              href: paths.stream(draft.id, "execute", true) + search,
              current: workbench,
              ...(draft.columns.length > 0 && { count: String(draft.columns.length) }),
            },
          ]}
        />
        <span className="spring" />
        <SaveReport editor={editor} view={view} />
      </div>
      {workbench ? (
        <Workbench editor={editor} view={view} results={results} rows={rows} values={values} dispatch={dispatch} />
      ) : (
        <Results view={view} results={results} dispatch={dispatch} />
      )}
    </>
  );
}

type Dispatch = (action: ArticleAction) => void;
type WorkbenchState = { rows: ReturnType<typeof workbenchRows>; values: ReturnType<typeof useColumnValues> };

function useSearchContext(view: ArticleView, results: Loaded<ArticleResults>, workbench?: WorkbenchState): void {
  const { query, filters, sort, dir, page, pageSize, selected, only } = view;
  const { data, error, loading } = results;
  const articles = data?.articles ?? [];
  const visible = workbench ? workbench.rows.visible : articles;
  useDynamicContext({
    description: "Research: article search",
    source: "Research",
    value: {
      query,
      filters,
      sort,
      dir,
      page,
      pageSize,
      total: data?.total ?? null,
      shown: visible.length,
      ...(workbench && { loaded: articles.length, matching: workbench.rows.matching.length, ...(only && { only }) }),
      ...(loading && { loading: true }),
      ...(error && { error: { message: error.message } }),
      selected,
      articles: visible.map(({ pmid, title, journal, date, types }) => ({
        pmid,
        title,
        journal,
        date,
        types,
        ...(workbench && { columns: valuesOf(pmid, workbench.values) }),
      })),
    },
    items: workbench
      ? articles.map((article) => ({ ...article, columns: valuesOf(article.pmid, workbench.values) }))
      : articles,
  });
  useDynamicContext({
    description: "Selected articles",
    label: "@selected-articles",
    source: "Research",
    value: articles
      .filter(({ pmid }) => selected.includes(pmid))
      .map(({ pmid, title, journal, date, types }) => ({ pmid, title, journal, date, types })),
  });
}

function valuesOf(pmid: string, values: WorkbenchState["values"]) {
  return Object.fromEntries([...values].map(([name, byId]) => [name, byId[pmid] ?? null]));
}

function useSearchTools(view: ArticleView, dispatch: Dispatch): void {
  useAssistantAction<{ ids: string[] }, { selected: number }>({
    name: "select_rows",
    description: "Select articles of the table on the page by PMID. An empty list selects none.",
    parameters: {
      type: "object",
      properties: { ids: { type: "array", items: { type: "string" }, maxItems: 200 } },
      required: ["ids"],
      additionalProperties: false,
    },
    handler: ({ ids }) => {
      dispatch({ type: "select", pmids: ids });
      return { selected: new Set(ids).size };
    },
  });
  useAssistantAction<{ sort: ArticleSort; dir?: Direction }, { sort: string }>({
    name: "sort_articles",
    description: "Sort the articles on the page by date or by relevance.",
    parameters: {
      type: "object",
      properties: { sort: { enum: ["date", "relevance"] }, dir: { enum: ["asc", "desc"] } },
      required: ["sort"],
      additionalProperties: false,
    },
    handler: ({ sort, dir = "desc" }) => {
      dispatch({ type: "sort", sort, dir });
      return { sort: `${sort} ${dir}` };
    },
  });
  void view;
}

const queryError = (error: Error | undefined) =>
  error instanceof HttpError && error.code === "pubmed_error" ? error : undefined;

interface SearchBarProps {
  editor: StreamDraft;
  view: ArticleView;
  error: Error | undefined;
  dispatch: Dispatch;
}

/** The search to run: at first the stream's own. */
function SearchBar({ editor, view, error, dispatch }: SearchBarProps) {
  const { draft } = editor;
  const [text, setText] = useState(view.query);
  const [shown, setShown] = useState(view.query);
  if (shown !== view.query) {
    // The search came from elsewhere: an accepted suggestion, or the way back.
    setShown(view.query);
    setText(view.query);
  }
  const flash = useFlash(view.query);
  const own = view.query !== draft.retrieval.query || !sameFilters(view.filters, draft.retrieval.filters);
  const run = () => dispatch({ type: "search", query: text });
  return (
    <section className="panel form" aria-label="Search">
      <form
        className="search-row"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <QueryInput value={text} onChange={setText} onRun={run} error={error} flash={flash} />
        <button type="submit" className="button button-primary run">
          <Icon name="play" size={13} />
          Run
        </button>
      </form>
      <div className="filters-row">
        <FiltersBar filters={view.filters} onChange={(filters) => dispatch({ type: "filter", filters })} />
        {own && (
          <div className="own-search">
            <span className="muted">Not the stream’s search</span>
            <button
              type="button"
              className="button button-quiet"
              onClick={() =>
                dispatch({ type: "search", query: draft.retrieval.query, filters: draft.retrieval.filters })
              }
            >
              Back to it
            </button>
            <button
              type="button"
              className="button button-quiet"
              onClick={() => {
                editor.dispatch({ type: "retrieval", retrieval: { query: view.query, filters: view.filters } });
              }}
            >
              Use for the stream
            </button>
          </div>
        )}
      </div>
    </section>
  );
}

interface ResultsProps {
  view: ArticleView;
  results: Loaded<ArticleResults>;
  dispatch: Dispatch;
}

function Results({ view, results, dispatch }: ResultsProps) {
  const { data, error, loading, reload } = results;
  const filled = !error && data !== undefined && data.total > 0;
  return (
    <section className="panel results-panel" aria-label="Results" aria-busy={loading}>
      <header className="results-head">
        <h2 className="results-title">{data && !error ? count(data.total, "article") : "Articles"}</h2>
        {view.selected.length > 0 && <span className="badge">{num(view.selected.length)} selected</span>}
        <span className="spring" />
        {filled && <SortPick view={view} dispatch={dispatch} />}
        {filled && (
          <Pager
            {...view}
            total={data.total}
            onPage={(page) => dispatch({ type: "page", page })}
            onPageSize={(pageSize) => dispatch({ type: "page-size", pageSize })}
          />
        )}
      </header>
      {filled && (
        <ArticleTable
          label="Articles"
          articles={data.articles}
          stale={loading}
          selection={{
            ids: view.selected,
            toggle: (pmid) => dispatch({ type: "toggle", pmid }),
            set: (pmids) => dispatch({ type: "select", pmids }),
          }}
        />
      )}
      <NoRows results={results} retry={reload} />
    </section>
  );
}

/** What there is in the place of rows. */
export function NoRows({ results, retry }: { results: Loaded<ArticleResults>; retry(): void }) {
  const { data, error } = results;
  if (error && queryError(error))
    return (
      <Empty
        icon="alert"
        title="The query cannot be read"
        text="What is wrong stands below it."
        ask="What is wrong with my query?"
      />
    );
  if (error) return <Failed what="result" error={error} retry={retry} />;
  if (!data) return <RowsSkeleton />;
  if (data.total > 0) return null;
  return (
    <Empty
      title="No articles"
      text="Nothing in the library fits the query and the filters."
      ask="Why did I get no results?"
    />
  );
}

export function SortPick({ view, dispatch }: { view: ArticleView; dispatch: Dispatch }) {
  return (
    <label>
      <span className="sr-only">Sort</span>
      <select
        className="input input-small"
        value={`${view.sort}:${view.dir}`}
        onChange={({ target }) => {
          const [sort, dir] = target.value.split(":") as [ArticleSort, Direction];
          dispatch({ type: "sort", sort, dir });
        }}
      >
        <option value="date:desc">Newest first</option>
        <option value="date:asc">Oldest first</option>
        <option value="relevance:desc">Most relevant first</option>
      </select>
    </label>
  );
}

/**
 * A report is what the stream's own search finds, kept: so another search has to become the
 * stream's first.
 */
function SaveReport({ editor, view }: { editor: StreamDraft; view: ArticleView }) {
  const [state, setState] = useState<{ busy?: boolean; error?: string }>({});
  const { draft, dirty } = editor;
  const own = view.query !== draft.retrieval.query || !sameFilters(view.filters, draft.retrieval.filters);
  const why = dirty ? "Save the stream first" : own ? "Only the stream’s own search makes a report" : undefined;
  const make = async () => {
    setState({ busy: true });
    try {
      const report = await researchApi.createReport(draft.id);
      navigate(paths.report(report.id));
    } catch (error) {
      setState({ error: messageOf(error) });
    }
  };
  return (
    <>
      {state.error && (
        <span className="save-note" data-bad role="alert">
          {state.error}
        </span>
      )}
      <button
        type="button"
        className="button"
        disabled={Boolean(why) || state.busy}
        title={why ?? "Keep these articles as a report"}
        onClick={() => void make()}
      >
        Make a report
      </button>
    </>
  );
}
