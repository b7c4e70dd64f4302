import type { AgUiEvent } from "./events.js";
import { isNote } from "./pageside.js";

const CHUNK = /^(TEXT_MESSAGE|REASONING_MESSAGE|TOOL_CALL)_CHUNK$/;

interface LooseChunk {
  type: string;
  messageId?: string;
  toolCallId?: string;
  delta?: string;
  metadata?: object;
  subagentRunId?: string;
}

/**
 * Unfolds the shorthand events of AG-UI (`*_CHUNK`) into the events they stand for. A chunk without
 * an id continues the last one of its subagent. Leaves out the end events, which build nothing, and
 * notes, which are for the model alone.
 */
export class ChunkExpander {
  /** The open message or call of each subagent; the key undefined stands for the agent itself. */
  #open = new Map<string | undefined, { kind: string; id: string }>();

  expand(event: AgUiEvent): readonly AgUiEvent[] {
    if (isNote(event)) return [];
    if (event.type === "MESSAGES_SNAPSHOT" && event.messages.some(isNote)) {
      return [{ ...event, messages: event.messages.filter((message) => !isNote(message)) }];
    }
    const kind = CHUNK.exec(event.type)?.[1];
    return kind ? (this.#unfold(kind, event as LooseChunk) as AgUiEvent[]) : [event];
  }

  #unfold(kind: string, { type: _, messageId, toolCallId, delta, ...shared }: LooseChunk): unknown[] {
    const isCall = kind === "TOOL_CALL";
    const open = this.#open.get(shared.subagentRunId);
    const continued = open?.kind === kind ? open.id : undefined;
    const id = (isCall ? toolCallId : messageId) ?? continued;
    if (id === undefined) return [];
    const base = { ...shared, [isCall ? "toolCallId" : "messageId"]: id };
    this.#open.set(shared.subagentRunId, { kind, id });
    const events: unknown[] = [];
    if (id !== continued) events.push({ ...base, type: `${kind}_START` });
    if (delta !== undefined || shared.metadata) {
      events.push({ ...base, delta: delta ?? "", type: kind + (isCall ? "_ARGS" : "_CONTENT") });
    }
    return events;
  }
}
