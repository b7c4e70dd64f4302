/** The edge of the window where the tray stands, and the width it takes there. */
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { useViewportWidth } from "../../ui/useMedia.js";
import { recall, remember } from "./memory.js";

/** The width before the user has chosen one, in pixels. */
export const DEFAULT_WIDTH = 420;
const MIN_WIDTH = 340;
const MAX_WIDTH = 720;
const MAX_SHARE = 0.6;

/** The width of the tray, and how to change it. */
export interface TrayWidth {
  /** In pixels. */
  width: number;
  /** The smallest width. */
  min: number;
  /** The largest width that fits the window. */
  max: number;
  /** Sets the width, within its bounds. */
  resize: (width: number) => void;
  /** Remembers the width for the next visit. */
  settle: () => void;
}

/** The docked tray's width in pixels: what the user chose last, within what the window allows. */
export function useWidth(): TrayWidth {
  const viewport = useViewportWidth();
  const stored = useSyncExternalStore(never, storedWidth, noWidth);
  const [chosen, setChosen] = useState<number>();
  const max = Math.max(MIN_WIDTH, Math.floor(Math.min(MAX_WIDTH, viewport * MAX_SHARE)));
  const width = clamp(chosen ?? stored ?? DEFAULT_WIDTH, max);

  const resize = useCallback((next: number) => setChosen(clamp(Math.round(next), max)), [max]);
  const settle = useCallback(() => remember({ width }), [width]);
  return { width, min: MIN_WIDTH, max, resize, settle };
}

const clamp = (width: number, max: number) => Math.min(Math.max(width, MIN_WIDTH), max);

const never = () => () => {};
const storedWidth = () => recall().width;
const noWidth = () => undefined;

const INSET = "--ps-tray-inset";

/**
 * Sets the variable `--ps-tray-inset` of the root element to the width of the docked tray. The page
 * decides what to do with it and is not styled otherwise.
 */
export function useInset(pixels: number): void {
  useEffect(() => {
    document.documentElement.style.setProperty(INSET, `${pixels}px`);
  }, [pixels]);
  useEffect(
    () => () => {
      document.documentElement.style.removeProperty(INSET);
    },
    [],
  );
}

/**
 * The edge of the window at which the tray stands, which depends on the writing direction around
 * it.
 */
export function useEdge(root: HTMLElement | null, side: "start" | "end"): "left" | "right" {
  const subscribe = useCallback((changed: () => void) => {
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributeFilter: ["dir"] });
    return () => observer.disconnect();
  }, []);
  const rtl = useSyncExternalStore(
    subscribe,
    () => root !== null && getComputedStyle(root).direction === "rtl",
    () => false,
  );
  return (side === "end") === rtl ? "left" : "right";
}
