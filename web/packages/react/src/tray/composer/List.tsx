import { Fragment, useEffect, useId, useRef, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";

/** One line of a list. */
export interface Option {
  /** Tells the lines of a list apart. */
  key: string;
  /** The name, at the beginning of the line. */
  label: string;
  /** What may follow, dimmed. */
  hint?: string;
  /** What it is, in words. */
  description: string;
  /** At the end of the line. */
  mark?: string;
  /** The heading above it. Options of a group are adjacent. */
  group?: string;
  /** The name of the button that takes it out of the list. */
  removeLabel?: string;
}

interface ListProps {
  id: string;
  label: string;
  options: readonly Option[];
  active: number;
  /** Shown if nothing matches. */
  empty: string;
  /** Told to screen readers. */
  count: string;
  onActive: (index: number) => void;
  onChoose: (index: number) => void;
  onRemove: (index: number) => void;
}

/** The choices, above the message box. The focus stays in the text. */
export function List({ id, label, options, active, empty, count, onActive, onChoose, onRemove }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  const groups = inGroups(options);

  useLayoutEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView?.({ block: "nearest" });
  }, [active, options]);

  return (
    <div className="ps-popover" onPointerDown={(event) => event.preventDefault()}>
      <div ref={list} id={id} className="ps-list" role="listbox" aria-label={label} hidden={options.length === 0}>
        {groups.map(({ group, from, members }) => (
          <Group key={`${group} ${from}`} name={group}>
            {members.map((option, index) => (
              <Line
                key={option.key}
                option={option}
                id={`${id}-${from + index}`}
                isActive={from + index === active}
                onActive={() => onActive(from + index)}
                onChoose={() => onChoose(from + index)}
                onRemove={() => onRemove(from + index)}
              />
            ))}
          </Group>
        ))}
      </div>
      {options.length === 0 && <p className="ps-list-empty">{empty}</p>}
      <span className="ps-sr-only" role="status">
        {options.length === 0 ? empty : count}
      </span>
    </div>
  );
}

interface LineProps {
  option: Option;
  id: string;
  isActive: boolean;
  onActive: () => void;
  onChoose: () => void;
  onRemove: () => void;
}

function Line({ option, id, isActive, onActive, onChoose, onRemove }: LineProps) {
  const { label, hint, description, mark, removeLabel } = option;
  return (
    <div
      id={id}
      className="ps-option ps-row ps-text-md"
      role="option"
      aria-selected={isActive}
      onPointerMove={() => isActive || onActive()}
      onClick={onChoose}
    >
      <span className="ps-option-label" dir="auto">
        {label}
      </span>
      {hint && (
        <span className="ps-option-hint" dir="auto">
          {hint}
        </span>
      )}
      <span className="ps-option-text" dir="auto">
        {description}
      </span>
      {mark && <span className="ps-option-mark">{mark}</span>}
      {removeLabel && (
        // For the pointer; with the keyboard it is the Delete key, as the mark says.
        <span
          className="ps-option-remove"
          title={removeLabel}
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            onRemove();
          }}
        >
          ×
        </span>
      )}
    </div>
  );
}

function Group({ name, children }: { name?: string; children: ReactNode }) {
  const id = useId();
  if (!name) return <Fragment>{children}</Fragment>;
  return (
    <div role="group" aria-labelledby={id}>
      <div id={id} className="ps-list-head" role="presentation">
        {name}
      </div>
      {children}
    </div>
  );
}

function inGroups(options: readonly Option[]) {
  const groups: { group?: string; from: number; members: Option[] }[] = [];
  options.forEach((option, index) => {
    const last = groups.at(-1);
    if (last && last.group === option.group) last.members.push(option);
    else groups.push({ group: option.group, from: index, members: [option] });
  });
  return groups;
}

/**
 * Connects the text field with its list, while there is one. A textarea keeps its own role: ARIA in
 * HTML allows no other, and a combobox has one line. A textbox may have these three attributes. It
 * may not have `aria-expanded`: the list's status says that it is open.
 */
export function useComboboxAttributes(
  areaRef: RefObject<HTMLTextAreaElement | null>,
  listId: string | undefined,
  activeId: string | undefined,
): void {
  useEffect(() => {
    const area = areaRef.current;
    if (!area || !listId) return;
    const attributes: Record<string, string> = {
      "aria-autocomplete": "list",
      "aria-controls": listId,
    };
    for (const [name, value] of Object.entries(attributes)) area.setAttribute(name, value);
    return () => Object.keys(attributes).forEach((name) => area.removeAttribute(name));
  }, [areaRef, listId]);

  useEffect(() => {
    const area = areaRef.current;
    if (!area || !activeId) return;
    area.setAttribute("aria-activedescendant", activeId);
    return () => area.removeAttribute("aria-activedescendant");
  }, [areaRef, activeId]);
}

interface ListKeys {
  count: number;
  active: number;
  onActive: (index: number) => void;
  onChoose: (index: number, how: "take" | "complete") => void;
  /** False if it stays. */
  onRemove: (index: number) => boolean;
  onClose: () => void;
}

/** Handles the keys of an open list. Returns whether the key was used. */
export function onListKey(event: KeyboardEvent<HTMLTextAreaElement>, list: ListKeys): boolean {
  const { count, active } = list;
  if (event.key === "Escape") return done(list.onClose);
  if (count === 0 || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
  switch (event.key) {
    case "ArrowDown":
      return done(() => list.onActive((active + 1) % count));
    case "ArrowUp":
      return done(() => list.onActive((active - 1 + count) % count));
    case "Home":
      return done(() => list.onActive(0));
    case "End":
      return done(() => list.onActive(count - 1));
    case "Enter":
      return done(() => list.onChoose(active, "take"));
    case "Tab":
      return done(() => list.onChoose(active, "complete"));
    case "Delete":
      return list.onRemove(active);
    default:
      return false;
  }
}

function done(act: () => void): true {
  act();
  return true;
}
