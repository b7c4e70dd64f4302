import { useCallback, useEffect, useRef, useSyncExternalStore, type RefObject } from "react";
import { recall, remember } from "./memory.js";
import { focusedIn } from "../../ui/focus.js";
import { useLayoutEffect } from "../../ui/effects.js";

const INSET = "--ps-tray-inset";

/**
 * Tells the page how much room the docked tray takes, in the variable `--ps-tray-inset` of the root
 * element. The page decides what to do with it; nothing of the page is styled.
 */
export function useInset(pixels: number): void {
  useEffect(() => {
    document.documentElement.style.setProperty(INSET, `${pixels}px`);
  }, [pixels]);
  useEffect(
    () => () => {
      document.documentElement.style.removeProperty(INSET);
    },
    [],
  );
}

/** Keeps what is closed out of the tab order and away from screen readers. */
export function useInert(elementRef: RefObject<HTMLElement | null>, inert: boolean): void {
  // React 18 and 19 disagree about the attribute's value in JSX.
  useLayoutEffect(() => {
    elementRef.current?.toggleAttribute("inert", inert);
  }, [elementRef, inert]);
}

/**
 * Opens the tray if it was open at the last visit (or `byDefault`), and remembers whether it is.
 * One that `covers` the page stays closed: it is nothing to greet a visitor with.
 */
export function useRememberedOpen(
  isOpen: boolean,
  setOpen: (open: boolean) => void,
  byDefault: boolean,
  covers: boolean,
): { restoredRef: RefObject<boolean> } {
  const last = useRef(isOpen);
  const restoredRef = useRef(false);
  const initial = useRef({ byDefault, setOpen, covers });

  useEffect(() => {
    if (initial.current.covers || globalThis.matchMedia?.(SHEET).matches) return;
    if (!(recall().open ?? initial.current.byDefault)) return;
    restoredRef.current = true;
    initial.current.setOpen(true);
  }, []);

  useEffect(() => {
    if (last.current === isOpen) return;
    last.current = isOpen;
    remember({ open: isOpen });
  }, [isOpen]);

  return { restoredRef };
}

/** The viewport where the tray is a sheet over the page instead of docked beside it. */
export const SHEET = "(max-width: 767px)";

/**
 * The edge of the window at which the tray stands, which depends on the writing direction around
 * it.
 */
export function useEdge(root: HTMLElement | null, side: "start" | "end"): "left" | "right" {
  const subscribe = useCallback((changed: () => void) => {
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributeFilter: ["dir"] });
    return () => observer.disconnect();
  }, []);
  const rtl = useSyncExternalStore(
    subscribe,
    () => root !== null && getComputedStyle(root).direction === "rtl",
    () => false,
  );
  return (side === "end") === rtl ? "left" : "right";
}

/** Moves the focus into the tray when it opens and back to where it was when it closes. */
export function useFocusMove(options: {
  isOpen: boolean;
  trayRef: RefObject<HTMLElement | null>;
  launcherRef: RefObject<HTMLElement | null>;
  /** Opened by memory, not by the user: the page keeps the focus. */
  restoredRef: RefObject<boolean>;
  focusInside: () => void;
}): void {
  const { isOpen, trayRef, launcherRef, restoredRef } = options;
  const before = useRef<Element>(null);
  const was = useRef(isOpen);
  const focusInside = useRef(options.focusInside);

  useLayoutEffect(() => {
    focusInside.current = options.focusInside;
  });

  useLayoutEffect(() => {
    if (was.current === isOpen) return;
    was.current = isOpen;
    const active = focusedIn(trayRef.current);
    if (isOpen) {
      if (restoredRef.current) restoredRef.current = false;
      else {
        before.current = active;
        focusInside.current();
      }
    } else if (!active || active === document.body || trayRef.current?.contains(active)) {
      const target = canFocus(before.current) ? before.current : launcherRef.current;
      before.current = null;
      target?.focus({ preventScroll: true });
    }
  }, [isOpen, trayRef, launcherRef, restoredRef]);
}

function canFocus(element: Element | null): element is HTMLElement {
  return element instanceof HTMLElement && element.isConnected && element !== document.body;
}
