import {
  createContext,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type RefObject,
} from "react";

/** How near to the end counts as being there, in pixels. */
const SLACK = 8;
/** A disclosure has opened or closed after this many milliseconds. */
const HOLD_MS = 400;

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
 * Keeps the end of a growing conversation in view until the reader scrolls up, and again once they are back at the
 * end. `key` names what must be seen when it changes: the thread, and the user's last message.
 */
export function useFollow(key: string): Follow {
  const scrollerRef = useRef<HTMLDivElement>(null);
  const contentRef = useRef<HTMLDivElement>(null);
  const state = useRef({ following: true, top: 0, height: 0, heldUntil: 0 });
  const [atEnd, setAtEnd] = useState(true);
  const [unseen, setUnseen] = useState(false);

  const arrive = useCallback(() => {
    state.current.following = true;
    setAtEnd(true);
    setUnseen(false);
  }, []);

  const jump = useCallback(() => {
    const element = scrollerRef.current;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    state.current.top = element.scrollTop;
    state.current.height = element.scrollHeight;
  }, []);

  const onScroll = useCallback(() => {
    const element = scrollerRef.current;
    if (!element) return;
    const { top, height } = state.current;
    // Content that shrinks pulls the position up too; that is not the reader.
    const movedUp = element.scrollTop < top - 1 && element.scrollHeight >= height;
    state.current.top = element.scrollTop;
    state.current.height = element.scrollHeight;
    if (distanceToEnd(element) <= SLACK && !movedUp) arrive();
    else if (movedUp) {
      state.current.following = false;
      setAtEnd(distanceToEnd(element) <= SLACK);
    }
  }, [arrive]);

  const onResize = useCallback(() => {
    const element = scrollerRef.current;
    if (!element) return;
    const grown = element.scrollHeight > state.current.height + 1;
    const held = performance.now() < state.current.heldUntil;
    if (held) state.current.following = distanceToEnd(element) <= SLACK;
    state.current.height = element.scrollHeight;
    if (state.current.following) return jump();
    setAtEnd(distanceToEnd(element) <= SLACK);
    if (grown && !held) setUnseen(true);
  }, [jump]);

  useEffect(() => {
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(onResize);
    if (scrollerRef.current) observer.observe(scrollerRef.current);
    if (contentRef.current) observer.observe(contentRef.current);
    return () => observer.disconnect();
  }, [onResize]);

  useLayoutEffect(() => {
    state.current.following = true;
    jump();
  }, [key, jump]);

  const scrollToEnd = useCallback(() => {
    const element = scrollerRef.current;
    const still = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches;
    element?.scrollTo?.({ top: element.scrollHeight, behavior: still ? "auto" : "smooth" });
    arrive();
  }, [arrive]);

  const hold = useCallback(() => {
    state.current.heldUntil = performance.now() + HOLD_MS;
  }, []);

  return useMemo(
    () => ({ scrollerRef, contentRef, onScroll, atEnd, unseen, scrollToEnd, hold }),
    [onScroll, atEnd, unseen, scrollToEnd, hold],
  );
}

const distanceToEnd = (element: HTMLElement) => element.scrollHeight - element.clientHeight - element.scrollTop;
