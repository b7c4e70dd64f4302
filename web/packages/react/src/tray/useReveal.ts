import { useEffect, useState } from "react";

/** Between two steps, in milliseconds: at most thirty a second. */
const STEP_MS = 34;
/** What has arrived is shown within so many steps. */
const STEPS = 7;

/**
 * A growing text, shown as evenly as it can be: what arrives at once comes in a quarter of a second. At its end, in a
 * tab nobody sees, and for readers who want less motion, all of it is there at once.
 */
export function useReveal(text: string, streaming: boolean): string {
  const [shown, setShown] = useState(text.length);
  const behind = text.length - shown;

  useEffect(() => {
    if (!streaming || behind === 0) return;
    const timer = setTimeout(
      () => setShown(document.hidden || behind < 0 ? text.length : shown + Math.max(3, Math.ceil(behind / STEPS))),
      STEP_MS,
    );
    return () => clearTimeout(timer);
  }, [streaming, behind, shown, text.length]);

  if (!streaming || behind <= 0 || !isWelcome()) return text;
  return text.slice(0, isHigh(text.charCodeAt(shown - 1)) ? shown + 1 : shown);
}

const isWelcome = () => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches === false;

/** The first half of a character of two. */
const isHigh = (code: number) => code >= 0xd800 && code <= 0xdbff;
