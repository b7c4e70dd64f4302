/**
 * Folding of what an answer in text does not have: tool calls, snapshots, cards and shared state.
 */
import type { ActivityMessage, AssistantMessage, ToolCall, ToolMessage } from "@ag-ui/core";
import { compact } from "../base/values.js";
import type { AgUiEvent, EventOf } from "./events.js";
import { replaceAt, update, upsert, withMetadata, withoutNullTag, type Transcript } from "./fold.js";
import { applyPatch, deepEqual } from "./patch.js";
import type { Message } from "../thread/types.js";

export function foldRare<T extends Transcript>(transcript: T, event: AgUiEvent): T {
  if (event.type === "STATE_SNAPSHOT") return { ...transcript, state: event.snapshot };
  if (event.type === "STATE_DELTA") return withPatchedState(transcript, event);
  const messages = foldMessages(transcript.messages, event);
  return messages === transcript.messages ? transcript : { ...transcript, messages };
}

function foldMessages(messages: readonly Message[], event: AgUiEvent): readonly Message[] {
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
    case "MESSAGES_SNAPSHOT":
      return reconcile(messages, event);
    case "ACTIVITY_SNAPSHOT":
      return foldActivity(messages, event);
    case "ACTIVITY_DELTA":
      return update(messages, event.messageId, (message) =>
        message.role === "activity" ? patchActivity(withMetadata(message, event), event) : message,
      );
    case "REASONING_ENCRYPTED_VALUE":
      return foldEncryptedValue(messages, event);
    default:
      return messages;
  }
}

function withPatchedState<T extends Transcript>(transcript: T, event: EventOf<"STATE_DELTA">): T {
  try {
    return { ...transcript, state: applyPatch(transcript.state, event.delta) };
  } catch {
    // as the stock client does: a patch that does not fit is no reason to lose the run
    return transcript;
  }
}

function foldActivity(messages: readonly Message[], event: EventOf<"ACTIVITY_SNAPSHOT">): readonly Message[] {
  const { messageId: id, activityType, content, subagentRunId, replace = true } = event;
  const fresh = compact<ActivityMessage>({ id, role: "activity", activityType, content, subagentRunId });
  return upsert(messages, fresh, event, (message) => {
    if (message.role !== "activity") return replace ? withMetadata(fresh, event) : message;
    return withMetadata(replace ? compact({ ...fresh, metadata: message.metadata }) : message, event);
  });
}

function patchActivity(message: ActivityMessage, event: EventOf<"ACTIVITY_DELTA">): ActivityMessage {
  try {
    const content = applyPatch(message.content, event.patch) as ActivityMessage["content"];
    return { ...message, content, activityType: event.activityType };
  } catch {
    return message;
  }
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

/**
 * Reconciles by id: known messages keep their place, the others are dropped, except those no server
 * keeps.
 */
function reconcile(messages: readonly Message[], event: EventOf<"MESSAGES_SNAPSHOT">): readonly Message[] {
  const snapshot = new Map(event.messages.map((message) => [message.id, withoutNullTag(message)]));
  const owned = ownedActivityTypes(event);
  const hasActivity = event.messages.some(({ role }) => role === "activity");
  const hasReasoning = event.messages.some(({ role }) => role === "reasoning");
  const isKept = (message: Message): boolean => {
    if (message.role === "reasoning") return !hasReasoning;
    if (message.role !== "activity" || owned === null) return false;
    return owned ? !owned.includes(message.activityType) : !hasActivity;
  };
  const known = messages
    .filter((message) => snapshot.has(message.id) || isKept(message))
    .map((message) => {
      const given = snapshot.get(message.id) ?? message;
      return deepEqual(message, given) ? message : given;
    });
  const ids = new Set(known.map(({ id }) => id));
  return [...known, ...[...snapshot.values()].filter(({ id }) => !ids.has(id))];
}

/**
 * Which activities the snapshot is complete for: null all types, undefined "those it carries". A
 * convention of the stock client.
 */
function ownedActivityTypes({ metadata }: EventOf<"MESSAGES_SNAPSHOT">): string[] | null | undefined {
  const declared: unknown = metadata?.["@ag-ui/client"];
  if (declared === undefined) return undefined;
  if (typeof declared !== "object" || declared === null || Array.isArray(declared)) return [];
  const { authoritativeActivityTypes: types } = declared as { authoritativeActivityTypes?: unknown };
  if (types === null || types === undefined) return types;
  return Array.isArray(types) && types.every((type) => typeof type === "string") ? types : [];
}

// ---------------------------------------------------------------- tool calls

/**
 * Puts a result behind the message that made the call, after the results that are already there.
 */
export function insertToolMessage(messages: readonly Message[], result: ToolMessage): readonly Message[] {
  const owner = messages.findIndex((message) => message.role === "assistant" && hasCall(message, result.toolCallId));
  if (owner < 0) return [...messages, result];
  let at = owner + 1;
  while (messages[at]?.role === "tool") at++;
  return [...messages.slice(0, at), result, ...messages.slice(at)];
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

/** The tool calls of a message; none where it is no assistant message. */
export function toolCallsOf(message: Message): readonly ToolCall[] {
  return (message as AssistantMessage).toolCalls ?? [];
}

function hasCall(message: Message, id: string): boolean {
  return toolCallsOf(message).some((call) => call.id === id);
}
