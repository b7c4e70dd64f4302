import {
  useAssistantAction,
  useAssistantActions,
  useDynamicContext,
  usePageContext,
  useSuggestedAction,
  useTextSelection,
  type DeepPartial,
} from "@pageside/react";
import { useChartPayload } from "../ui/ChartPayload.tsx";
import { panelState, ToolPanel } from "../ui/ToolPanel.tsx";
import { showAlerts } from "./AlertsMenu.tsx";
import { useAlertTools, useClientTool } from "./backend-tools.tsx";
import { queryContext, rowContext, selectionContext, sourceContext } from "./context.ts";
import { useDiscoverPrompts } from "./prompts.ts";
import { SavedQueriesContext, useSavedQueryTool } from "./SavedQueries.tsx";
import {
  addFilter,
  executeQuery,
  exportResults,
  type FilterArgs,
  type Outcome,
  type QueryArgs,
  removeFilter,
  selectSource,
  setTimeRange,
  type TimeArgs,
  type Tool,
  undoChange,
  type UnfilterArgs,
} from "./tools.ts";
import { noteCall, UndoChange } from "./UndoChange.tsx";
import { useDiscover } from "./use-discover.ts";
import { filterOps } from "./view.ts";

/** The label of the ticked rows: what a user writes to mention them. */
export const SELECTED_ROWS = "@selected-rows";

/** Tells the assistant what is on screen, and gives it the page's tools. Draws nothing. */
export function DiscoverAssistant() {
  const { model, snapshot } = useDiscover();
  usePageContext({ page: "discover", description: "Address of Discover" });
  useDynamicContext({
    description: "Discover: query and results",
    value: () => queryContext(model.getSnapshot()),
    source: "Discover",
  });
  useTools();
  useAlertTools();
  useClientTool();
  useSavedQueryTool();
  useDiscoverPrompts();
  useTextSelection({ source: "Discover" });
  useChartPayload();
  useSuggestedAction("open_alerts", showAlerts);
  useSuggestedAction("show_whole_log", () => model.dispatch({ type: "clear-narrowing" }));
  return (
    <>
      <SavedQueriesContext />
      {snapshot.selected.length > 0 && <SelectedRows />}
      {snapshot.detail?.data && (
        <Context description="Discover: open row" value={() => rowContext(model.getSnapshot())} />
      )}
      {snapshot.info && <Context description="Data source" value={() => sourceContext(model.getSnapshot())} />}
    </>
  );
}

/** The ticked rows, sent when mentioned: in brief, with all of them as items. */
function SelectedRows() {
  const { model, snapshot } = useDiscover();
  useDynamicContext({
    description: "Rows selected in the table",
    label: SELECTED_ROWS,
    auto: false,
    source: "Discover",
    value: () => selectionContext(model.getSnapshot()),
    items: snapshot.selected.map(({ fields }) => fields),
  });
  return null;
}

/** Registers a context entry while it is mounted. */
function Context({ description, value }: { description: string; value: () => object | null | undefined }) {
  useDynamicContext({ description, value, source: "Discover" });
  return null;
}

interface PageTool<Args> {
  name: string;
  description: string;
  properties: Record<string, object>;
  /** The properties that may be left out. */
  optional?: string[];
  run: Tool<Args, object>;
  busy: string;
  /** What was set, as code. */
  code(args: DeepPartial<Args>): string | undefined;
}

/**
 * Gives the assistant a tool whose changes belong to the user's turn: the number of questions so
 * far.
 */
function useTool<Args extends object>(tool: PageTool<Args>): void {
  const { name, description, properties, optional = [], run, busy, code } = tool;
  const { model } = useDiscover();
  const { client } = useAssistantActions();
  useAssistantAction<Args, Outcome<object>>({
    name,
    description,
    parameters: {
      type: "object",
      properties,
      required: Object.keys(properties).filter((each) => !optional.includes(each)),
      additionalProperties: false,
    },
    effect: "read", // changes what the page shows, no more
    handler(args, { toolCallId }) {
      const { threadId, messages } = client.getSnapshot();
      const asked = messages.filter((message) => message.role === "user").length;
      const turn = `${threadId}:${asked}`;
      noteCall(turn, toolCallId);
      return run(model, args, turn);
    },
    render: ({ args, ...call }) => (
      <ToolPanel
        {...panelState(call, { busy, failed: "It failed" })}
        description={args && "description" in args ? String(args.description) : undefined}
        code={args && code(args as DeepPartial<Args>)}
      >
        <UndoChange model={model} toolCallId={call.toolCallId} />
      </ToolPanel>
    ),
  });
}

function useTools(): void {
  useTool<QueryArgs>({
    name: "execute_ppl_query",
    description:
      "Update Discover's query bar with a PPL query and, unless autoExecute is false, run it. " +
      "Filters and time range of the page stay and apply to it. Answers with the first 20 rows of the result.",
    properties: {
      query: { type: "string", description: "The PPL query to set in the query bar" },
      autoExecute: { type: "boolean", description: "Whether to run the query at once (default: true)" },
      description: { type: "string", description: "What the query does, in a few words for the user" },
    },
    optional: ["autoExecute", "description"],
    run: executeQuery,
    busy: "Updating query…",
    code: ({ query }) => query,
  });
  useTool<TimeArgs>({
    name: "set_time_range",
    description: "Set Discover's time range and run the query again. Query and filters stay.",
    properties: {
      from: { type: "string", description: 'Start, ISO 8601 in UTC, or "all" for the start of the log' },
      to: { type: "string", description: 'End (included), ISO 8601 in UTC, or "all" for the end of the log' },
      label: { type: "string", description: 'A short name for the range, for instance "Peak hour"' },
    },
    optional: ["label"],
    run: setTimeRange,
    busy: "Setting time range…",
    code: ({ from, to }) => from && to && `${from} – ${to}`,
  });
  useTool<FilterArgs>({
    name: "add_filter",
    description: "Add a filter to Discover and run the query again. Query and time range stay.",
    properties: {
      field: { type: "string", description: "A field of the data source" },
      op: { type: "string", enum: [...filterOps] },
      value: { type: ["string", "number"] },
    },
    run: addFilter,
    busy: "Adding filter…",
    code: ({ field, op, value }) => [field, op, value].filter((part) => part !== undefined).join(" "),
  });
  useTool<UnfilterArgs>({
    name: "remove_filter",
    description: "Remove the filters of Discover that are like this, or all of them, and run the query again.",
    properties: {
      field: { type: "string", description: "A field of the data source; without any argument all filters go" },
      op: { type: "string", enum: [...filterOps] },
      value: { type: ["string", "number"] },
    },
    optional: ["field", "op", "value"],
    run: removeFilter,
    busy: "Removing filter…",
    code: ({ field, op, value }) => [field, op, value].filter((part) => part !== undefined).join(" ") || undefined,
  });
  useTool<{ source: string }>({
    name: "select_data_source",
    description: "Show another data source in Discover. Its filters and columns are other ones: those of the page go.",
    properties: { source: { type: "string", description: "Its name, as the context Data source has it" } },
    run: selectSource,
    busy: "Changing the data source…",
    code: ({ source }) => source,
  });
  useTool<object>({
    name: "undo_change",
    description: "Take back the assistant's last change of the query, the time range and the filters.",
    properties: {},
    run: undoChange,
    busy: "Undoing…",
    code: () => undefined,
  });
  useTool<{ format: string }>({
    name: "export_results",
    description: "Save the rows that are on the page as a file, which the user's browser downloads.",
    properties: { format: { type: "string", enum: ["csv"] } },
    run: exportResults,
    busy: "Saving…",
    code: () => undefined,
  });
}
