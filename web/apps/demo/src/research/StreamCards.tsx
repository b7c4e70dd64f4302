import { useAssistantSnapshot } from "@pageside/react";
import { useEffect, useRef } from "react";
import { navigate } from "../shell/location.tsx";
import { articleReducer, decodeArticleView, encodeArticleView, type ArticleAction } from "./article-view.ts";
import { clean } from "./filters.ts";
import { paths } from "./routes.ts";
import { putColumn } from "./trial-view.ts";
import { useProposal } from "./use-proposal.ts";
import type { StreamDraft } from "./use-stream-draft.ts";

interface StreamCardsProps {
  editor: StreamDraft;
  /** The parameters of the Execute tab. */
  search: string;
  workbench: boolean;
}

/** Applies and undoes the assistant's proposals for a stream. Draws nothing on the page. */
export function StreamCards(props: StreamCardsProps) {
  useReloadAfterTool(props.editor);
  useStreamProposals(props.editor);
  useSearchProposals(props);
  return null;
}

/** What changes the stream itself: its schema and its retrieval. */
function useStreamProposals({ draft: { id, schema, retrieval }, dispatch }: StreamDraft): void {
  useProposal("schema_proposal", {
    acceptLabel: "Change the schema",
    state: schema,
    accept({ proposed_changes }) {
      dispatch({ type: "change-schema", changes: proposed_changes });
      navigate(paths.stream(id, "semantic"));
    },
    restore: (was) => dispatch({ type: "set", schema: was }),
  });
  useProposal("retrieval_proposal", {
    acceptLabel: "Use for the stream",
    state: retrieval,
    accept({ query, filters, maxResults }) {
      const more = { ...(filters && { filters: clean(filters) }), ...(maxResults && { maxResults }) };
      dispatch({ type: "retrieval", retrieval: { query, ...more } });
      navigate(paths.stream(id, "retrieval"));
    },
    restore: (was) => dispatch({ type: "retrieval", retrieval: was }),
  });
}

/** What changes the search of the Execute tab, and the columns of its workbench. */
function useSearchProposals({ editor: { draft, dispatch }, search, workbench }: StreamCardsProps): void {
  const { id, columns, retrieval } = draft;
  const show = (to: string, inWorkbench = workbench) => navigate(paths.stream(id, "execute", inWorkbench) + to);
  const after = (action: ArticleAction) =>
    encodeArticleView(articleReducer(decodeArticleView(search, retrieval), action), retrieval);

  useProposal("query_suggestion", {
    acceptLabel: "Apply query",
    state: search,
    accept: ({ query }) => show(after({ type: "search", query })),
    restore: (was) => show(was),
  });
  useProposal("filter_suggestion", {
    acceptLabel: "Apply filters",
    state: search,
    accept: ({ filters }) => show(after({ type: "search", filters })),
    restore: (was) => show(was),
  });
  useProposal("ai_column_suggestion", {
    acceptLabel: "Add column",
    state: { columns, search },
    accept({ target, filter, name, criteria, type }) {
      if (target === "trials") throw new Error("This column is for trials: open the trials and accept it there.");
      dispatch({ type: "set", columns: putColumn(columns, { name, criteria, type }) });
      show(filter ? after({ type: "set", only: name }) : search, true);
    },
    restore(was) {
      dispatch({ type: "set", columns: was.columns });
      show(was.search, true);
    },
  });
}

/** Reloads the stream after a backend tool has changed it, unless the draft has changes. */
function useReloadAfterTool({ dirty, takeTheirs }: StreamDraft): void {
  const changes = useAssistantSnapshot(
    ({ toolCalls }) =>
      Object.values(toolCalls).filter(({ name, status }) => name === "update_stream_schema" && status === "complete")
        .length,
  );
  const seen = useRef(changes);
  useEffect(() => {
    if (changes > seen.current && !dirty) void takeTheirs();
    seen.current = changes;
  }, [changes, dirty, takeTheirs]);
}
