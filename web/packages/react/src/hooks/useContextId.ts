import { useState } from "react";

/**
 * An id for a context entry. Not React's `useId`: that repeats itself from one root of a page to
 * the next, and roots may share a client.
 */
export function useContextId(): string {
  const [id] = useState(() => `context-${Math.random().toString(36).slice(2)}`);
  return id;
}
