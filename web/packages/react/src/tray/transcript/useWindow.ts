import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { flushSync } from "react-dom";
import { useLatest, useLayoutEffect } from "../../hooks/effects.js";
import { watchSizes } from "../../ui/sizes.js";
import type { Turn } from "../turn/turns.js";
import { lookAt, openingOf, type View } from "./window.js";

/**
 * Which turns are drawn: those near the view, the last ones, and those that something keeps. `mark`
 * is an element beside them. It looks again after what scrolls, grows, arrives or is selected.
 */
export function useWindow(turns: readonly Turn[], mark: RefObject<HTMLElement | null>): View {
  const [view, setView] = useState(() => openingOf(turns));
  const ids = turns.map(({ id }) => id);
  const all = ids.join();
  const latest = useLatest({ view, ids });
  const opened = useRef(all);
  const look = useCallback(() => {
    const content = contentOf(mark);
    if (content) setView(lookAt(content, latest.current.ids, latest.current.view));
  }, [mark, latest]);

  useLayoutEffect(() => {
    // A thread is brought to its end before anything is looked at; without a layout it never is.
    if (opened.current !== all || typeof ResizeObserver === "undefined") look();
    opened.current = "";
  }, [all, look]);
  useEffect(() => {
    const content = contentOf(mark);
    // At once: what comes into the view is seen in this frame.
    if (content) return watch(content, () => flushSync(look));
  }, [mark, look]);
  return view;
}

const contentOf = (mark: RefObject<HTMLElement | null>) => mark.current?.parentElement;

/** Calls `look` after what may change the view. Returns what ends it. */
function watch(content: HTMLElement, look: () => void): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const scroller = content.closest(".ps-scroller") ?? content;
  scroller.addEventListener("scroll", look, { signal });
  document.addEventListener("selectionchange", () => document.getSelection()?.isCollapsed || look(), { signal });
  signal.addEventListener("abort", watchSizes(look, content, scroller));
  return () => ended.abort();
}
