/**
 * The shorthand events of AG-UI (`*_CHUNK`) unfolded into the events they stand for. A chunk without an id continues
 * the last one of its subagent.
 */
import type { AgUiEvent } from "./events.js";

interface OpenChunk {
  kind: "TEXT_MESSAGE" | "REASONING_MESSAGE" | "TOOL_CALL";
  id: string;
}

/** Keeps, for each subagent ("" is the agent itself), which message or call the chunks are about. */
export class ChunkExpander {
  #open = new Map<string, OpenChunk>();

  expand(event: AgUiEvent): readonly AgUiEvent[] {
    switch (event.type) {
      case "TEXT_MESSAGE_CHUNK": {
        const { messageId, delta, role, name } = event;
        return this.#unfold(event, "TEXT_MESSAGE", "messageId", messageId, delta, { role, name });
      }
      case "REASONING_MESSAGE_CHUNK":
        return this.#unfold(event, "REASONING_MESSAGE", "messageId", event.messageId, event.delta, {
          role: "reasoning",
        });
      case "TOOL_CALL_CHUNK": {
        const { toolCallId, delta, toolCallName, parentMessageId } = event;
        return this.#unfold(event, "TOOL_CALL", "toolCallId", toolCallId, delta, { toolCallName, parentMessageId });
      }
      default:
        return [event];
    }
  }

  #unfold(
    { metadata, subagentRunId }: AgUiEvent & { subagentRunId?: string },
    kind: OpenChunk["kind"],
    key: string,
    givenId: string | undefined,
    delta: string | undefined,
    opener: Record<string, unknown>,
  ): AgUiEvent[] {
    const lane = subagentRunId ?? "";
    const open = this.#open.get(lane);
    const id = givenId ?? (open?.kind === kind ? open.id : undefined);
    if (id === undefined) return [];
    const base = { [key]: id, metadata, subagentRunId };
    const events: unknown[] = [];
    if (open?.kind !== kind || open.id !== id) {
      this.#open.set(lane, { kind, id });
      events.push({ ...base, ...opener, type: `${kind}_START` });
    }
    const content = kind === "TOOL_CALL" ? "ARGS" : "CONTENT";
    if (delta !== undefined || metadata) events.push({ ...base, delta: delta ?? "", type: `${kind}_${content}` });
    return events as AgUiEvent[];
  }
}
