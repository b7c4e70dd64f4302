import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { recall, remember } from "./storage.js";

const INSET = "--ps-tray-inset";

/**
 * Tells the page how much room the docked tray takes, in the variable `--ps-tray-inset` of the root element. The page
 * decides what to do with it; nothing of the page is styled.
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
export function useInert(element: RefObject<HTMLElement | null>, inert: boolean): void {
  // React 18 and 19 disagree about the attribute's value in JSX.
  useLayoutEffect(() => {
    element.current?.toggleAttribute("inert", inert);
  }, [element, inert]);
}

/** Opens the tray if it was open at the last visit (or `byDefault`), and remembers whether it is. */
export function useRememberedOpen(
  isOpen: boolean,
  setOpen: (open: boolean) => void,
  byDefault: boolean,
): { restored: RefObject<boolean> } {
  const last = useRef(isOpen);
  const restored = useRef(false);
  const initial = useRef({ byDefault, setOpen });

  useEffect(() => {
    // A sheet over the whole page is nothing to greet a visitor with.
    if (globalThis.matchMedia?.(SHEET).matches) return;
    if (!(recall().open ?? initial.current.byDefault)) return;
    restored.current = true;
    initial.current.setOpen(true);
  }, []);

  useEffect(() => {
    if (last.current === isOpen) return;
    last.current = isOpen;
    remember({ open: isOpen });
  }, [isOpen]);

  return { restored };
}

/** The viewport where the tray is a sheet over the page instead of docked beside it. */
export const SHEET = "(max-width: 767px)";

/** The edge of the window at which the tray stands, which depends on the writing direction of the page. */
export function useEdge(root: RefObject<HTMLElement | null>, side: "start" | "end", isOpen: boolean): "left" | "right" {
  const [rtl, setRtl] = useState(false);
  useEffect(() => {
    if (root.current) setRtl(getComputedStyle(root.current).direction === "rtl");
  }, [root, isOpen]);
  return (side === "end") === rtl ? "left" : "right";
}

/** Moves the focus into the tray when it opens and back to where it was when it closes. */
export function useFocusMove(options: {
  isOpen: boolean;
  tray: RefObject<HTMLElement | null>;
  launcher: RefObject<HTMLElement | null>;
  /** Opened by memory, not by the user: the page keeps the focus. */
  restored: RefObject<boolean>;
  focusInside: () => void;
}): void {
  const { isOpen, tray, launcher, restored } = options;
  const before = useRef<Element>(null);
  const was = useRef(isOpen);
  const focusInside = useRef(options.focusInside);

  useLayoutEffect(() => {
    focusInside.current = options.focusInside;
  });

  useLayoutEffect(() => {
    if (was.current === isOpen) return;
    was.current = isOpen;
    const active = document.activeElement;
    if (isOpen) {
      if (restored.current) restored.current = false;
      else {
        before.current = active;
        focusInside.current();
      }
    } else if (!active || active === document.body || tray.current?.contains(active)) {
      const target = canFocus(before.current) ? before.current : launcher.current;
      before.current = null;
      target?.focus({ preventScroll: true });
    }
  }, [isOpen, tray, launcher, restored]);
}

function canFocus(element: Element | null): element is HTMLElement {
  return element instanceof HTMLElement && element.isConnected && element !== document.body;
}
