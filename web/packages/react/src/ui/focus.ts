import type { RefObject } from "react";
import { useLayoutEffect } from "../hooks/effects.js";

/**
 * The element with the focus. For what stands in a shadow root, `document.activeElement` is only
 * the root's host: there it is the root that knows.
 */
export function focusedIn(node: Node | null | undefined): Element | null {
  const root = node?.getRootNode() as Partial<Document | ShadowRoot> | undefined;
  return root?.activeElement ?? document.activeElement;
}

/** Reports whether the focus is in an element. */
export function holdsFocus(element: Element | null | undefined): boolean {
  return element?.contains(focusedIn(element)) ?? false;
}

/**
 * Takes the focus into what has opened, unless something in it has it already, and brings it back
 * to where it was when that closes with the focus in it.
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
