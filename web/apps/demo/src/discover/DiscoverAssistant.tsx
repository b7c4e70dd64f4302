import {
  useAssistantAction,
  useAssistantActions,
  useDynamicContext,
  usePageContext,
  useSuggestedAction,
  useTextSelection,
  type DeepPartial,
  type DynamicContext,
} from "@pageside/react";
import { Button } from "../ui/Button.tsx";
import { useChartPayload } from "../ui/ChartPayload.tsx";
import { useStore } from "../ui/store.ts";
import { panelState, ToolPanel } from "../ui/ToolPanel.tsx";
import { showAlerts } from "./AlertsMenu.tsx";
import { useAlertTools, useClientTool } from "./backend-tools.tsx";
import { queryContext, rowContext, selectionContext, sourceContext } from "./context.ts";
import type { Discover, Snapshot } from "./discover.ts";
import { useDiscoverPrompts } from "./prompts.ts";
import type { ChangeEnd } from "./reducer.ts";
import { savedQueries, useSavedQueryTool } from "./SavedQueries.tsx";
import * as tools from "./tools.ts";
import { useDiscover } from "./use-discover.ts";
import { filterOps } from "./view.ts";

/** The label of the ticked rows: what a user writes to mention them. */
export const SELECTED_ROWS = "@selected-rows";

/** Tells the assistant what is on screen, and gives it the page's tools. Draws nothing. */
export function DiscoverAssistant() {
  const { model, snapshot } = useDiscover();
  const { selected, detail, info } = snapshot;
  const { list: saved } = useStore(savedQueries);
  usePageContext({ page: "discover", description: "Address of Discover" });
  useTools();
  useAlertTools();
  useClientTool();
  useSavedQueryTool();
  useDiscoverPrompts();
  useTextSelection({ source: "Discover" });
  useChartPayload();
  useSuggestedAction("open_alerts", showAlerts);
  useSuggestedAction("show_whole_log", () => model.dispatch({ type: "clear-narrowing" }));
  const told = (make: (snapshot: Snapshot) => object | null) => () => make(model.getSnapshot());
  return (
    <>
      <Context description="Discover: query and results" value={told(queryContext)} />
      {saved.length > 0 && (
        <Context description="Discover: saved queries" value={saved.map(({ name, query }) => ({ name, query }))} />
      )}
      {selected.length > 0 && (
        <Context
          description="Rows selected in the table"
          label={SELECTED_ROWS}
          auto={false} // sent when mentioned: in brief, with all of them as items
          value={told(selectionContext)}
          items={selected.map(({ fields }) => fields)}
        />
      )}
      {detail?.data && <Context description="Discover: open row" value={told(rowContext)} />}
      {info && <Context description="Data source" value={told(sourceContext)} />}
    </>
  );
}

/** Registers a context entry while it is mounted. */
function Context(entry: DynamicContext) {
  useDynamicContext({ source: "Discover", ...entry });
  return null;
}

interface PageTool<Args> {
  name: string;
  description: string;
  properties: Record<string, object>;
  /** The properties that may be left out. */
  optional?: string[];
  run: tools.Tool<Args>;
  busy: string;
  /** What was set, as code. */
  code?(args: DeepPartial<Args>): string | undefined;
}

/**
 * Gives the assistant a tool whose changes belong to the user's turn: the number of questions so
 * far.
 */
function useTool<Args extends object>(tool: PageTool<Args>): void {
  const { properties, optional = [], run, busy, code, ...rest } = tool;
  const { model } = useDiscover();
  const { client } = useAssistantActions();
  useAssistantAction<Args, tools.Outcome>({
    ...rest,
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
      newestCalls.set(turn, toolCallId);
      return run(model, args, turn);
    },
    render: ({ args, ...call }) => (
      <ToolPanel
        {...panelState(call, { busy, failed: "It failed" })}
        description={args && "description" in args ? String(args.description) : undefined}
        code={args && code?.(args as DeepPartial<Args>)}
      >
        <UndoChange model={model} toolCallId={call.toolCallId} />
      </ToolPanel>
    ),
  });
}

/** The newest call of each turn: its receipt offers to undo what the turn changed. */
const newestCalls = new Map<string, string>();

const WORDS: Record<ChangeEnd, string> = {
  undone: "Undone",
  "changed by the user": "You have changed the page since, so this cannot be undone",
  "followed by another": "The assistant has changed the page since, so this cannot be undone",
};

/**
 * On the receipt of the last call of a turn: undoes what the assistant changed in it, or says why
 * that is no longer possible.
 */
function UndoChange({ model, toolCallId }: { model: Discover; toolCallId: string }) {
  const { change, ended } = useStore(model);
  const turn = [...newestCalls].find(([, newest]) => newest === toolCallId)?.[0];
  if (turn === undefined) return null;
  if (change?.turn !== turn) return ended[turn] ? <small className="muted">{WORDS[ended[turn]]}</small> : null;
  return (
    <Button
      kind="quiet"
      icon="undo"
      onClick={({ currentTarget }) => {
        currentTarget.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
        model.dispatch({ type: "undo" });
      }}
    >
      Undo
    </Button>
  );
}

const filterCode = (args: Partial<tools.FilterArgs>) =>
  [args.field, args.op, args.value].filter((part) => part !== undefined).join(" ");

const filterProperties = {
  field: { type: "string", description: "A field of the data source" },
  op: { type: "string", enum: [...filterOps] },
  value: { type: ["string", "number"] },
};

function useTools(): void {
  useTool({
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
    run: tools.executeQuery,
    busy: "Updating query…",
    code: ({ query }) => query,
  });
  useTool({
    name: "set_time_range",
    description: "Set Discover's time range and run the query again. Query and filters stay.",
    properties: {
      from: { type: "string", description: 'Start, ISO 8601 in UTC, or "all" for the start of the log' },
      to: { type: "string", description: 'End (included), ISO 8601 in UTC, or "all" for the end of the log' },
      label: { type: "string", description: 'A short name for the range, for instance "Peak hour"' },
    },
    optional: ["label"],
    run: tools.setTimeRange,
    busy: "Setting time range…",
    code: ({ from, to }) => from && to && `${from} – ${to}`,
  });
  useTool({
    name: "add_filter",
    description: "Add a filter to Discover and run the query again. Query and time range stay.",
    properties: filterProperties,
    run: tools.addFilter,
    busy: "Adding filter…",
    code: filterCode,
  });
  useTool({
    name: "remove_filter",
    description: "Remove the filters of Discover that are like this, or all of them, and run the query again.",
    properties: {
      ...filterProperties,
      field: { type: "string", description: "A field of the data source; without any argument all filters go" },
    },
    optional: ["field", "op", "value"],
    run: tools.removeFilter,
    busy: "Removing filter…",
    code: filterCode,
  });
  useTool({
    name: "select_data_source",
    description: "Show another data source in Discover. Its filters and columns are other ones: those of the page go.",
    properties: { source: { type: "string", description: "Its name, as the context Data source has it" } },
    run: tools.selectSource,
    busy: "Changing the data source…",
    code: ({ source }) => source,
  });
  useTool({
    name: "undo_change",
    description: "Take back the assistant's last change of the query, the time range and the filters.",
    properties: {},
    run: tools.undoChange,
    busy: "Undoing…",
  });
  useTool({
    name: "export_results",
    description: "Save the rows that are on the page as a file, which the user's browser downloads.",
    properties: { format: { type: "string", enum: ["csv"] } },
    run: tools.exportResults,
    busy: "Saving…",
  });
}
