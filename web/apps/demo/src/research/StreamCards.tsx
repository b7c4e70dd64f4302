import { useAssistantSnapshot, usePayload } from "@pageside/react";
import { useEffect, useRef } from "react";
import { navigate } from "../shell/location.tsx";
import { articleReducer, decodeArticleView, encodeArticleView, type ArticleAction } from "./article-view.ts";
import { looks } from "./cards.tsx";
import { cleanFilters } from "./filters.ts";
import type {
  ColumnSuggestion,
  FilterSuggestion,
  QuerySuggestion,
  RetrievalProposal,
  SchemaProposal,
} from "./payloads.ts";
import { paths } from "./routes.ts";
import { putColumn } from "./trial-view.ts";
import type { Retrieval, Stream } from "./types.ts";
import { before } from "./undo.ts";
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
  useProposals(props.editor);
  useSearchSuggestions(props);
  useColumnSuggestion(props);
  return null;
}

/** What changes the stream itself: its schema and its retrieval. */
function useProposals({ draft, dispatch }: StreamDraft): void {
  usePayload<SchemaProposal>("schema_proposal", {
    ...looks.schema,
    acceptLabel: "Change the schema",
    accept({ proposed_changes }, id) {
      before.remember(id, draft.schema);
      dispatch({ type: "change-schema", changes: proposed_changes });
      navigate(paths.stream(draft.id, "semantic"));
    },
    undo: (_, id) => dispatch({ type: "set", schema: before.recall<Stream["schema"]>(id) }),
  });

  usePayload<RetrievalProposal>("retrieval_proposal", {
    ...looks.retrieval,
    acceptLabel: "Use for the stream",
    accept({ query, filters, maxResults }, id) {
      before.remember(id, draft.retrieval);
      const more = { ...(filters && { filters: cleanFilters(filters) }), ...(maxResults && { maxResults }) };
      dispatch({ type: "retrieval", retrieval: { query, ...more } });
      navigate(paths.stream(draft.id, "retrieval"));
    },
    undo: (_, id) => dispatch({ type: "retrieval", retrieval: before.recall<Retrieval>(id) }),
  });
}

/** What changes the search of the Execute tab. */
function useSearchSuggestions({ editor: { draft }, search, workbench }: StreamCardsProps): void {
  const change = (action: ArticleAction, id: string) => {
    before.remember(id, { search });
    const next = articleReducer(decodeArticleView(search, draft.retrieval), action);
    navigate(paths.stream(draft.id, "execute", workbench) + encodeArticleView(next, draft.retrieval));
  };
  const undo = (_: unknown, id: string) =>
    navigate(paths.stream(draft.id, "execute", workbench) + before.recall<{ search: string }>(id).search);

  usePayload<QuerySuggestion>("query_suggestion", {
    ...looks.query,
    acceptLabel: "Apply query",
    accept: ({ query }, id) => change({ type: "search", query }, id),
    undo,
  });
  usePayload<FilterSuggestion>("filter_suggestion", {
    ...looks.filter,
    acceptLabel: "Apply filters",
    accept: ({ filters }, id) => change({ type: "search", filters }, id),
    undo,
  });
}

/** Adds a column to the stream, and can show only what matches it. */
function useColumnSuggestion({ editor: { draft, dispatch }, search }: StreamCardsProps): void {
  usePayload<ColumnSuggestion>("ai_column_suggestion", {
    ...looks.column,
    acceptLabel: "Add column",
    accept({ target, filter, name, criteria, type }, id) {
      if (target === "trials") throw new Error("This column is for trials: open the trials and accept it there.");
      before.remember(id, { columns: draft.columns, search });
      dispatch({ type: "set", columns: putColumn(draft.columns, { name, criteria, type }) });
      const view = decodeArticleView(search, draft.retrieval);
      const next = filter ? articleReducer(view, { type: "set", only: name }) : view;
      navigate(paths.stream(draft.id, "execute", true) + encodeArticleView(next, draft.retrieval));
    },
    undo(_, id) {
      const was = before.recall<Pick<Stream, "columns"> & { search: string }>(id);
      dispatch({ type: "set", columns: was.columns });
      navigate(paths.stream(draft.id, "execute", true) + was.search);
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
