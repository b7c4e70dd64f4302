import { useEffect, type RefObject } from "react";
import { useLatest } from "../hooks/effects.js";

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
