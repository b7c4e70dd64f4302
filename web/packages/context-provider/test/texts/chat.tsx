/** The second text's chat window, renderers and test helper, as printed. See `page.tsx`. */
import { useCallback, useState, type ReactNode } from "react";
import { vi as jest } from "vitest";
import {
  AssistantActionContext,
  useAssistantActionContext,
  type AssistantAction,
  type AssistantActionContextValue,
  type ToolDefinition,
} from "./context_provider/public.js";

export type AssistantEvent =
  | { type: "TOOL_CALL_START"; toolCallId: string; toolCallName: string }
  | { type: "TOOL_CALL_ARGS"; toolCallId: string; delta: string }
  | { type: "TOOL_CALL_END"; toolCallId: string };

interface ToolCall {
  id: string;
  name: string;
  args: string;
}

interface ChatWindowProps {
  /** Receives what events are given to, and what starts a conversation. */
  onReady: (handle: (event: AssistantEvent) => void, start: () => void) => void;
  sendMessage: (message: { role: "tool"; content: string; toolCallId: string }) => void;
  runAgent: (input: { tools: ToolDefinition[] }) => void;
}

export function ChatWindow({ onReady, sendMessage, runAgent }: ChatWindowProps) {
  const { getToolDefinitions, executeAction, updateToolCallState, toolCallStates } = useAssistantActionContext();
  const [pendingToolCalls, setPendingToolCalls] = useState<Map<string, ToolCall>>(); // undefined at first, as printed

  const handleToolCallEvents = useCallback(
    (event: AssistantEvent) => {
      switch (event.type) {
        case "TOOL_CALL_START": {
          const toolCallId = event.toolCallId;

          updateToolCallState(toolCallId, {
            id: toolCallId,
            name: event.toolCallName,
            status: "pending",
            timestamp: Date.now(),
          });

          setPendingToolCalls((prev) => {
            const next = new Map(prev);
            next.set(toolCallId, {
              id: toolCallId,
              name: event.toolCallName,
              args: "",
            });
            return next;
          });
          break;
        }

        case "TOOL_CALL_ARGS":
          setPendingToolCalls((prev) => {
            const next = new Map(prev);
            const call = next.get(event.toolCallId);
            if (call) {
              call.args += event.delta;
            }
            return next;
          });
          break;

        case "TOOL_CALL_END": {
          const toolCall = pendingToolCalls?.get(event.toolCallId); // strict: undefined at first
          if (toolCall) {
            handleToolExecution(toolCall);
          }
          break;
        }
      }
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [pendingToolCalls, updateToolCallState],
  );

  const handleToolExecution = async (toolCall: ToolCall) => {
    const args = JSON.parse(toolCall.args);

    updateToolCallState(toolCall.id, {
      status: "executing",
      args,
    });

    try {
      const result = await executeAction(toolCall.name, args);

      updateToolCallState(toolCall.id, {
        status: "complete",
        result,
      });

      sendMessage({
        role: "tool",
        content: JSON.stringify(result),
        toolCallId: toolCall.id,
      });
    } catch (error) {
      updateToolCallState(toolCall.id, {
        status: "failed",
        error,
      });

      sendMessage({
        role: "tool",
        content: JSON.stringify({ error: (error as Error).message }), // strict: what is caught is unknown
        toolCallId: toolCall.id,
      });
    }
  };

  const startConversation = () => {
    const tools = getToolDefinitions();

    runAgent({
      tools,
    });
  };

  onReady(handleToolCallEvents, startConversation);
  return (
    <div>
      {[...toolCallStates.keys()].map((id) => (
        <ToolCallRenderer key={id} toolCallId={id} />
      ))}
    </div>
  );
}

export function ToolCallRenderer({ toolCallId }: { toolCallId: string }) {
  const { toolCallStates, getActionRenderer } = useAssistantActionContext();
  const toolCallState = toolCallStates.get(toolCallId);

  if (!toolCallState) return null;

  const renderer = getActionRenderer(toolCallState.name);
  if (!renderer) return null;

  return (
    <div className="tool-call-render">
      {renderer({
        status: toolCallState.status,
        args: toolCallState.args,
        result: toolCallState.result,
        error: toolCallState.error,
      })}
    </div>
  );
}

export function mockAssistantAction(action: AssistantAction) {
  const executeAction = jest.fn();

  const value = {
    registerAction: jest.fn(),
    unregisterAction: jest.fn(),
    executeAction,
    getToolDefinitions: () => [action],
  };
  const TestWrapper = ({ children }: { children: ReactNode }) => (
    // strict: the text's own type asks for more members than its test gives
    <AssistantActionContext.Provider
      value={value as Partial<AssistantActionContextValue> as AssistantActionContextValue}
    >
      {children}
    </AssistantActionContext.Provider>
  );

  return { TestWrapper, executeAction, value };
}
