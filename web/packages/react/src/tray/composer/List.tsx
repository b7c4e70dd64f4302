import { Fragment, useEffect, useId, useRef, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";
import { useComposerLabels } from "../../labels/composer.js";
import type { Trigger } from "./trigger.js";

/** How a line is taken: `complete` is the Tab key, which writes and does not send. */
export type How = "take" | "complete";

/** One line of a list, and what taking it does. */
export interface Choice {
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
  /** The heading above it. Lines of a group are adjacent. */
  group?: string;
  /** Takes the line. */
  choose: (how: How) => void;
  /** Takes the line out of the list; absent if it stays. */
  remove?: () => void;
}

interface ListProps {
  id: string;
  /** What is chosen from. */
  kind: Trigger["kind"];
  choices: readonly Choice[];
  active: number;
  onActive: (index: number) => void;
  /** A line was taken with the pointer. */
  onTaken: () => void;
}

/** The choices, above the message box. The focus stays in the text. */
export function List({ id, kind, choices, active, onActive, onTaken }: ListProps) {
  const labels = useComposerLabels();
  const list = useRef<HTMLDivElement>(null);
  const isEmpty = choices.length === 0;
  const empty = kind === "command" ? labels.noCommands : labels.noMentions;

  useLayoutEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView?.({ block: "nearest" });
  }, [active, choices]);

  return (
    <div className="ps-popover" onPointerDown={(event) => event.preventDefault()}>
      <div
        ref={list}
        id={id}
        className="ps-list"
        role="listbox"
        aria-label={kind === "command" ? labels.commands : labels.onThisPage}
        hidden={isEmpty}
      >
        {inGroups(choices).map(({ group, from, members }) => (
          <Group key={`${group} ${from}`} name={group}>
            {members.map((choice, index) => (
              <Line
                key={choice.key}
                choice={choice}
                id={`${id}-${from + index}`}
                isActive={from + index === active}
                onActive={() => onActive(from + index)}
                onTaken={onTaken}
              />
            ))}
          </Group>
        ))}
      </div>
      {isEmpty && <p className="ps-list-empty">{empty}</p>}
      <span className="ps-sr-only" role="status">
        {isEmpty ? empty : labels.optionCount(choices.length)}
      </span>
    </div>
  );
}

interface LineProps {
  choice: Choice;
  id: string;
  isActive: boolean;
  onActive: () => void;
  onTaken: () => void;
}

function Line({ choice, id, isActive, onActive, onTaken }: LineProps) {
  const { label, hint, description, mark, choose, remove } = choice;
  const labels = useComposerLabels();
  return (
    <div
      id={id}
      className="ps-option ps-row ps-text-md"
      role="option"
      aria-selected={isActive}
      onPointerMove={() => isActive || onActive()}
      onClick={() => {
        choose("take");
        onTaken();
      }}
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
      {remove && (
        // For the pointer; with the keyboard it is the Delete key, as the mark says.
        <span
          className="ps-option-remove"
          title={labels.removeItem(label)}
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            remove();
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

function inGroups(choices: readonly Choice[]) {
  const groups: { group?: string; from: number; members: Choice[] }[] = [];
  choices.forEach((choice, index) => {
    const last = groups.at(-1);
    if (last && last.group === choice.group) last.members.push(choice);
    else groups.push({ group: choice.group, from: index, members: [choice] });
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
    area.setAttribute("aria-autocomplete", "list");
    area.setAttribute("aria-controls", listId);
    return () => {
      area.removeAttribute("aria-autocomplete");
      area.removeAttribute("aria-controls");
    };
  }, [areaRef, listId]);

  useEffect(() => {
    const area = areaRef.current;
    if (!area || !activeId) return;
    area.setAttribute("aria-activedescendant", activeId);
    return () => area.removeAttribute("aria-activedescendant");
  }, [areaRef, activeId]);
}

interface ListKeys extends Pick<ListProps, "choices" | "active" | "onActive"> {
  onClose: () => void;
}

/** Handles the keys of an open list. Returns whether the key was used. */
export function onListKey(event: KeyboardEvent<HTMLTextAreaElement>, list: ListKeys): boolean {
  const { choices, active, onActive, onClose } = list;
  const choice = choices[active];
  if (event.key === "Escape") return done(onClose);
  if (!choice || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
  switch (event.key) {
    case "ArrowDown":
      return done(() => onActive((active + 1) % choices.length));
    case "ArrowUp":
      return done(() => onActive((active - 1 + choices.length) % choices.length));
    case "Home":
      return done(() => onActive(0));
    case "End":
      return done(() => onActive(choices.length - 1));
    case "Enter":
      return done(() => choice.choose("take"));
    case "Tab":
      return done(() => choice.choose("complete"));
    case "Delete":
      return choice.remove !== undefined && isAtEnd(event.currentTarget) && done(choice.remove);
    default:
      return false;
  }
}

/** Reports whether the Delete key has nothing to delete in the text. */
const isAtEnd = ({ selectionEnd, value }: HTMLTextAreaElement) => selectionEnd >= value.length;

function done(act: () => void): true {
  act();
  return true;
}
