import { useState } from "react";
import { useHref } from "../shell/location.tsx";
import { Button } from "../ui/Button.tsx";
import { PageState } from "../ui/State.tsx";
import { useLoad } from "../ui/hooks.ts";
import { researchApi } from "./api.ts";
import { ExecuteTab } from "./ExecuteTab.tsx";
import { PageHead, Tabs, usePlace, useShown } from "./parts.tsx";
import { RetrievalTab } from "./RetrievalTab.tsx";
import { paths, searchOf, type StreamTab } from "./routes.ts";
import { SemanticTab } from "./SemanticTab.tsx";
import { StreamCards } from "./StreamCards.tsx";
import type { Stream } from "./types.ts";
import { useStreamDraft, type StreamDraft } from "./use-stream-draft.ts";

interface StreamPageProps {
  id: string;
  tab: StreamTab;
  workbench: boolean;
}

/** One stream: its schema, its search, and its results. */
export function StreamPage(props: StreamPageProps) {
  const { data: stream, error, reload } = useLoad(props.id, (signal) => researchApi.stream(props.id, signal));
  if (error || !stream) return <PageState what="stream" error={error} retry={reload} />;
  return <LoadedStream {...props} stream={stream} />;
}

function LoadedStream({ id, tab, workbench, stream }: StreamPageProps & { stream: Stream }) {
  const editor = useStreamDraft(stream);
  const { draft } = editor;
  const search = useExecuteSearch(tab);
  useShown("Research: stream", streamContext(editor));
  // The Execute tab reports that it is ready itself, because it waits for a result.
  usePlace(
    { page: "edit_research_stream", tab, ...(workbench && { subtab: "workbench" }), scope: { stream: id } },
    tab !== "execute",
  );
  return (
    <>
      <PageHead
        title={draft.name.trim() || "Stream without a name"}
        crumb={{ label: "Streams", href: paths.streams() }}
      >
        <SaveBar {...editor} />
      </PageHead>
      <Tabs
        label="Stream"
        tabs={[
          {
            label: "Semantic",
            href: paths.stream(id, "semantic"),
            current: tab === "semantic",
            count: draft.schema.fields.length,
          },
          { label: "Retrieval", href: paths.stream(id, "retrieval"), current: tab === "retrieval" },
          { label: "Execute", href: paths.stream(id, "execute", workbench) + search, current: tab === "execute" },
        ]}
      />
      <StreamCards editor={editor} search={search} workbench={workbench} />
      {tab === "semantic" && <SemanticTab editor={editor} />}
      {tab === "retrieval" && <RetrievalTab editor={editor} />}
      {tab === "execute" && <ExecuteTab editor={editor} workbench={workbench} />}
    </>
  );
}

/** The search of the Execute tab, also while another tab is shown. */
function useExecuteSearch(tab: StreamTab): string {
  const here = searchOf(useHref());
  const [latest, setLatest] = useState(here);
  if (tab === "execute" && latest !== here) setLatest(here);
  return tab === "execute" ? here : latest;
}

function streamContext({ draft, dirty, problems }: StreamDraft) {
  const { updatedAt: _updatedAt, ...stream } = draft;
  return { ...stream, dirty, ...(problems.size > 0 && { problems: [...problems.values()] }) };
}

function SaveBar({ dirty, problems, status, error, save, discard, takeTheirs }: StreamDraft) {
  const bad = status === "conflict" ? "Somebody else changed this stream." : status === "failed" && error;
  const saving = status === "saving";
  return (
    <div className="row" aria-live="polite">
      {bad ? <span className="bad">{bad}</span> : dirty && <span className="muted">Unsaved changes</span>}
      {status === "conflict" && <Button onClick={() => void takeTheirs()}>Load their version</Button>}
      {dirty && status !== "conflict" && (
        <>
          <Button disabled={saving} onClick={discard}>
            Discard
          </Button>
          <Button
            kind="primary"
            disabled={saving || problems.size > 0}
            title={[...problems.values()][0]}
            onClick={() => void save()}
          >
            Save
          </Button>
        </>
      )}
    </div>
  );
}
