/**
 * Folds AG-UI events into messages and state, exactly as the stock client (`@ag-ui/client` 1.0)
 * does. Every function is pure: what an event does not touch keeps its identity.
 */
import { compact } from "../base/values.js";
import type { AgUiEvent, EventOf } from "./events.js";
import { foldToolCalls } from "./fold-calls.js";
import { foldActivity, patchActivity, reconcile } from "./fold-snapshots.js";
import { update, upsert, withMetadata, withMissing } from "./messages.js";
import { applyPatch } from "./patch.js";
import type { Message } from "./types.js";

/** What events build: the messages of a thread, and the state that it shares with the agent. */
export interface Transcript {
  readonly messages: readonly Message[];
  readonly state: unknown;
}

/** Folds one event, but no chunk. Events that build nothing and unknown types change nothing. */
export function fold<T extends Transcript>(transcript: T, event: AgUiEvent): T {
  if (event.type === "STATE_SNAPSHOT") return { ...transcript, state: event.snapshot };
  if (event.type === "STATE_DELTA") return withPatchedState(transcript, event);
  const messages = foldMessages(transcript.messages, event);
  return messages === transcript.messages ? transcript : { ...transcript, messages };
}

function withPatchedState<T extends Transcript>(transcript: T, event: EventOf<"STATE_DELTA">): T {
  try {
    return { ...transcript, state: applyPatch(transcript.state, event.delta) };
  } catch {
    // like the stock client: do not lose the run because of a patch that does not fit
    return transcript;
  }
}

function foldMessages(messages: readonly Message[], event: AgUiEvent): readonly Message[] {
  switch (event.type) {
    case "RUN_STARTED":
      return withMissing(messages, event.input?.messages);
    case "MESSAGES_SNAPSHOT":
      return reconcile(messages, event);
    case "ACTIVITY_SNAPSHOT":
      return foldActivity(messages, event);
    case "ACTIVITY_DELTA":
      return update(messages, event.messageId, (message) =>
        message.role === "activity" ? patchActivity(withMetadata(message, event), event) : message,
      );
    default:
      return foldText(foldToolCalls(messages, event), event);
  }
}

function foldText(messages: readonly Message[], event: AgUiEvent): readonly Message[] {
  switch (event.type) {
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
