/**
 * Folding AG-UI events into messages and state, with the result the stock client (`@ag-ui/client`
 * 1.0) has. Every function is pure: what an event does not touch keeps its identity. Here is what
 * an answer in text needs; tool calls, snapshots, cards, shared state and encrypted values are
 * folded by `fold-rare.ts`, which is loaded with the first of them.
 */
import { compact } from "../base/values.js";
import type { AgUiEvent, EventOf } from "./events.js";
import type { Message } from "../thread/types.js";

export interface Transcript {
  readonly messages: readonly Message[];
  readonly state: unknown;
}

/** Folds an event of a type that `isRare` names. */
export type FoldRare = <T extends Transcript>(transcript: T, event: AgUiEvent) => T;

/** Does more have to be loaded before an event of this type is applied? */
export function isRare(type: string): boolean {
  return /^TOOL|_(SNAPSHOT|DELTA|CHUNK|VALUE)$/.test(type);
}

/**
 * Folds one event that is no chunk. Events that build nothing, and types this client does not know,
 * change nothing.
 */
export function fold<T extends Transcript>(transcript: T, event: AgUiEvent, rare?: FoldRare): T {
  if (rare && isRare(event.type)) return rare(transcript, event);
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
    default:
      return messages;
  }
}

export function withMissing(messages: readonly Message[], given: readonly Message[] = []): readonly Message[] {
  return given.reduce(
    (all, message) => (all.some(({ id }) => id === message.id) ? all : [...all, withoutNullTag(message)]),
    messages,
  );
}

// ---------------------------------------------------------------- small parts

export function update(
  messages: readonly Message[],
  id: string,
  change: (message: Message) => Message,
): readonly Message[] {
  const index = messages.findIndex((message) => message.id === id);
  return index < 0 ? messages : replaceAt(messages, index, change(messages[index]!));
}

/** Changes the message of that id, or appends a fresh one. */
export function upsert(
  messages: readonly Message[],
  fresh: Message,
  event: AgUiEvent,
  change: (message: Message) => Message,
): readonly Message[] {
  if (messages.some(({ id }) => id === fresh.id)) return update(messages, fresh.id, change);
  return [...messages, withMetadata(fresh, event)];
}

export function replaceAt<T>(list: readonly T[], index: number, item: T): readonly T[] {
  return list[index] === item ? list : list.with(index, item);
}

/** Merges the event's metadata key by key; the last one wins. */
export function withMetadata<T extends { metadata?: Record<string, unknown> }>(target: T, { metadata }: AgUiEvent): T {
  return metadata ? { ...target, metadata: { ...target.metadata, ...metadata } } : target;
}

export function withoutNullTag(message: Message): Message {
  return (message as { subagentRunId?: string | null }).subagentRunId === null ? compact(message) : message;
}
