/**
 * Folding AG-UI events into messages and state, with the result the stock client (`@ag-ui/client` 1.0) has. Every
 * function is pure: what an event does not touch keeps its identity.
 */
import type { ActivityMessage, AssistantMessage, ToolCall, ToolMessage } from "@ag-ui/core";
import type { AgUiEvent, EventOf } from "./events.js";
import { applyPatch, deepEqual } from "./patch.js";
import type { Message } from "./types.js";

export interface Transcript {
  readonly messages: readonly Message[];
  readonly state: unknown;
}

/** Folds one event that is no chunk. Events that build nothing, and types this client does not know, change nothing. */
export function fold<T extends Transcript>(transcript: T, event: AgUiEvent): T {
  if (event.type === "STATE_SNAPSHOT") return { ...transcript, state: event.snapshot };
  if (event.type === "STATE_DELTA") return withPatchedState(transcript, event);
  const messages = foldMessages(transcript.messages, event);
  return messages === transcript.messages ? transcript : { ...transcript, messages };
}

function foldMessages(messages: readonly Message[], event: AgUiEvent): readonly Message[] {
  switch (event.type) {
    case "RUN_STARTED":
      return withMissing(messages, event.input?.messages);
    case "TEXT_MESSAGE_START":
    case "REASONING_MESSAGE_START": {
      const { messageId: id, name, subagentRunId } = event as EventOf<"TEXT_MESSAGE_START">;
      const role = event.type === "TEXT_MESSAGE_START" ? (event.role ?? "assistant") : "reasoning";
      return upsert(messages, compact({ id, role, content: "", name, subagentRunId }), event, (message) =>
        message.role === "activity" ? message : withMetadata(message, event),
      );
    }
    case "TEXT_MESSAGE_CONTENT":
    case "REASONING_MESSAGE_CONTENT":
      return update(messages, event.messageId, (message) => {
        if (message.role === "activity") return message;
        const content = (typeof message.content === "string" ? message.content : "") + (event.delta ?? "");
        return withMetadata(content === message.content ? message : ({ ...message, content } as Message), event);
      });
    case "TEXT_MESSAGE_END":
    case "REASONING_MESSAGE_END":
      return update(messages, event.messageId, (message) =>
        message.role === "activity" ? message : withMetadata(message, event),
      );
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

/** Puts a result behind the message that made the call, after the results that are already there. */
export function insertToolMessage(messages: readonly Message[], result: ToolMessage): readonly Message[] {
  const owner = messages.findIndex((message) => message.role === "assistant" && hasCall(message, result.toolCallId));
  if (owner < 0) return [...messages, result];
  let at = owner + 1;
  while (messages[at]?.role === "tool") at++;
  return [...messages.slice(0, at), result, ...messages.slice(at)];
}

function withPatchedState<T extends Transcript>(transcript: T, event: EventOf<"STATE_DELTA">): T {
  try {
    return { ...transcript, state: applyPatch(transcript.state, event.delta) };
  } catch {
    return transcript; // as the stock client does: a patch that does not fit is no reason to lose the run
  }
}

function withMissing(messages: readonly Message[], given: readonly Message[] = []): readonly Message[] {
  return given.reduce(
    (all, message) => (all.some(({ id }) => id === message.id) ? all : [...all, withoutNullTag(message)]),
    messages,
  );
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

/** Reconciles by id: known messages keep their place, the others are dropped, except those no server keeps. */
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

/** Which activities the snapshot is complete for: null all types, undefined "those it carries". A convention of the stock client. */
function ownedActivityTypes({ metadata }: EventOf<"MESSAGES_SNAPSHOT">): string[] | null | undefined {
  const declared: unknown = metadata?.["@ag-ui/client"];
  if (declared === undefined) return undefined;
  if (typeof declared !== "object" || declared === null || Array.isArray(declared)) return [];
  const { authoritativeActivityTypes: types } = declared as { authoritativeActivityTypes?: unknown };
  if (types === null || types === undefined) return types;
  return Array.isArray(types) && types.every((type) => typeof type === "string") ? types : [];
}

// ---------------------------------------------------------------- small parts

function update(messages: readonly Message[], id: string, change: (message: Message) => Message): readonly Message[] {
  const index = messages.findIndex((message) => message.id === id);
  return index < 0 ? messages : replaceAt(messages, index, change(messages[index]!));
}

/** Changes the message of that id, or appends a fresh one. */
function upsert(
  messages: readonly Message[],
  fresh: Message,
  event: AgUiEvent,
  change: (message: Message) => Message,
): readonly Message[] {
  if (messages.some(({ id }) => id === fresh.id)) return update(messages, fresh.id, change);
  return [...messages, withMetadata(fresh, event)];
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

function replaceAt<T>(list: readonly T[], index: number, item: T): readonly T[] {
  return list[index] === item ? list : list.with(index, item);
}

/** The tool calls of a message; none where it is no assistant message. */
export function toolCallsOf(message: Message): readonly ToolCall[] {
  return (message as AssistantMessage).toolCalls ?? [];
}

function hasCall(message: Message, id: string): boolean {
  return toolCallsOf(message).some((call) => call.id === id);
}

/** Merges the event's metadata key by key; the last one wins. */
function withMetadata<T extends { metadata?: Record<string, unknown> }>(target: T, { metadata }: AgUiEvent): T {
  return metadata ? { ...target, metadata: { ...target.metadata, ...metadata } } : target;
}

function withoutNullTag(message: Message): Message {
  return (message as { subagentRunId?: string | null }).subagentRunId === null ? compact(message) : message;
}

/** Without the members that are null or undefined: optional fields are absent, never null. */
export function compact<T extends object>(members: object): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as unknown as T;
}
