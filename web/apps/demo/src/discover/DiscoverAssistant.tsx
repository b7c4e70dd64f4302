import {
  useAssistantAction,
  useAssistantActions,
  useDynamicContext,
  usePageContext,
  useSuggestedAction,
  useTextSelection,
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
  selectSource,
  setTimeRange,
  type FilterArgs,
  type Outcome,
  type QueryArgs,
  type TimeArgs,
  type Tool,
} from "./tools.ts";
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
  useQueryTool();
  useTimeTool();
  useFilterTool();
  useSourceTool();
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

/** The ticked rows, for those who mention them: in brief, with all of them to be asked for. */
function SelectedRows() {
  const { model, snapshot } = useDiscover();
  useDynamicContext({
    // a model knows the label from here
    description: `Rows selected in the table (${SELECTED_ROWS})`,
    label: SELECTED_ROWS,
    auto: false,
    source: "Discover",
    value: () => selectionContext(model.getSnapshot()),
    items: snapshot.selected.map(({ fields }) => fields),
  });
  return null;
}

/** A context entry that is there while it is mounted. */
function Context({ description, value }: { description: string; value: () => unknown }) {
  useDynamicContext({ description, value, source: "Discover" });
  return null;
}

/** Runs a tool of the page in the user's turn, which is named by how many questions were asked. */
function useTool<Args, Done>(tool: Tool<Args, Done>): (args: Args) => Promise<Outcome<Done>> {
  const { model } = useDiscover();
  const { client } = useAssistantActions();
  return (args) => {
    const { threadId, messages } = client.getSnapshot();
    const asked = messages.filter((message) => message.role === "user").length;
    return tool(model, args, `${threadId}:${asked}`);
  };
}

const object = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: "object" as const,
  properties,
  required,
  additionalProperties: false,
});

function useQueryTool(): void {
  useAssistantAction({
    name: "execute_ppl_query",
    description:
      "Update Discover's query bar with a PPL query and, unless autoExecute is false, run it. " +
      "Filters and time range of the page stay and apply to it. Answers with the first 20 rows of the result.",
    parameters: object(
      {
        query: { type: "string", description: "The PPL query to set in the query bar" },
        autoExecute: { type: "boolean", description: "Whether to run the query at once (default: true)" },
        description: { type: "string", description: "What the query does, in a few words for the user" },
      },
      ["query"],
    ),
    handler: useTool<QueryArgs, object>(executeQuery),
    render: (call) => (
      <ToolPanel
        {...panelState(call, { busy: "Updating query…", failed: "Failed to update query" })}
        description={call.args?.description}
        code={call.args?.query}
      />
    ),
  });
}

function useTimeTool(): void {
  useAssistantAction({
    name: "set_time_range",
    description: "Set Discover's time range and run the query again. Query and filters stay.",
    parameters: object(
      {
        from: { type: "string", description: 'Start, ISO 8601 in UTC, or "all" for the start of the log' },
        to: { type: "string", description: 'End (included), ISO 8601 in UTC, or "all" for the end of the log' },
        label: { type: "string", description: 'A short name for the range, for instance "Peak hour"' },
      },
      ["from", "to"],
    ),
    handler: useTool<TimeArgs, object>(setTimeRange),
    render: (call) => (
      <ToolPanel
        {...panelState(call, { busy: "Setting time range…", failed: "Failed to set the time range" })}
        code={call.args?.from && call.args.to && `${call.args.from} – ${call.args.to}`}
      />
    ),
  });
}

function useFilterTool(): void {
  useAssistantAction({
    name: "add_filter",
    description: "Add a filter to Discover and run the query again. Query and time range stay.",
    parameters: object({
      field: { type: "string", description: "A field of the data source" },
      op: { type: "string", enum: [...filterOps] },
      value: { type: ["string", "number"] },
    }),
    handler: useTool<FilterArgs, object>(addFilter),
    render: ({ args, ...call }) => (
      <ToolPanel
        {...panelState(call, { busy: "Adding filter…", failed: "Failed to add the filter" })}
        code={[args?.field, args?.op, args?.value].filter((part) => part !== undefined).join(" ")}
      />
    ),
  });
}

function useSourceTool(): void {
  useAssistantAction({
    name: "select_data_source",
    description: "Show another data source in Discover. Its filters and columns are other ones: those of the page go.",
    parameters: object({ source: { type: "string", description: "Its name, as the context Data source has it" } }),
    handler: useTool<{ source: string }, object>(selectSource),
    render: (call) => (
      <ToolPanel
        {...panelState(call, { busy: "Changing the data source…", failed: "Failed to change the data source" })}
        code={call.args?.source}
      />
    ),
  });
}
