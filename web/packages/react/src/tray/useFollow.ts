import { createContext, useCallback, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useLatest } from "../hooks/use-latest.js";
import { useLayoutEffect } from "./layoutEffect.js";

/** How near to the end counts as being there, in pixels. */
const SLACK = 8;
/** A disclosure has opened or closed after this many milliseconds. */
const HOLD_MS = 400;
/** Above a question that was brought to the top, and of a tall one what stays in view. */
const TOP_GAP = 12;
const TALL = 120;
const AT_END = { atEnd: true, unseen: false };
/** Below the conversation, as the style sheet has it. */
const END_GAP = 16;

/** Call before something the reader opens changes its height: the transcript then stays where it is. */
export const HoldContext = createContext<() => void>(() => {});

export interface Follow {
  scrollerRef: RefObject<HTMLDivElement | null>;
  contentRef: RefObject<HTMLDivElement | null>;
  onScroll: () => void;
  /** Is the end in view? */
  atEnd: boolean;
  /** Has something been written below since the reader scrolled up? */
  unseen: boolean;
  scrollToEnd: () => void;
  hold: () => void;
}

/**
 * Where the transcript stands. A thread is opened at its end. A question that was just asked (`asking`) goes to the top,
 * with room below for its answer, which is then written without moving anything. A reader at the end of what is written
 * follows it, until they scroll up. `key` names the thread and the last question.
 */
export function useFollow(key: string, asking: boolean): Follow {
  const scrollerRef = useRef<HTMLDivElement>(null);
  const contentRef = useRef<HTMLDivElement>(null);
  const state = useRef({ following: true, top: 0, height: 0, heldUntil: 0, room: 0 });
  /** The turn that was brought to the top. */
  const asked = useRef<HTMLElement>(null);
  const latest = useLatest({ key, asking });
  const [view, setView] = useState({ key, atEnd: true, unseen: false });
  const { atEnd, unseen } = view.key === key ? view : AT_END;

  /** Tells where the view is; away from the end, `unseen` says that something new is there. */
  const tell = useCallback(
    (atEnd: boolean, unseen = false) => {
      const { key } = latest.current;
      setView((before) => {
        const seen = { key, atEnd, unseen: !atEnd && (unseen || (before.key === key && before.unseen)) };
        return Object.entries(seen).every(([name, value]) => before[name as keyof typeof seen] === value)
          ? before
          : seen;
      });
    },
    [latest],
  );

  const arrive = useCallback(() => {
    state.current.following = true;
    asked.current = null;
    tell(true);
  }, [tell]);

  const jump = useCallback((top?: number) => {
    const element = scrollerRef.current;
    if (!element) return;
    element.scrollTop = top ?? element.scrollHeight;
    state.current.top = element.scrollTop;
    state.current.height = element.scrollHeight;
  }, []);

  /** Keeps the conversation so long that the view may end at `until`. */
  const reserve = useCallback((until: number) => {
    const content = contentRef.current;
    const last = content?.lastElementChild;
    if (!content || !last) return;
    const height = last.getBoundingClientRect().bottom - content.getBoundingClientRect().top + END_GAP;
    const room = Math.max(0, Math.ceil(until - height));
    content.style.paddingBlockEnd = room ? `${room + END_GAP}px` : "";
    state.current.room = room;
  }, []);

  const onScroll = useCallback(() => {
    const element = scrollerRef.current;
    if (!element) return;
    const { top, height, room } = state.current;
    // Content that shrinks pulls the position up too; that is not the reader.
    const movedUp = element.scrollTop < top - 1 && element.scrollHeight >= height;
    state.current.top = element.scrollTop;
    state.current.height = element.scrollHeight;
    const near = distanceToEnd(element) <= SLACK;
    if (movedUp) state.current.following = false;
    const movedDown = element.scrollTop > top;
    // The end of the room below an answer is not the end of the answer, and an end that came up to the view is no wish to follow.
    if (near && !movedUp && room === 0 && (movedDown || state.current.following)) arrive();
    else if (near || movedUp) tell(seesEnd(element, contentRef.current));
  }, [arrive, tell]);

  const onResize = useCallback(() => {
    const element = scrollerRef.current;
    if (!element) return;
    const { top, heldUntil } = state.current;
    // What draws turns has come, and drew this one anew.
    if (asked.current && !asked.current.isConnected) asked.current = lastTurn(contentRef.current);
    const held = performance.now() < heldUntil;
    const until = asked.current ? topOf(asked.current, element) + element.clientHeight : 0;
    // What closes below the reader must not pull the text down.
    reserve(held ? Math.max(until, top + element.clientHeight) : until);
    if (held && element.scrollTop < top) element.scrollTop = top;
    const grown = element.scrollHeight > state.current.height + 1;
    if (held) state.current.following = distanceToEnd(element) <= SLACK && state.current.room === 0;
    state.current.height = element.scrollHeight;
    if (state.current.following) return jump();
    tell(seesEnd(element, contentRef.current), grown && !held);
  }, [jump, reserve, tell]);

  useEffect(() => {
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(onResize);
    if (scrollerRef.current) observer.observe(scrollerRef.current);
    if (contentRef.current) observer.observe(contentRef.current);
    return () => observer.disconnect();
  }, [onResize]);

  const opened = useRef(false);
  useLayoutEffect(() => {
    const element = scrollerRef.current;
    asked.current = opened.current && latest.current.asking ? lastTurn(contentRef.current) : null;
    opened.current = true;
    state.current.following = !asked.current;
    reserve(0);
    if (!element || !asked.current) return jump();
    const top = topOf(asked.current, element);
    reserve(top + element.clientHeight);
    state.current.height = element.scrollHeight;
    scrollTo(element, top);
  }, [key, jump, reserve, latest]);

  const scrollToEnd = useCallback(() => {
    asked.current = null;
    reserve(0);
    if (scrollerRef.current) scrollTo(scrollerRef.current, scrollerRef.current.scrollHeight);
    arrive();
  }, [arrive, reserve]);

  const hold = useCallback(() => {
    state.current.heldUntil = performance.now() + HOLD_MS;
  }, []);

  return useMemo(
    () => ({ scrollerRef, contentRef, onScroll, atEnd, unseen, scrollToEnd, hold }),
    [onScroll, atEnd, unseen, scrollToEnd, hold],
  );
}

const lastTurn = (content: HTMLElement | null) => content?.querySelector<HTMLElement>(":scope > [data-last]") ?? null;

const distanceToEnd = (element: HTMLElement) => element.scrollHeight - element.clientHeight - element.scrollTop;

/** Is the end of what is written in view? There may be room below it. */
function seesEnd(scroller: HTMLElement, content: HTMLElement | null): boolean {
  if (distanceToEnd(scroller) <= SLACK) return true;
  const last = content?.lastElementChild?.getBoundingClientRect();
  return last !== undefined && last.height > 0 && last.bottom <= scroller.getBoundingClientRect().bottom + SLACK;
}

/** Where the view begins with a turn at its top; of a tall question only the end is in it. */
function topOf(turn: HTMLElement, scroller: HTMLElement): number {
  const from = scroller.getBoundingClientRect().top - scroller.scrollTop;
  const question = (turn.querySelector(".ps-bubble") ?? turn).getBoundingClientRect();
  const tall = turn.querySelector(".ps-bubble") && question.height > TALL;
  const top = tall ? question.bottom - TALL : turn.getBoundingClientRect().top - TOP_GAP;
  return Math.max(0, Math.round(top - from));
}

function scrollTo(element: HTMLElement, top: number) {
  const still = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches;
  element.scrollTo?.({ top, behavior: still ? "auto" : "smooth" });
}
