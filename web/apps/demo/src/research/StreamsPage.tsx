import { useDynamicContext, usePageContext } from "@pageside/react";
import { useArrival } from "../shell/arrival.ts";
import { Link, navigate } from "../shell/location.tsx";
import { Button } from "../ui/Button.tsx";
import { Failed, Loading } from "../ui/State.tsx";
import { useLoad } from "../ui/hooks.ts";
import { count, day } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import { PageHead } from "./parts.tsx";
import { paths } from "./routes.ts";
import { ArticleTable } from "./tables.tsx";

/** All streams, and what is newest in the library. */
export function StreamsPage() {
  const { data: streams, error, reload } = useLoad("streams", researchApi.streams);
  const newest = useLoad("newest", loadNewest);
  usePageContext({ page: "streams", description: "Address in Research" });
  useDynamicContext({
    description: "Research: streams",
    source: "Research",
    value: {
      streams: streams?.map(({ id, name, articles }) => ({ id, name, articles })) ?? [],
      newestArticles: newest.data?.map(({ pmid, title, date }) => ({ pmid, title, date })) ?? [],
    },
    items: streams ?? [],
  });
  useArrival(streams !== undefined && !newest.loading);
  return (
    <>
      <PageHead
        title="Research streams"
        text="A stream is a question that is kept up to date: what to find, and what to read out of it."
      >
        <Button kind="primary" icon="plus" onClick={() => void makeStream()}>
          New stream
        </Button>
      </PageHead>
      {!streams && (
        <div className="panel">
          {error ? <Failed what="list of streams" error={error} retry={reload} /> : <Loading />}
        </div>
      )}
      <ul className="stream-list">
        {streams?.map(({ id, name, purpose, articles, updatedAt }) => (
          <li key={id} className="panel stream-card">
            <h2>
              <Link href={paths.stream(id)} className="stream-name">
                {name}
              </Link>
            </h2>
            <p className="muted">{purpose}</p>
            <p className="row">
              <strong>{count(articles, "article")}</strong>
              <span className="muted">changed {day(updatedAt)}</span>
              <span className="spring" />
              <Link href={paths.stream(id, "execute")} className="quiet-link">
                Run
              </Link>
            </p>
          </li>
        ))}
      </ul>
      <h2 className="list-head">Newest articles</h2>
      <section className="panel results-panel" aria-label="Newest articles" aria-busy={newest.loading}>
        {newest.error && <Failed what="list of articles" error={newest.error} retry={newest.reload} />}
        {!newest.data && !newest.error && <Loading />}
        {newest.data && <ArticleTable label="Newest articles" articles={newest.data} />}
      </section>
    </>
  );
}

const NEWEST = { query: "", filters: {}, sort: "date", dir: "desc", page: 1, pageSize: 10 } as const;

const loadNewest = async (signal: AbortSignal) => (await researchApi.searchArticles(NEWEST, signal)).articles;

/** Everything is filled in on its page, with the assistant's help. */
async function makeStream(): Promise<void> {
  const { id } = await researchApi.createStream({
    name: "New stream",
    purpose: "",
    schema: { fields: [] },
    retrieval: { query: "", filters: {}, maxResults: 200 },
    columns: [],
  });
  navigate(paths.stream(id));
}
