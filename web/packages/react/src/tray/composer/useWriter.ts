import { useCallback } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";
import type { Box } from "./types.js";

/** Puts a text into the box, and the caret at a position; by default behind the text. */
export type Write = (text: string, at?: number) => void;

/** Writes into the box and sets the caret. */
export function useWriter({ area, state: { caret }, dispatch }: Box): Write {
  useLayoutEffect(() => {
    if (caret) area.current?.setSelectionRange(caret.at, caret.at);
  }, [area, caret]);
  return useCallback((text, at = text.length) => dispatch({ type: "write", text, at }), [dispatch]);
}
