import { useRef, type KeyboardEvent } from "react";

export interface History {
  /** Handles ArrowUp and ArrowDown; true where it did something. */
  onKey: (event: KeyboardEvent<HTMLTextAreaElement>) => boolean;
  /** The user wrote or sent: the next ArrowUp begins at the last message. */
  reset: () => void;
}

/**
 * Goes through the messages sent before: ArrowUp in an empty box takes the last one, more of them go back, ArrowDown
 * comes forward again to the empty box.
 */
export function useHistory(sent: readonly string[], draft: string, setDraft: (text: string) => void): History {
  const position = useRef<number>(undefined);

  const show = (index: number) => {
    position.current = index < sent.length ? index : undefined;
    setDraft(sent[index] ?? "");
    return true;
  };

  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || sent.length === 0) return false;
    const at = position.current;
    if (event.key === "ArrowUp" && (draft === "" || at !== undefined))
      return show(Math.max(0, (at ?? sent.length) - 1));
    if (event.key === "ArrowDown" && at !== undefined) return show(at + 1);
    return false;
  };

  return { onKey, reset: () => (position.current = undefined) };
}
