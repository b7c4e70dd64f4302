import { useDynamicContext } from "@pageside/react";
import { researchApi } from "../api.ts";
import type { StreamDraft } from "../state/use-stream-draft.ts";
import { useFlash } from "../state/use-flash.ts";
import { useLoad } from "../state/use-load.ts";
import { useSettled } from "../state/use-settled.ts";
import { startView, toSearch } from "../state/article-view.ts";
import { ArticleTable } from "../ui/ArticleTable.tsx";
import { Field } from "../ui/Field.tsx";
import { FiltersBar } from "../ui/FiltersBar.tsx";
import { QueryInput } from "../ui/QueryInput.tsx";
import { Empty, RowsSkeleton } from "../ui/States.tsx";
import { count } from "../ui/text.ts";

/** The stream's search, with what it finds while it is written. */
export function RetrievalTab({ editor }: { editor: StreamDraft }) {
  const { draft, saved, dispatch } = editor;
  const { query, filters, maxResults } = draft.retrieval;
  const found = useFound(query, JSON.stringify(filters));
  const before = useFound(saved.retrieval.query, JSON.stringify(saved.retrieval.filters));
  const flash = useFlash([saved.version, draft.retrieval === saved.retrieval]);
  const { data, error, loading } = found;
  useDynamicContext({
    description: "Research: retrieval preview",
    source: "Research",
    value: {
      total: data?.total ?? null,
      savedTotal: before.data?.total ?? null,
      ...(error && { error: { message: error.message } }),
      ...(data && { interpreted: data.interpreted, first: data.articles.map(({ pmid, title }) => ({ pmid, title })) }),
    },
  });
  return (
    <>
      <section className="panel form" aria-label="Search">
        <div className="form-field">
          <span className="label-like">Query</span>
          <QueryInput
            value={query}
            onChange={(text) => dispatch({ type: "retrieval", retrieval: { query: text } })}
            error={error}
            flash={flash}
          />
        </div>
        <div className="retrieval-row">
          <FiltersBar
            filters={filters}
            onChange={(next) => dispatch({ type: "retrieval", retrieval: { filters: next } })}
          />
          <Field label="At most">
            {(props) => (
              <input
                {...props}
                type="number"
                className="input number"
                min={1}
                max={1000}
                value={maxResults}
                onChange={({ target }) => {
                  const value = Math.round(Number(target.value));
                  if (value >= 1 && value <= 1000) dispatch({ type: "retrieval", retrieval: { maxResults: value } });
                }}
              />
            )}
          </Field>
        </div>
        <div className="found" aria-live="polite">
          {!error && data && (
            <p>
              <strong className="found-total" data-loading={loading || undefined}>
                {count(data.total, "article")}
              </strong>
              {before.data && before.data.total !== data.total && (
                <span className="muted"> (saved search: {before.data.total.toLocaleString("en")})</span>
              )}
              {data.total > maxResults && <span className="muted">, of which the first {maxResults} are kept</span>}
            </p>
          )}
          {!error && data?.interpreted && (
            <details className="interpreted">
              <summary>How it was read</summary>
              <code>{data.interpreted}</code>
              {data.notes?.map((note) => (
                <p key={note} className="muted">
                  {note}
                </p>
              ))}
            </details>
          )}
        </div>
      </section>
      <section className="panel results-panel" aria-label="First articles" aria-busy={loading}>
        <header className="results-head">
          <h2 className="results-title">First articles</h2>
        </header>
        {data && data.total > 0 && <ArticleTable label="First articles" articles={data.articles} stale={loading} />}
        {!data && !error && <RowsSkeleton rows={5} />}
        {data?.total === 0 && (
          <Empty
            title="Nothing found"
            text="No article in the library fits."
            ask="Why does this search find nothing?"
          />
        )}
      </section>
    </>
  );
}

function useFound(query: string, filters: string) {
  const key = useSettled(JSON.stringify([query, filters]));
  return useLoad(key, (signal) => {
    const [text, kept] = JSON.parse(key) as [string, string];
    const view = startView({ query: text, filters: JSON.parse(kept) as object });
    return researchApi.searchArticles({ ...toSearch(view), pageSize: 8 }, signal);
  });
}
