import { useCallback, useState, useSyncExternalStore } from "react";
import { recall, remember } from "./memory.js";

/**
 * How the tray stands in the page: `docked` at its edge, telling the page its width; `overlay` the
 * same, over the page; `popup` a small window in the corner; `full` over the whole window; `inline`
 * fills the element it is put in.
 */
export type TrayLayout = "docked" | "overlay" | "popup" | "full" | "inline";

/** The layout, and the choice among layouts. */
export interface LayoutChoice {
  /** The layout the tray has. */
  layout: TrayLayout;
  /** Those the user may choose from; empty if the page alone decides. */
  layouts: readonly TrayLayout[];
  /** The user chooses a layout, which is remembered. */
  choose: (layout: TrayLayout) => void;
}

/** The viewport where the tray is a sheet over the page instead of docked beside it. */
export const SHEET = "(max-width: 767px)";

/** The viewport where the full layout has room for the history beside the conversation. */
export const WIDE = "(min-width: 1100px)";

const NONE: readonly TrayLayout[] = [];

/** The layout that the page asks for, or the one that the user has chosen instead. */
export function useLayout(given: TrayLayout): LayoutChoice {
  const stored = useSyncExternalStore(never, storedLayout, noLayout);
  const [chosen, setChosen] = useState<TrayLayout>();
  const choose = useCallback((layout: TrayLayout) => {
    setChosen(layout);
    remember({ layout });
  }, []);
  if (given === "inline") return { layout: given, layouts: NONE, choose };
  const layouts: readonly TrayLayout[] = [given === "overlay" ? given : "docked", "popup", "full"];
  const wanted = chosen ?? stored ?? given;
  return { layout: layouts.find((layout) => layout === wanted) ?? layouts[0]!, layouts, choose };
}

const never = () => () => {};
const storedLayout = () => recall().layout;
const noLayout = () => undefined;
