import { createContext, useContext, useSyncExternalStore } from "react";
import type { Discover, Snapshot } from "../state/discover.ts";
import type { Action } from "../state/reducer.ts";

export const DiscoverContext = createContext<Discover | null>(null);

export interface DiscoverHandle {
  model: Discover;
  snapshot: Snapshot;
  dispatch(action: Action): void;
}

/** The page's state and what can be done to it. */
export function useDiscover(): DiscoverHandle {
  const model = useContext(DiscoverContext);
  if (!model) throw new Error("useDiscover must be used inside <DiscoverContext>.");
  const snapshot = useSyncExternalStore(model.subscribe, model.getSnapshot);
  return { model, snapshot, dispatch: model.dispatch };
}
