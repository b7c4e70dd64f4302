import { createContext, use } from "react";
import { useStore } from "../ui/store.ts";
import type { Discover, Snapshot } from "./discover.ts";
import type { Action } from "./reducer.ts";
import type { ViewPart } from "./view.ts";

/** The page's state, for everything on it. */
export const DiscoverContext = createContext<Discover | null>(null);

interface Handle {
  model: Discover;
  snapshot: Snapshot;
  dispatch(action: Action): void;
  /**
   * Attributes that highlight an element once when the assistant changes this part. Two names
   * alternate, because an animation restarts only under another name.
   */
  flash(part: ViewPart): { "data-flash"?: "a" | "b" };
}

/** The page's state and its actions. */
export function useDiscover(): Handle {
  const model = use(DiscoverContext)!;
  const snapshot = useStore(model);
  const { seq, parts } = snapshot.flash;
  return {
    model,
    snapshot,
    dispatch: model.dispatch,
    flash: (part) => (parts.includes(part) ? { "data-flash": seq % 2 === 0 ? "a" : "b" } : {}),
  };
}
