import { useSyncExternalStore } from "react";
import { SavedQueries } from "../state/saved-queries.ts";

/**
 * The one list of this page: the tray, which stands outside of Discover, undoes deletions in it
 * too.
 */
export const savedQueries = new SavedQueries(storage());

export const useSavedQueries = () => useSyncExternalStore(savedQueries.subscribe, savedQueries.getSnapshot);

/** Undefined where the browser forbids even to ask for it. */
function storage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
