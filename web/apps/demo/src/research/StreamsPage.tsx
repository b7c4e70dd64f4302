import { Link, navigate } from "../shell/location.tsx";
import { Button } from "../ui/Button.tsx";
import { useLoad } from "../ui/hooks.ts";
import { count, day } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import { startView, toSearch } from "./article-view.ts";
import { Loaded, PageHead, Results, usePlace, useShown } from "./parts.tsx";
import { paths } from "./routes.ts";
import { ArticleTable } from "./tables.tsx";
import type { StreamBrief } from "./types.ts";

/** All streams, and what is newest in the library. */
export function StreamsPage() {
  const streams = useLoad("streams", researchApi.streams);
  const newest = useLoad("newest", loadNewest);
  useShown(
    "Research: streams",
    {
      streams: streams.data?.map(({ id, name, articles }) => ({ id, name, articles })) ?? [],
      newestArticles: newest.data?.map(({ pmid, title, date }) => ({ pmid, title, date })) ?? [],
    },
    { items: streams.data ?? [] },
  );
  usePlace({ page: "streams" }, streams.data !== undefined && !newest.loading);
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
      {streams.data ? (
        <ul className="tiles">{streams.data.map(StreamCard)}</ul>
      ) : (
        <div className="panel">
          <Loaded what="list of streams" {...streams}>
            {() => null}
          </Loaded>
        </div>
      )}
      <h2>Newest articles</h2>
      <Results label="Newest articles" busy={newest.loading}>
        <Loaded what="list of articles" {...newest}>
          {(articles) => <ArticleTable label="Newest articles" articles={articles} />}
        </Loaded>
      </Results>
    </>
  );
}

const StreamCard = ({ id, name, purpose, articles, updatedAt }: StreamBrief) => (
  <li key={id} className="panel form tight stream-card">
    <h2>
      <Link href={paths.stream(id)}>{name}</Link>
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
);

const NEWEST = toSearch({ ...startView({ query: "", filters: {} }), pageSize: 10 });

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
