import type { RefObject } from "react";
import { useLayoutEffect } from "../hooks/effects.js";
import { focusedIn } from "./focus.js";

/**
 * Moves the focus into an element that has opened, unless it is there already, and back when the
 * element closes with the focus in it.
 */
export function useFocusInside(elementRef: RefObject<HTMLElement | null>, first?: string): void {
  useLayoutEffect(() => {
    const element = elementRef.current!;
    const before = focusedIn(element);
    if (!element.contains(before)) {
      const target = first ? element.querySelector<HTMLElement>(first) : null;
      (target ?? element).focus({ preventScroll: true });
    }
    return () => {
      const active = focusedIn(element);
      if (active && active !== document.body && !element.contains(active)) return;
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [elementRef, first]);
}
