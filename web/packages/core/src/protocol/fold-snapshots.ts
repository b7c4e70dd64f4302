/** Folds message snapshots, and payloads with their patches. */
import type { ActivityMessage } from "@ag-ui/core";
import { deepEqual } from "../base/equal.js";
import { compact, membersOf } from "../base/values.js";
import type { EventOf } from "./events.js";
import { upsert, withMetadata, withoutNullTag } from "./messages.js";
import { applyPatch } from "./patch.js";
import type { Message } from "./types.js";

/** Adds a payload, or replaces it. */
export function foldActivity(messages: readonly Message[], event: EventOf<"ACTIVITY_SNAPSHOT">): readonly Message[] {
  const { messageId: id, activityType, content, subagentRunId, replace = true } = event;
  const fresh = compact<ActivityMessage>({ id, role: "activity", activityType, content, subagentRunId });
  return upsert(messages, fresh, event, (message) => {
    if (message.role !== "activity") return replace ? withMetadata(fresh, event) : message;
    return withMetadata(replace ? compact({ ...fresh, metadata: message.metadata }) : message, event);
  });
}

/** Patches the content of a payload. A patch that does not fit changes nothing. */
export function patchActivity(message: ActivityMessage, event: EventOf<"ACTIVITY_DELTA">): ActivityMessage {
  try {
    const content = applyPatch(message.content, event.patch) as ActivityMessage["content"];
    return { ...message, content, activityType: event.activityType };
  } catch {
    return message;
  }
}

/**
 * Reconciles by id: known messages stay in place; others are dropped, except those that no server
 * stores.
 */
export function reconcile(messages: readonly Message[], event: EventOf<"MESSAGES_SNAPSHOT">): readonly Message[] {
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
 * The activity types that the snapshot is complete for: null means all, undefined "those it
 * carries". A convention of the stock client.
 */
function ownedActivityTypes({ metadata }: EventOf<"MESSAGES_SNAPSHOT">): string[] | null | undefined {
  const declared: unknown = metadata?.["@ag-ui/client"];
  if (declared === undefined) return undefined;
  if (typeof declared !== "object" || declared === null || Array.isArray(declared)) return [];
  const { authoritativeActivityTypes: types } = membersOf(declared);
  if (types === null || types === undefined) return types;
  return Array.isArray(types) && types.every((type) => typeof type === "string") ? types : [];
}
