import { useEffect, type KeyboardEvent, type RefObject } from "react";

interface TrayKeys {
  isOpen: boolean;
  sheet: boolean;
  running: boolean;
  trayRef: RefObject<HTMLElement | null>;
  open: () => void;
  close: () => void;
  stop: () => void;
  focusInput: () => void;
}

/**
 * The keys of the tray: Ctrl+/ (or Cmd+/) anywhere on the page opens it, goes to its input, or closes it from there;
 * inside, Escape stops a run and else closes, F6 goes between transcript and input, and a sheet keeps Tab inside.
 */
export function useTrayKeys(keys: TrayKeys): (event: KeyboardEvent) => void {
  const { isOpen, trayRef, open, close, focusInput } = keys;

  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "/" || !(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
      event.preventDefault();
      if (!isOpen) open();
      else if (trayRef.current?.contains(document.activeElement)) close();
      else focusInput();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isOpen, trayRef, open, close, focusInput]);

  return (event) => {
    if (event.defaultPrevented || event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      event.preventDefault();
      if (keys.running) keys.stop();
      else close();
    } else if (event.key === "F6") {
      event.preventDefault();
      switchPane(trayRef.current, focusInput);
    } else if (event.key === "Tab" && keys.sheet) {
      keepTabInside(event, trayRef.current);
    }
  };
}

function switchPane(tray: HTMLElement | null, focusInput: () => void) {
  const log = tray?.querySelector<HTMLElement>("[role=log]");
  if (log?.contains(document.activeElement)) focusInput();
  else log?.focus();
}

const TABBABLE = "button, [href], textarea, input, select, [tabindex='0']";

function keepTabInside(event: KeyboardEvent, tray: HTMLElement | null) {
  const stops = [...(tray?.querySelectorAll<HTMLElement>(TABBABLE) ?? [])].filter(isVisible);
  const [first, last] = [stops[0], stops.at(-1)];
  const active = document.activeElement;
  const leaves = event.shiftKey ? active === first || active === tray : active === last;
  if (!leaves) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}

/** Environments without layout take everything as visible. */
function isVisible(element: HTMLElement): boolean {
  return !element.hasAttribute("disabled") && (element.checkVisibility?.() ?? true);
}
