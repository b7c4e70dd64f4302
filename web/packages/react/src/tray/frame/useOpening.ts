import { useCallback, useEffect, type RefObject } from "react";
import { useAssistantContext } from "../../context.js";
import type { TrayLayout } from "./layout.js";
import { useFocusMove, useInert, useRememberedOpen } from "./useTrayFrame.js";

interface OpeningOptions {
  layout: TrayLayout;
  /** Open at the first visit. */
  byDefault: boolean;
  trayRef: RefObject<HTMLElement | null>;
  launcherRef: RefObject<HTMLElement | null>;
  focusInside: () => void;
}

/**
 * Whether the tray is open, and what comes with that: the focus, the memory of it, the events of
 * the thread.
 */
export function useOpening({ layout, byDefault, trayRef, launcherRef, focusInside }: OpeningOptions) {
  const { client, isOpen: wasOpened, setOpen } = useAssistantContext("AssistantTray");
  const inline = layout === "inline";
  const isOpen = inline || wasOpened;
  const open = useCallback(() => setOpen(true), [setOpen]);
  const shut = useCallback(() => setOpen(false), [setOpen]);
  const { restoredRef } = useRememberedOpen(isOpen, setOpen, byDefault, layout === "full");
  useEffect(() => {
    if (inline && !wasOpened) setOpen(true); // for those who ask whether it is
  }, [inline, wasOpened, setOpen]);
  useEffect(() => (isOpen ? client.follow() : undefined), [client, isOpen]);
  useInert(trayRef, !isOpen);
  useFocusMove({ isOpen, trayRef, launcherRef, restoredRef, focusInside });
  return { isOpen, open, shut, close: inline ? undefined : shut };
}
