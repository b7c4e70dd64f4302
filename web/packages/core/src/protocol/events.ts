/**
 * AG-UI events as they come over the wire: the official types, with plain strings for `type` so
 * that nothing of `@ag-ui/core` is needed at run time.
 */
import type { Event } from "@ag-ui/core";
import { protocolFailure } from "./failure.js";

type WithPlainType<E> = E extends { type: infer T extends string } ? Omit<E, "type"> & { type: `${T}` } : never;

/** One of the 31 events of AG-UI 1.0. */
export type AgUiEvent = WithPlainType<Event>;

/** The event of one type: `EventOf<"CUSTOM">`. */
export type EventOf<T extends AgUiEvent["type"]> = Extract<AgUiEvent, { type: T }>;

/** Reads the data of one server-sent event. Unknown types are let through: folding ignores them. */
export function parseEvent(data: string): AgUiEvent {
  try {
    const event: AgUiEvent = JSON.parse(data);
    if (typeof event.type === "string") return event;
  } catch {
    // Not JSON, or null.
  }
  throw protocolFailure("The server sent something that is no event.");
}
