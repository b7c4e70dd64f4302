import { useEffect } from "react";

/**
 * Loads a part while the browser is idle after the first paint, or at once. `load` must stay the
 * same function.
 */
export function usePreload(load: () => unknown, now = false): void {
  useEffect(() => {
    if (now) return void load();
    if (typeof requestIdleCallback !== "function") {
      const timer = setTimeout(load, 500);
      return () => clearTimeout(timer);
    }
    const id = requestIdleCallback(load, { timeout: 5000 });
    return () => cancelIdleCallback(id);
  }, [load, now]);
}
