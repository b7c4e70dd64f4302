import { useDynamicContext, usePageContext } from "@pageside/react";
import { Icon } from "../../components/Icon.tsx";
import { useArrival } from "../../shell/arrival.ts";
import { Link } from "../../shell/Link.tsx";
import { useTitle } from "../../shell/shell-context.tsx";
import { researchApi } from "../api.ts";
import { paths } from "../routes.ts";
import { useLoad } from "../state/use-load.ts";
import type { StreamBrief } from "../types.ts";
import { Empty, Failed, RowsSkeleton } from "../ui/States.tsx";
import { count, day } from "../ui/text.ts";

/** All streams. */
export function StreamsPage() {
  const { data: streams, error, reload } = useLoad("streams", researchApi.streams);
  useTitle("Streams · Research");
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
      <header className="page-head">
        <div>
          <h1>Research streams</h1>
          <p className="muted">
            A stream is a question that is kept up to date: what to find, and what to read out of it.
          </p>
        </div>
        <Link className="button button-primary" href={paths.newStream()}>
          <Icon name="plus" size={15} />
          New stream
        </Link>
      </header>
      {error && (
        <div className="panel">
          <Failed what="list of streams" error={error} retry={reload} />
        </div>
      )}
      {!streams && !error && (
        <div className="panel">
          <RowsSkeleton rows={4} />
        </div>
      )}
      {streams?.length === 0 && (
        <div className="panel">
          <Empty icon="plus" title="No streams yet" text="Make one, or let the assistant write its search." />
        </div>
      )}
      {streams && streams.length > 0 && (
        <ul className="stream-list">
          {streams.map((stream) => (
            <StreamCard key={stream.id} stream={stream} />
          ))}
        </ul>
      )}
    </>
  );
}

function StreamCard({ stream: { id, name, purpose, articles, updatedAt } }: { stream: StreamBrief }) {
  return (
    <li className="panel stream-card">
      <h2>
        <Link href={paths.stream(id)} className="stream-name">
          {name}
        </Link>
      </h2>
      <p className="stream-purpose">{purpose}</p>
      <p className="stream-facts">
        <strong>{count(articles, "article")}</strong>
        <span className="muted">changed {day(updatedAt)}</span>
        <span className="spring" />
        <Link href={paths.stream(id, "execute")} className="quiet-link">
          Run
        </Link>
      </p>
    </li>
  );
}
