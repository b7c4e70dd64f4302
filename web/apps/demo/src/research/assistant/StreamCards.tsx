import { useAssistantSnapshot, usePayload } from "@pageside/react";
import { useEffect, useRef } from "react";
import { navigate } from "../../shell/location.ts";
import { paths } from "../routes.ts";
import { articleReducer, decodeArticleView, encodeArticleView, type ArticleAction } from "../state/article-view.ts";
import { cleanFilters } from "../state/filters.ts";
import { before } from "../state/undo.ts";
import type { StreamDraft } from "../state/use-stream-draft.ts";
import type { Column, Retrieval, SchemaField } from "../types.ts";
import { looks } from "./CardLooks.tsx";
import type {
  ColumnSuggestion,
  FilterSuggestion,
  QuerySuggestion,
  RetrievalProposal,
  SchemaProposal,
} from "./payloads.ts";

interface StreamCardsProps {
  editor: StreamDraft;
  /** The parameters of the Execute tab. */
  search: string;
  workbench: boolean;
}

/**
 * Applies what the assistant proposes for a stream, and takes it back. Draws nothing on the page.
 */
export function StreamCards({ editor, search, workbench }: StreamCardsProps) {
  const { draft, dispatch } = editor;
  useReloadAfterTool(editor);

  usePayload<SchemaProposal>("schema_proposal", {
    ...looks.schema,
    acceptLabel: "Change the schema",
    accept({ proposed_changes }, id) {
      before.remember(id, draft.schema.fields);
      dispatch({ type: "change-schema", changes: proposed_changes });
      navigate(paths.stream(draft.id, "semantic"));
    },
    undo: (_, id) => dispatch({ type: "set-schema", fields: before.recall<SchemaField[]>(id) }),
  });

  usePayload<RetrievalProposal>("retrieval_proposal", {
    ...looks.retrieval,
    acceptLabel: "Use for the stream",
    accept({ query, filters, maxResults }, id) {
      before.remember(id, draft.retrieval);
      const retrieval: Partial<Retrieval> = { query, ...(filters && { filters: cleanFilters(filters) }) };
      dispatch({ type: "retrieval", retrieval: { ...retrieval, ...(maxResults && { maxResults }) } });
      navigate(paths.stream(draft.id, "retrieval"));
    },
    undo: (_, id) => dispatch({ type: "retrieval", retrieval: before.recall<Retrieval>(id) }),
  });

  /** Changes the Execute tab's search, and shows it. */
  const change = (action: ArticleAction, id: string, toWorkbench = workbench) => {
    before.remember(id, { search });
    const next = articleReducer(decodeArticleView(search, draft.retrieval), action);
    navigate(paths.stream(draft.id, "execute", toWorkbench) + encodeArticleView(next, draft.retrieval));
  };
  const changeBack = (_: unknown, id: string) =>
    navigate(paths.stream(draft.id, "execute", workbench) + before.recall<{ search: string }>(id).search);

  usePayload<QuerySuggestion>("query_suggestion", {
    ...looks.query,
    acceptLabel: "Apply query",
    accept: ({ query }, id) => change({ type: "search", query }, id),
    undo: changeBack,
  });
  usePayload<FilterSuggestion>("filter_suggestion", {
    ...looks.filter,
    acceptLabel: "Apply filters",
    accept: ({ filters }, id) => change({ type: "filter", filters }, id),
    undo: changeBack,
  });

  usePayload<ColumnSuggestion>("ai_column_suggestion", {
    ...looks.column,
    acceptLabel: "Add column",
    accept({ target, filter, name, criteria, type, match }, id) {
      if (target === "trials") throw new Error("This column is for trials: open the trials and accept it there.");
      before.remember(id, { columns: draft.columns, search });
      dispatch({ type: "put-column", column: { name, criteria, type, match } });
      const view = decodeArticleView(search, draft.retrieval);
      const next = filter ? articleReducer(view, { type: "only", column: name }) : view;
      navigate(paths.stream(draft.id, "execute", true) + encodeArticleView(next, draft.retrieval));
    },
    undo(_, id) {
      const was = before.recall<{ columns: Column[]; search: string }>(id);
      dispatch({ type: "set-columns", columns: was.columns });
      navigate(paths.stream(draft.id, "execute", true) + was.search);
    },
  });
  return null;
}

/**
 * A tool on the server may have changed the stream: then the page shows that, unless it has changes
 * of its own.
 */
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
