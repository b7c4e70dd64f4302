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

/** Calls the latest handler for events of an element that another component draws. */
export function useElementEvent<Name extends keyof HTMLElementEventMap>(
  elementRef: RefObject<HTMLElement | null>,
  names: readonly Name[],
  handler: (event: HTMLElementEventMap[Name]) => void,
): void {
  const latest = useLatest(handler);
  const key = names.join(" ");
  useEffect(() => {
    const element = elementRef.current;
    const listen = (event: Event) => latest.current(event as HTMLElementEventMap[Name]);
    for (const name of key.split(" ")) element?.addEventListener(name, listen);
    return () => {
      for (const name of key.split(" ")) element?.removeEventListener(name, listen);
    };
  }, [elementRef, key, latest]);
}
