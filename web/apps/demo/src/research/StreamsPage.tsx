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

/** All streams. */
export function StreamsPage() {
  const { data: streams, error, reload } = useLoad("streams", researchApi.streams);
  usePageContext({ page: "streams", description: "Address in Research" });
  useDynamicContext({
    description: "Research: streams",
    source: "Research",
    value: { streams: streams?.map(({ id, name, articles }) => ({ id, name, articles })) ?? [] },
    items: streams ?? [],
  });
  useArrival(streams !== undefined);
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
    </>
  );
}

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
