import { useCallback, useState, useSyncExternalStore } from "react";
import { recall, remember } from "./memory.js";
import { useViewportWidth } from "../../ui/useMedia.js";

export const DEFAULT_WIDTH = 420;
export const MIN_WIDTH = 340;
const MAX_WIDTH = 720;
const MAX_SHARE = 0.6;

export interface TrayWidth {
  width: number;
  min: number;
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
