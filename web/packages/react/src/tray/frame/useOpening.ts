import { useCallback, useEffect, useRef, type RefObject } from "react";
import { useAssistantContext } from "../../context.js";
import { useIsOpen } from "../../hooks/trayState.js";
import { useLatest, useLayoutEffect } from "../../hooks/effects.js";
import { focusedIn } from "../../ui/focus.js";
import { SHEET, type TrayLayout } from "./layout.js";
import { recall, remember } from "./memory.js";
import { useLinkedThread } from "./useLinkedThread.js";

interface OpeningOptions {
  layout: TrayLayout;
  /** Open at the first visit. */
  byDefault: boolean;
  trayRef: RefObject<HTMLElement | null>;
  launcherRef: RefObject<HTMLElement | null>;
  focusInside: () => void;
}

/** Whether the tray is open, and the effects of that: focus, memory, following the thread. */
export function useOpening({ layout, byDefault, trayRef, launcherRef, focusInside }: OpeningOptions) {
  const { client, tray } = useAssistantContext("AssistantTray");
  const { setOpen } = tray;
  const wasOpened = useIsOpen();
  const inline = layout === "inline";
  const isOpen = inline || wasOpened;
  const open = useCallback(() => setOpen(true), [setOpen]);
  const shut = useCallback(() => setOpen(false), [setOpen]);
  const { restoredRef } = useRememberedOpen(isOpen, setOpen, byDefault, layout === "full");
  useLinkedThread(client, open);
  useEffect(() => {
    if (inline && !wasOpened) setOpen(true); // for other components
  }, [inline, wasOpened, setOpen]);
  useEffect(() => (isOpen ? client.follow() : undefined), [client, isOpen]);
  useInert(trayRef, !isOpen);
  useFocusMove({ isOpen, trayRef, launcherRef, restoredRef, focusInside });
  return { isOpen, open, shut, close: inline ? undefined : shut };
}

/** Keeps a closed tray out of the tab order and away from screen readers. */
function useInert(elementRef: RefObject<HTMLElement | null>, inert: boolean): void {
  // React 18 and 19 disagree about the attribute's value in JSX.
  useLayoutEffect(() => {
    elementRef.current?.toggleAttribute("inert", inert);
  }, [elementRef, inert]);
}

/**
 * Opens the tray if it was open at the last visit (or `byDefault`), and remembers whether it is. A
 * tray that `covers` the page stays closed at first.
 */
function useRememberedOpen(
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

/** Moves the focus into the tray when it opens and back to where it was when it closes. */
function useFocusMove(options: {
  isOpen: boolean;
  trayRef: RefObject<HTMLElement | null>;
  launcherRef: RefObject<HTMLElement | null>;
  /** Was it opened from memory, not by the user? Then the page keeps the focus. */
  restoredRef: RefObject<boolean>;
  focusInside: () => void;
}): void {
  const { isOpen, trayRef, launcherRef, restoredRef } = options;
  const before = useRef<Element>(null);
  const was = useRef(isOpen);
  const focusInside = useLatest(options.focusInside);

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
  }, [isOpen, trayRef, launcherRef, restoredRef, focusInside]);
}

function canFocus(element: Element | null): element is HTMLElement {
  return element instanceof HTMLElement && element.isConnected && element !== document.body;
}
