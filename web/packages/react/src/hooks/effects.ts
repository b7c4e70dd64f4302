import { useEffect, useLayoutEffect as useBrowserLayoutEffect, useRef, type RefObject } from "react";

/**
 * React's `useLayoutEffect`, and `useEffect` on a server: there is no layout, and React 18 warns
 * about the effect.
 */
export const useLayoutEffect = typeof document === "undefined" ? useEffect : useBrowserLayoutEffect;

/** A ref that holds the value of the last committed render. */
export function useLatest<T>(value: T): RefObject<T> {
  const ref = useRef(value);
  useLayoutEffect(() => {
    ref.current = value;
  });
  return ref;
}
