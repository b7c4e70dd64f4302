import { useCallback, useRef } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";
import type { Box } from "./types.js";

/** Puts a text into the box, and the caret at a position; by default behind the text. */
export type Write = (text: string, position?: number) => void;

/** Writes into the box and sets the caret. */
export function useWriter({ area, draft, setDraft }: Box): Write {
  const caret = useRef<number>(undefined);
  useLayoutEffect(() => {
    const position = caret.current;
    caret.current = undefined;
    if (position !== undefined) area.current?.setSelectionRange(position, position);
  }, [area, draft]);
  return useCallback(
    (text, position = text.length) => {
      caret.current = position;
      setDraft(text);
    },
    [setDraft],
  );
}
