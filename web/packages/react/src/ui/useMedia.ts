import { useCallback, useSyncExternalStore } from "react";

/** Does a media query match now? False on the server. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = globalThis.matchMedia?.(query);
      list?.addEventListener("change", changed);
      return () => list?.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(
    subscribe,
    () => globalThis.matchMedia?.(query).matches ?? false,
    () => false,
  );
}

const subscribeToResize = (changed: () => void) => {
  addEventListener("resize", changed);
  return () => removeEventListener("resize", changed);
};

/** The viewport's width in pixels; 1280 on the server. */
export function useViewportWidth(): number {
  return useSyncExternalStore(
    subscribeToResize,
    () => innerWidth,
    () => 1280,
  );
}
