import { Field } from "../ui/Field.tsx";
import { QueryInput } from "../ui/QueryInput.tsx";
import { Loading, State } from "../ui/State.tsx";
import { useFlash, useLoad, useSettled } from "../ui/hooks.ts";
import { count, num } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import { startView, toSearch } from "./article-view.ts";
import { FiltersBar } from "./FiltersBar.tsx";
import { pubmed, queryError, Results, useShown } from "./parts.tsx";
import { ArticleTable } from "./tables.tsx";
import type { ArticleResults, Retrieval } from "./types.ts";
import type { StreamDraft } from "./use-stream-draft.ts";

/** The stream's search, with a preview of its results. */
export function RetrievalTab({ editor }: { editor: StreamDraft }) {
  const { draft, saved, dispatch } = editor;
  const { query, filters, maxResults } = draft.retrieval;
  const { data, error, loading } = useFound(draft.retrieval);
  const before = useFound(saved.retrieval);
  const flash = useFlash([saved.version, draft.retrieval === saved.retrieval]);
  const change = (retrieval: Partial<Retrieval>) => dispatch({ type: "retrieval", retrieval });
  useShown("Research: retrieval preview", {
    total: data?.total ?? null,
    savedTotal: before.data?.total ?? null,
    ...(error && { error: { message: error.message } }),
    ...(data && { interpreted: data.interpreted, first: data.articles.map(({ pmid, title }) => ({ pmid, title })) }),
  });
  return (
    <>
      <section className="panel form" aria-label="Search">
        <div className="query-box" data-flash={flash}>
          <QueryInput
            {...pubmed}
            value={query}
            onChange={(text) => change({ query: text })}
            error={queryError(error)}
          />
        </div>
        <div className="row">
          <FiltersBar filters={filters} onChange={(next) => change({ filters: next })} />
          <span className="spring" />
          <Field
            label="At most"
            type="number"
            min={1}
            max={1000}
            value={maxResults}
            onChange={({ target }) => target.validity.valid && change({ maxResults: target.valueAsNumber })}
          />
        </div>
        <div className="found" aria-live="polite">
          {!error && data && (
            <Found found={data} savedTotal={before.data?.total} maxResults={maxResults} stale={loading} />
          )}
        </div>
      </section>
      <Results label="First articles" title="First articles" busy={loading}>
        {!data && !error && <Loading />}
        {data && data.total > 0 && <ArticleTable label="First articles" articles={data.articles} stale={loading} />}
        {data?.total === 0 && (
          <State
            title="Nothing found"
            text="No article in the library fits."
            ask="Why does this search find nothing?"
          />
        )}
      </Results>
    </>
  );
}

interface FoundProps {
  found: ArticleResults;
  /** How many articles the saved search finds. */
  savedTotal: number | undefined;
  maxResults: number;
  stale: boolean;
}

function Found({ found: { total, interpreted }, savedTotal, maxResults, stale }: FoundProps) {
  return (
    <>
      <p>
        <strong className="found-total" data-loading={stale || undefined}>
          {count(total, "article")}
        </strong>
        {savedTotal !== undefined && savedTotal !== total && (
          <span className="muted"> (saved search: {num(savedTotal)})</span>
        )}
        {total > maxResults && <span className="muted">, of which the first {maxResults} are stored</span>}
      </p>
      <details>
        <summary className="small">How it was read</summary>
        <code className="well">{interpreted}</code>
      </details>
    </>
  );
}

function useFound(retrieval: Retrieval) {
  const key = useSettled(JSON.stringify(toSearch({ ...startView(retrieval), pageSize: 8 })));
  return useLoad(key, (signal) => researchApi.searchArticles(JSON.parse(key), signal));
}
