/**
 * The first text's examples, as printed but for the functions of the application. Where a line says
 * `strict`, its types need it from the example's author: no package's types could.
 */
import { useState } from "react";
import {
  useAssistant,
  useAssistantAction,
  useAssistantAdditionalContext,
  useAssistantSuggestions,
  useChatSuggestions,
  useDynamicContext,
  usePageContext,
  type ContextProviderSetup,
  type ContextProviderStart,
} from "@osd/context-provider";
import {
  EuiCode,
  EuiFlexGroup,
  EuiFlexItem,
  EuiPanel,
  EuiSpacer,
  EuiText,
  dispatch,
  loadQueryActionCreator,
  refreshData,
  services,
  setEditorTextWithQuery,
  type PPLExecuteQueryArgs,
  type Row,
} from "./application.js";

export class YourPlugin {
  public setup(_core: object, deps: { contextProvider: ContextProviderSetup }) {
    deps.contextProvider.registerPlugin({
      id: "your-plugin",
      name: "Your Plugin Name",
      capabilities: ["context", "tools", "prompts", "suggestions"],
    });
  }

  public start(_core: object, _deps: { contextProvider: ContextProviderStart }) {
    return {};
  }
}

export function MyApp() {
  usePageContext();

  return <div>Your App UI...</div>;
}

export function DiscoverApp() {
  usePageContext({
    description: "Discover page context",
    convert: (urlState) => {
      const appState = urlState._a ? JSON.parse(urlState._a) : {};
      const globalState = urlState._g ? JSON.parse(urlState._g) : {};

      return {
        query: appState.query || { query: "", language: "kuery" },
        filters: globalState.filters || [],
        timeRange: globalState.time || { from: "now-15m", to: "now" },
      };
    },
  });

  return <div>Discover UI...</div>;
}

export function DescribedApp() {
  usePageContext("Discover page context", (urlState) => ({ state: urlState._a }));
  return null;
}

export function DataTable() {
  const [selectedRows, setSelectedRows] = useState<Row[]>([]); // strict: else it holds never
  const [expandedItems, setExpandedItems] = useState(new Set());

  useDynamicContext({
    description: "Currently selected table rows",
    value: selectedRows.map((row) => ({ id: row.id, name: row.name })),
  });

  useDynamicContext({
    description: "Expanded items that user is examining",
    value: Array.from(expandedItems),
  });

  return (
    <div>
      <button onClick={() => setSelectedRows([{ id: "7", name: "seven" }])}>Select</button>
      <button onClick={() => setExpandedItems(new Set(["7"]))}>Expand</button>
    </div>
  );
}

export function SelectedData() {
  const [selectedData] = useState<Row[]>([{ id: "7", name: "seven" }]);

  useDynamicContext({
    description: "Data that user has selected for analysis",
    value: selectedData,
    label: "@selected-data",
    auto: false,
  });

  return <div>Your UI...</div>;
}

export function useRefreshTool() {
  useAssistantAction({
    name: "refresh_data",
    description: "Refresh the current data display",
    parameters: { type: "object", properties: {} },
    handler: async () => {
      await refreshData();
      return {
        success: true,
        message: "Data refreshed successfully",
      };
    },
  });
}

export function RefreshTool() {
  useRefreshTool();
  return null;
}

export function ExecuteQuery() {
  useAssistantAction<PPLExecuteQueryArgs>({
    name: "execute_ppl_query",
    description: "Update the query bar with a PPL query and optionally execute it",
    parameters: {
      type: "object",
      properties: {
        query: {
          type: "string",
          description: "The PPL query to set in the query bar",
        },
        autoExecute: {
          type: "boolean",
          description: "Whether to automatically execute the query (default: true)",
        },
        description: {
          type: "string",
          description: "Optional description of what the query does",
        },
      },
      required: ["query"],
    },
    handler: async (args) => {
      try {
        const shouldExecute = args.autoExecute !== false;

        if (shouldExecute) {
          dispatch(loadQueryActionCreator(services, setEditorTextWithQuery, args.query));
          return {
            success: true,
            executed: true,
            query: args.query,
            message: "Query updated and executed",
          };
        } else {
          setEditorTextWithQuery(args.query);
          return {
            success: true,
            executed: false,
            query: args.query,
            message: "Query updated",
          };
        }
      } catch (error) {
        return {
          success: false,
          error: error instanceof Error ? error.message : "Unknown error",
          query: args.query,
        };
      }
    },
    render: ({ status, args, result }) => {
      if (!args) return null;

      const getStatusColor = () => {
        if (status === "failed" || (result && !result.success)) return "danger";
        if (status === "complete" && result?.executed) return "success";
        if (status === "complete") return "primary";
        return "subdued";
      };

      const getStatusIcon = () => {
        if (status === "failed" || (result && !result.success)) return "✗";
        if (status === "executing") return "⟳";
        return "✓";
      };

      return (
        <EuiPanel paddingSize="s" color={getStatusColor()}>
          <EuiFlexGroup alignItems="center" gutterSize="s">
            <EuiFlexItem grow={false}>
              <EuiText size="s">
                <strong>{getStatusIcon()}</strong>
              </EuiText>
            </EuiFlexItem>
            <EuiFlexItem>
              <EuiText size="s">
                {status === "executing" && "Updating query..."}
                {status === "complete" && result?.message}
                {status === "failed" && (result?.error || "Failed to update query")}
              </EuiText>
            </EuiFlexItem>
          </EuiFlexGroup>
          {args.description && (
            <>
              <EuiSpacer size="xs" />
              <EuiText size="xs" color="subdued">
                {args.description}
              </EuiText>
            </>
          )}
          <EuiSpacer size="xs" />
          <EuiText size="xs">
            <EuiCode transparentBackground>{args.query}</EuiCode>
          </EuiText>
        </EuiPanel>
      );
    },
  });
  return null;
}

export function Prompts() {
  const { sendMessage, registerCommands } = useAssistant();

  registerCommands([
    {
      command: "/analyze",
      description: "Analyze current data",
      prompt: "Analyze the current data and show key insights",
    },
    {
      command: "/help",
      description: "Get help",
      prompt: "Show me what I can do in this application",
    },
  ]);

  const handleAnalyze = () => {
    sendMessage("Analyze the current data and show key insights");
  };

  return <button onClick={handleAnalyze}>Analyze</button>;
}

export function Background() {
  useAssistantAdditionalContext({
    instructions: "This application can export data to CSV and JSON formats.",
  });
  return null;
}

export function ConditionalBackground() {
  const [showDocument, setShowDocument] = useState(false);
  useAssistantAdditionalContext({
    available: showDocument ? "true" : "false",
    instructions: "Users can create visualizations and apply filters.",
  });
  return <button onClick={() => setShowDocument(true)}>Show</button>;
}

export function Employees() {
  const [employees] = useState(["Ann"]);

  useAssistantSuggestions({
    instructions: `The following employees are available: ${JSON.stringify(employees)}. Suggest relevant actions.`,
  });
  return null;
}

export function Selection({ hasData, selectedItems }: { hasData: boolean; selectedItems: string[] }) {
  useChatSuggestions(
    {
      instructions: `
        Current state: ${hasData ? "data loaded" : "no data"}
        Selected items: ${selectedItems.length}
        Suggest the most relevant next actions.
      `,
    },
    [hasData, selectedItems],
  );
  return null;
}
