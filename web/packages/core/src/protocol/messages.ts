/** Changes lists of messages. What a change does not touch keeps its identity. */
import type { ToolCall, ToolMessage } from "@ag-ui/core";
import { compact, membersOf } from "../base/values.js";
import type { AgUiEvent } from "./events.js";
import type { Message } from "./types.js";

/** Changes the message with that id, if there is one. */
export function update(
  messages: readonly Message[],
  id: string,
  change: (message: Message) => Message,
): readonly Message[] {
  const index = messages.findIndex((message) => message.id === id);
  return index < 0 ? messages : replaceAt(messages, index, change(messages[index]!));
}

/** Changes the message with that id, or appends a new one. */
export function upsert(
  messages: readonly Message[],
  fresh: Message,
  event: AgUiEvent,
  change: (message: Message) => Message,
): readonly Message[] {
  if (messages.some(({ id }) => id === fresh.id)) return update(messages, fresh.id, change);
  return [...messages, withMetadata(fresh, event)];
}

/** The list with another item at the index. */
export function replaceAt<T>(list: readonly T[], index: number, item: T): readonly T[] {
  return list[index] === item ? list : list.with(index, item);
}

/** Merges the event's metadata key by key; the last one wins. */
export function withMetadata<T extends { metadata?: Record<string, unknown> }>(target: T, { metadata }: AgUiEvent): T {
  return metadata ? { ...target, metadata: { ...target.metadata, ...metadata } } : target;
}

/** The message without a `subagentRunId` that is null. */
export function withoutNullTag(message: Message): Message {
  return membersOf(message)["subagentRunId"] === null ? compact(message) : message;
}

/** Appends the messages whose ids are new. */
export function withMissing(messages: readonly Message[], given: readonly Message[] = []): readonly Message[] {
  return given.reduce(
    (all, message) => (all.some(({ id }) => id === message.id) ? all : [...all, withoutNullTag(message)]),
    messages,
  );
}

/** Inserts a result after the message that made the call and the results that follow it. */
export function insertToolMessage(messages: readonly Message[], result: ToolMessage): readonly Message[] {
  const owner = messages.findIndex((message) => message.role === "assistant" && hasCall(message, result.toolCallId));
  if (owner < 0) return [...messages, result];
  let at = owner + 1;
  while (messages[at]?.role === "tool") at++;
  return [...messages.slice(0, at), result, ...messages.slice(at)];
}

/** The tool calls of a message; none if it is not the assistant's. */
export function toolCallsOf(message: Message): readonly ToolCall[] {
  return (message.role === "assistant" && message.toolCalls) || [];
}

/** The call with that id. */
export function callOf(messages: readonly Message[], id: string): ToolCall | undefined {
  return messages.flatMap(toolCallsOf).find((call) => call.id === id);
}

/** Reports whether a message made the call. */
export function hasCall(message: Message, id: string): boolean {
  return toolCallsOf(message).some((call) => call.id === id);
}
