import { useRef, type KeyboardEvent } from "react";

/**
 * Steps through the messages sent before: ArrowUp in the first line goes back, ArrowDown in the
 * last line forward, at last to what stood there. It begins in an empty box and ends when the user
 * writes.
 */
export function useSentHistory(sent: readonly string[], draft: string, write: (text: string) => void) {
  const at = useRef<{ index: number; shown: string; before: string }>(undefined);

  const show = (index: number, before: string) => {
    const shown = sent[index] ?? before;
    at.current = index < sent.length ? { index, shown, before } : undefined;
    write(shown);
    return true;
  };

  return (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || sent.length === 0) return false;
    const current = at.current?.shown === draft ? at.current : undefined;
    if (!current && draft.trim() !== "") return false;
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    if (event.key === "ArrowUp" && !value.slice(0, selectionStart).includes("\n"))
      return show(Math.max(0, (current?.index ?? sent.length) - 1), current?.before ?? draft);
    if (event.key === "ArrowDown" && current && !value.slice(selectionEnd).includes("\n"))
      return show(current.index + 1, current.before);
    return false;
  };
}
