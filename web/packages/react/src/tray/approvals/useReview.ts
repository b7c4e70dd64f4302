import { useCallback, useContext, useRef, useState } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";
import { HoldContext } from "../transcript/useFollow.js";

/** The height of a line of arguments, in pixels. */
const LINE = 18;
/** Less than half a line is no text. */
const SLACK = LINE / 2;

/** Whether the user has had all of something before their eyes. */
export type Review = ReturnType<typeof useReview>;

/**
 * Follows how much of a box the user has scrolled to or opened. Once everything was shown, it
 * counts as seen, also in a narrower tray.
 */
export function useReview() {
  const hold = useContext(HoldContext);
  const boxRef = useRef<HTMLDivElement>(null);
  const contentRef = useRef<HTMLDivElement>(null);
  /** Lines below the part that was shown so far. */
  const [missing, setMissing] = useState(0);
  const [wasMore, setWasMore] = useState(false);
  /** Is the box as high as its content? */
  const [isOpen, setOpen] = useState(false);
  const isSeen = useRef(false);

  const look = useCallback(() => {
    const box = boxRef.current;
    if (!box || isSeen.current) return;
    const below = box.scrollHeight - box.clientHeight - box.scrollTop;
    const lines = below <= SLACK ? 0 : Math.max(1, Math.round(below / LINE));
    if (lines > 0) setWasMore(true);
    else if (box.clientHeight > 0) isSeen.current = true;
    setMissing(lines);
  }, []);
  /** Shows the rest. */
  const open = () => {
    hold();
    isSeen.current = true;
    setMissing(0);
    setOpen(true);
    boxRef.current?.focus({ preventScroll: true }); // the button goes
  };

  // The tray's fonts and width, and the parts of a long text, change what fits.
  useLayoutEffect(() => {
    look();
    const [box, content] = [boxRef.current, contentRef.current];
    if (!box || !content || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(look);
    observer.observe(box);
    observer.observe(content);
    return () => observer.disconnect();
  }, [look]);

  return { boxRef, contentRef, onScroll: look, missing, isOpen, open, isComplete: wasMore && missing === 0 };
}
