/** The shared state of a branch, as a server keeps it. */
import type { AgUiEvent, RunInput } from "./events.js";
import { applyPatch } from "./patch.js";

/** The state that a run begins with: what the client sends, or what stood before. */
export function startOf({ state }: Pick<RunInput, "state">, before: unknown): unknown {
  const isEmpty = typeof state !== "object" || state === null || Object.keys(state).length === 0;
  return isEmpty ? before : state;
}

/** The state after the events. A patch that does not fit changes nothing. */
export function stateOf(start: unknown, events: Iterable<AgUiEvent>): unknown {
  let state = start;
  for (const event of events) {
    if (event.type === "STATE_SNAPSHOT") state = event.snapshot;
    if (event.type === "STATE_DELTA") state = patched(state, event.delta);
  }
  return state;
}

function patched(state: unknown, delta: Parameters<typeof applyPatch>[1]): unknown {
  try {
    return applyPatch(state, delta);
  } catch {
    return state;
  }
}
