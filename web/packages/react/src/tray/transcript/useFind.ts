import { useEffect, useState, type RefObject } from "react";
import { useLatest } from "../../hooks/effects.js";

/**
 * Whether the thread is looked through, by Mod+F in the tray. Where all of it is drawn (`isWhole`),
 * the browser does it. `mark` is an element beside the turns.
 */
export function useFind(isWhole: boolean, mark: RefObject<HTMLElement | null>): [isOpen: boolean, close: () => void] {
  const [isOpen, setOpen] = useState(false);
  const whole = useLatest(isWhole);
  useEffect(() => {
    const tray = mark.current?.closest<HTMLElement>(".ps-root");
    const onKey = (event: KeyboardEvent) => {
      const isFind = event.key.toLowerCase() === "f" && (event.ctrlKey || event.metaKey);
      if (!isFind || event.altKey || event.shiftKey || event.defaultPrevented || whole.current) return;
      const target = event.target as Element;
      // Of two transcripts, the one that the reader is in; again in the field, the browser's.
      if (target.closest(".ps-drawer") !== mark.current?.closest(".ps-drawer") || target.closest(".ps-find")) return;
      event.preventDefault();
      setOpen(true);
    };
    tray?.addEventListener("keydown", onKey);
    return () => tray?.removeEventListener("keydown", onKey);
  }, [mark, whole]);
  const close = () => {
    setOpen(false);
    mark.current?.closest<HTMLElement>(".ps-scroller")?.focus({ preventScroll: true });
  };
  return [isOpen, close];
}
