import type { ThreadSummary } from "@pageside/core";
import { useState, type KeyboardEvent, type ReactNode } from "react";
import { usePanelLabels } from "../../labels/panels.js";
import { IconButton } from "../../ui/Button.js";
import { MoreIcon, PencilIcon, RetryIcon } from "../../ui/icons.js";
import { ArchiveIcon, PinIcon, TrashIcon } from "../../ui/partIcons.js";
import { Menu } from "../panels/Menu.js";
import { RenameField } from "../panels/RenameField.js";
import { longDate, shortDate, withoutMarks } from "./groups.js";

/** The props of `<ThreadRow>`. A handler is absent where it makes no sense. */
export interface ThreadRowProps {
  /** The thread, under the name it has on screen. */
  thread: ThreadSummary;
  /** The words searched for, which are marked. */
  query: string;
  /** Does Tab go to this row? */
  active: boolean;
  /** Is it the open one? */
  current: boolean;
  /** Is it being answered? */
  running: boolean;
  /** Is its name being changed? */
  renaming: boolean;
  /** Opens the thread. `soon`: by a click that may be the first of two. */
  onOpen?: (soon: boolean) => void;
  /** The user wants to change the name. */
  onRename?: () => void;
  /** Pins or unpins it. */
  onPin?: () => void;
  /** Archives or unarchives it. */
  onArchive?: () => void;
  /** Deletes it. */
  onDelete?: () => void;
  /** Restores a deleted thread. */
  onRestore?: () => void;
  /** The focus came to the row. */
  onFocus: () => void;
  /** Saves a new name; rejects where that failed. */
  onSaveTitle: (title: string) => Promise<void>;
  /** The name is changed, or stays. */
  onRenamed: () => void;
}

/** One thread in the list: its title, the match of the search, and its actions. */
export function ThreadRow(props: ThreadRowProps) {
  const { thread, query, active, current, running, onOpen, onRename, onPin, onDelete, onFocus } = props;
  const labels = usePanelLabels();
  const title = thread.title || labels.untitled;

  if (props.renaming) {
    return (
      <li className="ps-thread">
        <RenameField title={thread.title} onSave={props.onSaveTitle} onDone={props.onRenamed} />
      </li>
    );
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const act = { F2: onRename, p: onPin, P: onPin, Delete: onDelete }[event.key];
    const isInMenu = event.target instanceof Element && event.target.closest("[role=menu]");
    if (!act || isInMenu || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };

  return (
    <li className="ps-thread" data-current={current || undefined} onKeyDown={onKeyDown}>
      <button
        type="button"
        className="ps-thread-open"
        data-thread={thread.id}
        aria-current={current || undefined}
        aria-disabled={!onOpen || undefined}
        title={title}
        tabIndex={active ? 0 : -1}
        onFocus={onFocus}
        onDoubleClick={onRename}
        onClick={({ detail }) => detail < 2 && onOpen?.(detail === 1)}
      >
        <span className="ps-thread-title" dir="auto">
          {running && <span className="ps-dot" />}
          {thread.pinned && <PinIcon />}
          {marked(title, query)}
          {running && <span className="ps-sr-only">, {labels.threadRunning}</span>}
        </span>
        {thread.snippet && query && (
          <span className="ps-thread-snippet ps-text-sm" dir="auto">
            {marked(withoutMarks(thread.snippet), query)}
          </span>
        )}
      </button>
      <time className="ps-thread-date" dateTime={thread.updatedAt} title={longDate(thread.updatedAt)}>
        {shortDate(thread.updatedAt)}
      </time>
      <Actions {...props} title={title} />
    </li>
  );
}

/** At the end of a row: what can be done with the thread, behind one button. */
function Actions({ title, active, thread, ...props }: ThreadRowProps & { title: string }) {
  const labels = usePanelLabels();
  const [isOpen, setOpen] = useState(false);
  const button = { isSmall: true, tabIndex: active ? 0 : -1 };
  const { pinned = false, archived } = thread;
  const items = [
    itemOf(labels.rename, <PencilIcon />, props.onRename),
    itemOf(labels.pin(pinned), <PinIcon />, props.onPin),
    itemOf(labels.archive(archived), <ArchiveIcon />, props.onArchive),
    itemOf(labels.deleteThread, <TrashIcon />, props.onDelete, true),
  ].filter((item) => item !== undefined);
  return (
    <span className="ps-thread-actions">
      {props.onRestore && (
        <IconButton {...button} label={`${labels.restore}: ${title}`} title={labels.restore} onClick={props.onRestore}>
          <RetryIcon />
        </IconButton>
      )}
      {items.length > 0 && (
        <IconButton
          {...button}
          label={`${labels.menu}: ${title}`}
          title={labels.menu}
          aria-haspopup="menu"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <MoreIcon />
        </IconButton>
      )}
      {isOpen && <Menu label={title} groups={[{ items }]} onClose={() => setOpen(false)} />}
    </span>
  );
}

function itemOf(label: string, icon: ReactNode, onPick: (() => void) | undefined, danger = false) {
  return onPick && { label, icon, onPick, danger };
}

/** A text with words marked that begin with a searched word. */
export function marked(text: string, query: string): ReactNode[] {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (words.length === 0) return [text];
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join("|")})`, "giu");
  // Every second part is a match.
  return text.split(found).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}
