import type { ThreadSummary } from "@pageside/core";
import type { KeyboardEvent, ReactNode } from "react";
import { RenameField } from "../panels/RenameField.js";
import { ArchiveIcon, TrashIcon } from "../../ui/partIcons.js";
import { usePanelLabels } from "../../labels/panels.js";
import { PencilIcon, RetryIcon } from "../../ui/icons.js";
import { shortDate } from "./groups.js";
import { marked } from "./marked.js";

export interface ThreadRowProps {
  thread: ThreadSummary;
  /** What is searched for, to be marked. */
  query: string;
  /** The one that Tab goes to. */
  active: boolean;
  current: boolean;
  running: boolean;
  renaming: boolean;
  /** Each absent where it makes no sense. */
  /** `soon`: by a click that may be the first of two. */
  onOpen?: (soon: boolean) => void;
  onRename?: () => void;
  onArchive?: () => void;
  onDelete?: () => void;
  onRestore?: () => void;
  onFocus: () => void;
  onSaveTitle: (title: string) => Promise<void>;
  onRenamed: () => void;
}

/**
 * One thread in the list: what it is called, where the words were found, and what can be done with
 * it.
 */
export function ThreadRow(props: ThreadRowProps) {
  const { thread, query, active, current, running, onOpen, onRename, onDelete, onFocus } = props;
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
    const act = { F2: onRename, Delete: onDelete }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  const action = (label: string, icon: ReactNode, onClick: (() => void) | undefined) =>
    onClick && (
      <button
        type="button"
        className="ps-icon-button ps-small"
        aria-label={`${label}: ${title}`}
        title={label}
        tabIndex={active ? 0 : -1}
        onClick={onClick}
      >
        {icon}
      </button>
    );

  return (
    <li className="ps-thread" data-current={current || undefined} onKeyDown={onKeyDown}>
      <button
        type="button"
        className="ps-thread-open"
        data-thread={thread.id}
        aria-current={current || undefined}
        aria-disabled={!onOpen || undefined}
        tabIndex={active ? 0 : -1}
        onFocus={onFocus}
        onDoubleClick={onRename}
        onClick={({ detail }) => detail < 2 && onOpen?.(detail === 1)}
      >
        <span className="ps-thread-title" dir="auto">
          {running && <span className="ps-dot" />}
          {marked(title, query)}
          {running && <span className="ps-sr-only">, {labels.threadRunning}</span>}
        </span>
        {thread.snippet && query && (
          <span className="ps-thread-snippet" dir="auto">
            {marked(thread.snippet, query)}
          </span>
        )}
      </button>
      <time className="ps-thread-date" dateTime={thread.updatedAt}>
        {shortDate(thread.updatedAt)}
      </time>
      <span className="ps-thread-actions">
        {action(labels.rename, <PencilIcon />, onRename)}
        {action(thread.archived ? labels.unarchive : labels.archive, <ArchiveIcon />, props.onArchive)}
        {action(labels.restore, <RetryIcon />, props.onRestore)}
        {action(labels.deleteThread, <TrashIcon />, onDelete)}
      </span>
    </li>
  );
}
