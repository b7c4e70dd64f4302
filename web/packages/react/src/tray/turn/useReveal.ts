import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { useLayoutEffect } from "../../hooks/effects.js";
import { Pace } from "./pace.js";

/**
 * A growing text, shown as evenly as possible and never a quarter of a second late, its end
 * included. What is there when it is first drawn is shown at once, unless it `isNew`. In a hidden
 * tab, and for readers who want less motion, text is shown as it arrives.
 */
export function useReveal(text: string, streaming: boolean, isNew = false): string {
  const [shown, setShown] = useState(isNew ? 1 : text.length);
  const [pace] = useState(() => new Pace(text.slice(0, shown), shown));
  const isStill = wantsStillness();
  if (isStill && shown !== text.length) setShown(text.length);
  const isGoing = !isStill && (streaming || shown < text.length);

  useLayoutEffect(() => {
    if (isStill) pace.skip(text);
    else pace.arrive(text, performance.now());
  }, [pace, text, isStill]);

  // One loop for the whole text: what arrives does not start it again.
  useEffect(() => {
    if (!isGoing) return;
    let last: number | undefined;
    let frame = requestAnimationFrame(function show() {
      frame = requestAnimationFrame(show);
      const next = pace.show(performance.now());
      // Now, and not in a later task: then it is seen in this frame.
      if (next !== last) flushSync(() => setShown(next));
      last = next;
    });
    return () => cancelAnimationFrame(frame);
  }, [pace, isGoing]);

  return isStill ? text : text.slice(0, endOfCharacter(text, shown));
}

const wantsStillness = () =>
  typeof document === "undefined" ||
  document.hidden ||
  globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches !== false;

/** Marks and joiners belong to the character before them, in one that is made of several. */
const JOINS = /^[\p{M}\p{Emoji_Modifier}\u200d]/u;
/** No character is made of more code units. */
const LONGEST = 32;

/** The end of the character that a cut at `length` would split. */
function endOfCharacter(text: string, length: number): number {
  let end = length;
  while (end > 0 && end < text.length && end < length + LONGEST && joins(text, end)) end++;
  return isHigh(text.charCodeAt(end - 1)) ? end + 1 : end;
}

const joins = (text: string, at: number) =>
  isHigh(text.charCodeAt(at - 1)) || text[at - 1] === "\u200d" || JOINS.test(text.slice(at, at + 2));

/** The first half of a character of two. */
const isHigh = (code: number) => code >= 0xd800 && code <= 0xdbff;
