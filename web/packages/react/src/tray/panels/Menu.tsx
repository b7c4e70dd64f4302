import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { focusedIn } from "../../ui/focus.js";
import { CheckIcon } from "../../ui/icons.js";
import { useFocusInside } from "../../ui/useFocusInside.js";
import { panelStyles } from "./panelStyles.js";
import { useStyles } from "./useStyles.js";

/** One item of a menu. */
export interface MenuItem {
  /** The text. */
  label: string;
  /** Before the text. */
  icon?: ReactNode;
  /** Of items that exclude each other: is it the one? */
  checked?: boolean;
  /** Can it not be chosen? */
  disabled?: boolean;
  /** Does it delete something? */
  danger?: boolean;
  /** The user has chosen it. The menu is closed by then. */
  onPick: () => void;
}

/** The props of `<Menu>`. */
export interface MenuProps {
  label: string;
  groups: readonly { label?: string; items: readonly MenuItem[] }[];
  /** Quiet lines at the end. */
  note?: ReactNode;
  onClose: () => void;
}

/** A menu. Arrows, Home, End and first letters go through it, Escape and Tab leave it. */
export function Menu({ label, groups, note, onClose }: MenuProps) {
  const element = useRef<HTMLDivElement>(null);
  const noteId = useId();
  useStyles(element, panelStyles); // a menu may open where no panel is
  // A choice begins where it stands.
  const isChoice = groups[0]?.items[0]?.checked !== undefined;
  useFocusInside(element, isChoice ? "[aria-checked=true]" : "[role^=menuitem]");
  useClickOutside(element, onClose);
  // Chromium returns a promise, which is not what undoes an effect.
  useEffect(() => void element.current?.scrollIntoView?.({ block: "nearest" }), []);

  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...element.current!.querySelectorAll<HTMLElement>("[role^=menuitem]")];
    const focused = focusedIn(element.current);
    const at = items.findIndex((each) => each === focused);
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      return onClose();
    }
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    const next = to === undefined ? startingWith(event, items, at) : items.at(to % items.length);
    if (!next) return;
    event.preventDefault();
    next.focus();
  };

  return (
    <div
      ref={element}
      className="ps-menu ps-text-md"
      role="menu"
      aria-label={label}
      aria-describedby={note ? noteId : undefined}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      {groups.map(({ label: name, items }, index) => (
        <div key={index} role="group" aria-label={name} className="ps-menu-group">
          {name && (
            <p className="ps-panel-title ps-text-xs" aria-hidden="true">
              {name}
            </p>
          )}
          {items.map((item) => (
            <Item key={item.label} item={item} onClose={onClose} />
          ))}
        </div>
      ))}
      {note && (
        <div id={noteId} className="ps-menu-group ps-menu-note ps-text-xs ps-muted" aria-hidden="true">
          {note}
        </div>
      )}
    </div>
  );
}

function Item({ item, onClose }: { item: MenuItem; onClose: () => void }) {
  const { label, icon, checked, disabled, danger, onPick } = item;
  return (
    <button
      type="button"
      role={checked === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={checked}
      aria-disabled={disabled || undefined}
      data-danger={danger || undefined}
      tabIndex={-1}
      onClick={() => {
        if (disabled) return;
        onClose();
        onPick();
      }}
    >
      <span className="ps-menu-icon">{checked ? <CheckIcon /> : icon}</span>
      {label}
    </button>
  );
}

/** The next item that begins with the letter typed. */
function startingWith({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, items: HTMLElement[], at: number) {
  if (key.length !== 1 || ctrlKey || metaKey || altKey) return undefined;
  const isIt = (item: HTMLElement) => item.textContent.trim().toLowerCase().startsWith(key.toLowerCase());
  return [...items.slice(at + 1), ...items.slice(0, at + 1)].find(isIt);
}

/** Closes on a press outside, except on the button that opened it, which closes it itself. */
function useClickOutside(elementRef: { current: HTMLElement | null }, onClose: () => void) {
  useEffect(() => {
    const onPress = (event: PointerEvent) => {
      const [target] = event.composedPath();
      if (!(target instanceof Element) || elementRef.current?.contains(target)) return;
      if (!target.closest("[aria-haspopup=menu][aria-expanded=true]")) onClose();
    };
    document.addEventListener("pointerdown", onPress);
    return () => document.removeEventListener("pointerdown", onPress);
  }, [elementRef, onClose]);
}
