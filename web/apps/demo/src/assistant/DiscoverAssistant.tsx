import {
  PayloadChart,
  useAssistantAction,
  useAssistantActions,
  useDynamicContext,
  usePageContext,
  usePayload,
  useSuggestedAction,
  useTextSelection,
  type PayloadChartProps,
} from "@pageside/react";
import { useDiscover } from "../app/discover-context.ts";
import { queryContext, rowContext, selectionContext, sourceContext } from "../state/context.ts";
import { filterOps } from "../state/view.ts";
import { useAlertTools, useClientTool } from "./backend-tools.tsx";
import { SELECTED_ROWS } from "./labels.ts";
import { useDiscoverPrompts } from "./prompts.ts";
import { SavedQueriesContext, useSavedQueryTool } from "./saved-queries.tsx";
import { ToolPanel, panelState } from "./ToolPanel.tsx";
import {
  addFilter,
  executeQuery,
  selectSource,
  setTimeRange,
  type FilterArgs,
  type Narrowed,
  type QueryArgs,
  type QueryDone,
  type QueryFailure,
  type SourceArgs,
  type SourceDone,
  type TimeArgs,
  type ToolFailure,
} from "./tools.ts";

interface ChartData {
  type?: PayloadChartProps["type"];
  title?: string;
  data?: PayloadChartProps["data"];
  unit?: string;
  /** What is not shown. */
  note?: string;
}

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
  usePayload<ChartData>("chart", {
    title: (data) => data.title ?? "Chart",
    render: ({ data: { type = "bar", data = [], unit, note } }) => (
      <>
        <PayloadChart type={type} data={data} unit={unit} />
        {note && <p className="tool-panel-note">{note}</p>}
      </>
    ),
  });
  useSuggestedAction("open_alerts", () => model.showAlerts());
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

/** The turn a tool call belongs to: how many questions the user has asked. */
function useTurn(): () => string {
  const { client } = useAssistantActions();
  return () => {
    const { threadId, messages } = client.getSnapshot();
    return `${threadId}:${messages.filter((message) => message.role === "user").length}`;
  };
}

function useQueryTool(): void {
  const { model } = useDiscover();
  const turn = useTurn();
  useAssistantAction<QueryArgs, QueryDone | QueryFailure>({
    name: "execute_ppl_query",
    description:
      "Update Discover's query bar with a PPL query and, unless autoExecute is false, run it. " +
      "Filters and time range of the page stay and apply to it. Answers with the first 20 rows of the result.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "The PPL query to set in the query bar" },
        autoExecute: { type: "boolean", description: "Whether to run the query at once (default: true)" },
        description: { type: "string", description: "What the query does, in a few words for the user" },
      },
      required: ["query"],
      additionalProperties: false,
    },
    handler: (args) => executeQuery(model, args, turn()),
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
  const { model } = useDiscover();
  const turn = useTurn();
  useAssistantAction<TimeArgs, Narrowed | ToolFailure>({
    name: "set_time_range",
    description: "Set Discover's time range and run the query again. Query and filters stay.",
    parameters: {
      type: "object",
      properties: {
        from: { type: "string", description: 'Start, ISO 8601 in UTC, or "all" for the start of the log' },
        to: { type: "string", description: 'End (included), ISO 8601 in UTC, or "all" for the end of the log' },
        label: { type: "string", description: 'A short name for the range, for instance "Peak hour"' },
      },
      required: ["from", "to"],
      additionalProperties: false,
    },
    handler: (args) => setTimeRange(model, args, turn()),
    render: (call) => (
      <ToolPanel
        {...panelState(call, { busy: "Setting time range…", failed: "Failed to set the time range" })}
        code={call.args?.from && call.args.to ? `${call.args.from} – ${call.args.to}` : undefined}
      />
    ),
  });
}

function useFilterTool(): void {
  const { model } = useDiscover();
  const turn = useTurn();
  useAssistantAction<FilterArgs, Narrowed | ToolFailure>({
    name: "add_filter",
    description: "Add a filter to Discover and run the query again. Query and time range stay.",
    parameters: {
      type: "object",
      properties: {
        field: { type: "string", description: "A field of the data source" },
        op: { type: "string", enum: [...filterOps] },
        value: { type: ["string", "number"] },
      },
      required: ["field", "op", "value"],
      additionalProperties: false,
    },
    handler: (args) => addFilter(model, args, turn()),
    render: (call) => (
      <ToolPanel
        {...panelState(call, { busy: "Adding filter…", failed: "Failed to add the filter" })}
        code={
          call.args?.field
            ? [call.args.field, call.args.op, call.args.value].filter((x) => x !== undefined).join(" ")
            : undefined
        }
      />
    ),
  });
}

function useSourceTool(): void {
  const { model } = useDiscover();
  const turn = useTurn();
  useAssistantAction<SourceArgs, SourceDone | ToolFailure>({
    name: "select_data_source",
    description: "Show another data source in Discover. Its filters and columns are other ones: those of the page go.",
    parameters: {
      type: "object",
      properties: { source: { type: "string", description: "Its name, as the context Data source has it" } },
      required: ["source"],
      additionalProperties: false,
    },
    handler: (args) => selectSource(model, args, turn()),
    render: (call) => (
      <ToolPanel
        {...panelState(call, { busy: "Changing the data source…", failed: "Failed to change the data source" })}
        code={call.args?.source}
      />
    ),
  });
}
