import { createContext, use } from "react";
import { useStore } from "../ui/store.ts";
import type { Discover } from "./discover.ts";
import type { ViewPart } from "./view.ts";

/** The page's state, for everything on it. */
export const DiscoverContext = createContext<Discover | null>(null);

/** The page's state and its actions. */
export function useDiscover() {
  const model = use(DiscoverContext)!;
  const snapshot = useStore(model);
  const { seq, parts } = snapshot.flash;
  /**
   * Attributes that highlight an element once when the assistant changes this part. Two names
   * alternate, because an animation restarts only under another name.
   */
  const flash = (part: ViewPart) => (parts.includes(part) ? { "data-flash": seq % 2 === 0 ? "a" : "b" } : {});
  return { model, snapshot, dispatch: model.dispatch, flash };
}
