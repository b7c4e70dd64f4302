import { useDynamicContext, usePageContext } from "@pageside/react";
import { useEffect, useState } from "react";
import { useArrival } from "../../shell/arrival.ts";
import { useHref } from "../../shell/location.ts";
import { Link } from "../../shell/Link.tsx";
import { useTitle } from "../../shell/shell-context.tsx";
import { researchApi } from "../api.ts";
import { StreamCards } from "../assistant/StreamCards.tsx";
import { paths, searchOf, type StreamTab } from "../routes.ts";
import { lastStream } from "../state/last-stream.ts";
import { useLoad } from "../state/use-load.ts";
import { useStreamDraft, type StreamDraft } from "../state/use-stream-draft.ts";
import type { Stream } from "../types.ts";
import { PageState } from "../ui/States.tsx";
import { Tabs } from "../ui/Tabs.tsx";
import { ExecuteTab } from "./ExecuteTab.tsx";
import { RetrievalTab } from "./RetrievalTab.tsx";
import { SemanticTab } from "./SemanticTab.tsx";

interface StreamPageProps {
  id: string;
  tab: StreamTab;
  workbench: boolean;
}

/** One stream: what it reads out of articles, what it finds, and what that is now. */
export function StreamPage(props: StreamPageProps) {
  const { data: stream, error, reload } = useLoad(props.id, (signal) => researchApi.stream(props.id, signal));
  if (error || !stream) return <PageState what="stream" error={error} retry={reload} />;
  return <LoadedStream {...props} stream={stream} />;
}

function LoadedStream({ id, tab, workbench, stream }: StreamPageProps & { stream: Stream }) {
  const editor = useStreamDraft(stream);
  const { draft } = editor;
  const search = useExecuteSearch(tab);
  useEffect(() => lastStream.write(id), [id]);
  useTitle(`${draft.name} · Research`);
  usePageContext({
    page: "edit_research_stream",
    tab,
    ...(workbench && { subtab: "workbench" }),
    scope: { stream: id },
    description: "Address in Research",
  });
  useDynamicContext({ description: "Research: stream", source: "Research", value: streamContext(editor) });
  return (
    <>
      <StreamHead editor={editor} />
      <Tabs
        label="Stream"
        tabs={[
          {
            label: "Semantic",
            href: paths.stream(id, "semantic"),
            current: tab === "semantic",
            count: String(draft.schema.fields.length),
          },
          { label: "Retrieval", href: paths.stream(id, "retrieval"), current: tab === "retrieval" },
          { label: "Execute", href: paths.stream(id, "execute", workbench) + search, current: tab === "execute" },
        ]}
      />
      <StreamCards editor={editor} search={search} workbench={workbench} />
      {tab === "semantic" && <SemanticTab editor={editor} />}
      {tab === "retrieval" && <RetrievalTab editor={editor} />}
      {tab === "execute" && <ExecuteTab editor={editor} workbench={workbench} />}
      <Arrival when={tab !== "execute"} />
    </>
  );
}

/** The Execute tab says itself when it is ready: it has a result to wait for. */
function Arrival({ when }: { when: boolean }) {
  useArrival(when);
  return null;
}

/** The search of the Execute tab, also while another tab is shown. */
function useExecuteSearch(tab: StreamTab): string {
  const here = searchOf(useHref());
  const [kept, setKept] = useState(here);
  if (tab === "execute" && kept !== here) setKept(here);
  return tab === "execute" ? here : kept;
}

function streamContext({ draft, dirty, problems }: StreamDraft): Record<string, unknown> {
  const { id, name, purpose, version, schema, retrieval, columns } = draft;
  return {
    id,
    name,
    purpose,
    version,
    dirty,
    schema,
    retrieval,
    columns: columns.map(({ name, type, criteria }) => ({ name, type, criteria })),
    ...(problems.size > 0 && { problems: [...problems.values()] }),
  };
}

function StreamHead({ editor }: { editor: StreamDraft }) {
  const { draft, dirty, problems, status, error, save, discard, takeTheirs } = editor;
  return (
    <header className="page-head">
      <div>
        <p className="crumbs">
          <Link href={paths.streams()}>Streams</Link>
        </p>
        <h1>{draft.name.trim() || "Stream without a name"}</h1>
      </div>
      <div className="save-bar" aria-live="polite">
        {status === "conflict" && (
          <>
            <span className="save-note" data-bad>
              Somebody else changed this stream.
            </span>
            <button type="button" className="button" onClick={() => void takeTheirs()}>
              Load their version
            </button>
          </>
        )}
        {status === "failed" && (
          <span className="save-note" data-bad role="alert">
            {error}
          </span>
        )}
        {dirty && status !== "conflict" && (
          <>
            {status !== "failed" && <span className="save-note">Unsaved changes</span>}
            <button type="button" className="button" disabled={status === "saving"} onClick={discard}>
              Discard
            </button>
            <button
              type="button"
              className="button button-primary"
              disabled={status === "saving" || problems.size > 0}
              title={[...problems.values()][0]}
              onClick={() => void save()}
            >
              Save
            </button>
          </>
        )}
      </div>
    </header>
  );
}
