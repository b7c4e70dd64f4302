/** Folds tool calls, their results, and the encrypted values of calls and messages. */
import type { AssistantMessage, ToolCall, ToolMessage } from "@ag-ui/core";
import { compact } from "../base/values.js";
import type { AgUiEvent, EventOf } from "./events.js";
import { hasCall, insertToolMessage, replaceAt, toolCallsOf, update, withMetadata } from "./messages.js";
import type { Message } from "./types.js";

/** Folds an event about a tool call or an encrypted value; others change nothing. */
export function foldToolCalls(messages: readonly Message[], event: AgUiEvent): readonly Message[] {
  switch (event.type) {
    case "TOOL_CALL_START":
      return startToolCall(messages, event);
    case "TOOL_CALL_ARGS":
      return updateToolCall(messages, event.toolCallId, (call) => {
        const { function: called } = call;
        const { delta } = event;
        const longer = delta ? { ...call, function: { ...called, arguments: called.arguments + delta } } : call;
        return withMetadata(longer, event);
      });
    case "TOOL_CALL_END":
      return updateToolCall(messages, event.toolCallId, (call) => withMetadata(call, event));
    case "TOOL_CALL_RESULT": {
      const { messageId: id, toolCallId, content, subagentRunId } = event;
      return insertToolMessage(
        messages,
        withMetadata(compact<ToolMessage>({ id, toolCallId, role: "tool", content, subagentRunId }), event),
      );
    }
    case "REASONING_ENCRYPTED_VALUE":
      return foldEncryptedValue(messages, event);
    default:
      return messages;
  }
}

function startToolCall(messages: readonly Message[], event: EventOf<"TOOL_CALL_START">): readonly Message[] {
  const { toolCallId: id, toolCallName: name, parentMessageId, subagentRunId } = event;
  if (messages.some((message) => hasCall(message, id))) {
    return updateToolCall(messages, id, (call) =>
      withMetadata(call.function.name === name ? call : { ...call, function: { ...call.function, name } }, event),
    );
  }
  const call = withMetadata<ToolCall>({ id, type: "function", function: { name, arguments: "" } }, event);
  const parent = messages.find((message) => message.id === parentMessageId);
  if (parent?.role === "assistant") {
    return update(
      messages,
      parent.id,
      (message) => ({ ...message, toolCalls: [...toolCallsOf(message), call] }) as Message,
    );
  }
  const messageId = parent ? id : parentMessageId || id;
  return [
    ...messages,
    compact<AssistantMessage>({ id: messageId, role: "assistant", toolCalls: [call], subagentRunId }),
  ];
}

function updateToolCall(
  messages: readonly Message[],
  id: string,
  change: (call: ToolCall) => ToolCall,
): readonly Message[] {
  const index = messages.findIndex((message) => hasCall(message, id));
  if (index < 0) return messages;
  const calls = toolCallsOf(messages[index]!);
  const at = calls.findIndex((call) => call.id === id);
  const toolCalls = replaceAt(calls, at, change(calls[at]!));
  return toolCalls === calls ? messages : replaceAt(messages, index, { ...messages[index], toolCalls } as Message);
}

function foldEncryptedValue(
  messages: readonly Message[],
  { subtype, entityId, encryptedValue }: EventOf<"REASONING_ENCRYPTED_VALUE">,
): readonly Message[] {
  if (subtype === "tool-call") return updateToolCall(messages, entityId, (call) => ({ ...call, encryptedValue }));
  return update(messages, entityId, (message) =>
    message.role === "activity" ? message : { ...message, encryptedValue },
  );
}
