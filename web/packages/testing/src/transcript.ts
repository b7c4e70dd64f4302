/** The messages of a thread after its events, as a server sends them after a reload. */
import type { AssistantMessage, ToolCall } from "@ag-ui/core";
import type { Message } from "@pageside/core";
import type { AgUiEvent } from "./events.js";
import { applyPatch } from "./patch.js";

/** The messages after the events. What is given is not changed. */
export function transcriptOf(messages: readonly Message[], events: Iterable<AgUiEvent>): Message[] {
  const all = structuredClone(messages) as Message[];
  for (const event of events) apply(all, event);
  return all;
}

function apply(all: Message[], event: AgUiEvent): void {
  switch (event.type) {
    case "TEXT_MESSAGE_START":
      return void upsert(all, { id: event.messageId, role: "assistant", content: "" }, event);
    case "REASONING_MESSAGE_START":
      return void upsert(all, { id: event.messageId, role: "reasoning", content: "" }, event);
    case "TEXT_MESSAGE_CONTENT":
    case "REASONING_MESSAGE_CONTENT": {
      const message = withMetadata(find(all, event.messageId), event);
      if (message) Object.assign(message, { content: `${typeof message.content === "string" ? message.content : ""}${event.delta}` }); // prettier-ignore
      return;
    }
    case "TEXT_MESSAGE_END":
    case "REASONING_MESSAGE_END":
      return void withMetadata(find(all, event.messageId), event);
    case "TOOL_CALL_START":
      return startCall(all, event.toolCallId, event.toolCallName, event.parentMessageId);
    case "TOOL_CALL_ARGS": {
      const call = callOf(all, event.toolCallId);
      if (call) call.function.arguments += event.delta;
      return;
    }
    case "TOOL_CALL_RESULT": {
      const { messageId: id, toolCallId, content, metadata } = event;
      return putResult(all, { id, role: "tool", toolCallId, content, ...(metadata && { metadata }) });
    }
    case "ACTIVITY_SNAPSHOT": {
      const { messageId: id, activityType, content } = event;
      const message = upsert(all, { id, role: "activity", activityType, content }, event);
      return void Object.assign(message, { activityType, content: structuredClone(content) });
    }
    case "ACTIVITY_DELTA": {
      const message = withMetadata(find(all, event.messageId), event);
      if (message) Object.assign(message, { content: applyPatch(message.content, event.patch) });
      return;
    }
    case "MESSAGES_SNAPSHOT":
      return void all.splice(0, all.length, ...(structuredClone(event.messages) as Message[]));
    default:
  }
}

/** Inserts a tool's result after the message that made the call and the results that follow it. */
export function putResult(all: Message[], result: Message & { role: "tool" }): void {
  const owner = all.findIndex((message) => callsOf(message).some(({ id }) => id === result.toolCallId));
  if (owner < 0) return void all.push(result);
  let at = owner + 1;
  while (all[at]?.role === "tool") at++;
  all.splice(at, 0, result);
}

/** The tool calls of a message; none if it is not the assistant's. */
export function callsOf(message: Message): ToolCall[] {
  return (message as AssistantMessage).toolCalls ?? [];
}

function startCall(all: Message[], id: string, name: string, parentMessageId = id): void {
  const parent = upsert(all, { id: parentMessageId, role: "assistant" }, {}) as AssistantMessage;
  parent.toolCalls = [...(parent.toolCalls ?? []), { id, type: "function", function: { name, arguments: "" } }];
}

function callOf(all: Message[], id: string): ToolCall | undefined {
  return all.flatMap(callsOf).findLast((call) => call.id === id);
}

function find(all: Message[], id: string): Message | undefined {
  return all.find((message) => message.id === id);
}

function upsert(all: Message[], fresh: Message, event: Pick<AgUiEvent, "metadata">): Message {
  let message = find(all, fresh.id);
  if (!message) all.push((message = fresh));
  return withMetadata(message, event)!;
}

function withMetadata(message: Message | undefined, { metadata }: Pick<AgUiEvent, "metadata">): Message | undefined {
  if (message && metadata) message.metadata = { ...message.metadata, ...metadata };
  return message;
}
