import { useEffect, type KeyboardEvent, type RefObject } from "react";
import { focusedIn, holdsFocus } from "../../ui/focus.js";
import type { TrayPanel } from "../types.js";

interface TrayKeys {
  isOpen: boolean;
  /** Does the tray cover the whole page? Then Tab stays inside. */
  modal: boolean;
  isRunning: () => boolean;
  /** Does a server keep the conversations? */
  hasHistory: boolean;
  /** `"Mod+/"`; none where false. */
  shortcut: string | false;
  trayRef: RefObject<HTMLElement | null>;
  open: () => void;
  /** Absent for a tray that is always open. */
  close?: () => void;
  stop: () => void;
  focusInput: () => void;
  showPanel: (panel: TrayPanel) => void;
}

/**
 * The keys of the tray. Anywhere on the page the shortcut opens it, goes to its input, or closes it
 * from there. Inside, Escape stops a run or else closes the tray, F6 switches between transcript
 * and input, Mod+Shift+H shows the history, Mod+. what the assistant sees, and ? the list of keys.
 * Tab stays inside if the tray covers the page.
 */
export function useTrayKeys(keys: TrayKeys): (event: KeyboardEvent) => void {
  const { isOpen, trayRef, open, close, focusInput, shortcut } = keys;

  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      // The page may have handled the key itself.
      if (!shortcut || event.defaultPrevented || !isShortcut(event, shortcut)) return;
      event.preventDefault();
      if (!isOpen) open();
      else if (close && holdsFocus(trayRef.current)) close();
      else focusInput();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isOpen, trayRef, open, close, focusInput, shortcut]);

  return (event) => {
    if (event.defaultPrevented || event.nativeEvent.isComposing || event.keyCode === 229) return;
    const act = {
      Escape: keys.isRunning() ? keys.stop : close,
      F6: () => switchPane(trayRef.current, focusInput),
      "?": isWriting(event.target) ? undefined : () => keys.showPanel("shortcuts"),
    }[event.key];
    const chosen = panels.find(([combination]) => isShortcut(event, combination))?.[1];
    const panel = chosen === "history" && !keys.hasHistory ? undefined : chosen;
    if (act || panel) {
      event.preventDefault();
      if (panel) keys.showPanel(panel);
      else act!();
    } else if (event.key === "Tab" && keys.modal) {
      keepTabInside(event, trayRef.current);
    }
  };
}

const panels = [
  ["Mod+Shift+H", "history"],
  ["Mod+.", "sees"],
] as const;

type Keys = Pick<globalThis.KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/**
 * Reports whether an event matches a shortcut such as `"Mod+Shift+K"`. Mod is Ctrl or Cmd. Signs
 * that need Shift on some keyboards may be typed with it.
 */
function isShortcut(event: Keys, combination: string): boolean {
  const parts = combination.toLowerCase().split(/\+(?!$)/);
  const key = parts.pop()!;
  return (
    event.key.toLowerCase() === key &&
    (event.ctrlKey || event.metaKey) === parts.includes("mod") &&
    event.altKey === parts.includes("alt") &&
    (event.shiftKey === parts.includes("shift") || !/\w/.test(key))
  );
}

const isWriting = (target: EventTarget) => (target as Element).matches("input, textarea, select, [contenteditable]");

function switchPane(tray: HTMLElement | null, focusInput: () => void) {
  const log = tray?.querySelector<HTMLElement>("[role=log]");
  if (holdsFocus(log)) focusInput();
  else log?.focus();
}

const TABBABLE = "button, [href], textarea, input, select, summary, [tabindex]";

/** Lets Tab go from the last stop to the first, and back. */
export function keepTabInside(event: KeyboardEvent, element: HTMLElement | null) {
  const stops = [...(element?.querySelectorAll<HTMLElement>(TABBABLE) ?? [])].filter(isStop);
  const [first, last] = [stops[0], stops.at(-1)];
  const active = focusedIn(element);
  // What holds the stops may have the focus itself: a dialog that has just opened.
  const leaves = event.shiftKey ? first && active?.contains(first) : active === last;
  if (!leaves) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}

/** Environments without layout take everything as visible. */
function isStop(element: HTMLElement): boolean {
  return element.tabIndex >= 0 && !element.hasAttribute("disabled") && (element.checkVisibility?.() ?? true);
}
