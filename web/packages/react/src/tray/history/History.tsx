import type { ThreadSummary } from "@pageside/core";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/use-assistant.js";
import { SearchIcon } from "../frame/icons.js";
import { usePanelLabels } from "../frame/strings.js";
import type { ThreadActions } from "../frame/useThreadActions.js";
import { isBusy } from "../turns.js";
import { groupByAge } from "./groups.js";
import { ThreadRow } from "./ThreadRow.js";
import { useThreadList, type ThreadView } from "./useThreadList.js";
import { focusedIn } from "../focused.js";
import { useLayoutEffect } from "../layoutEffect.js";

export interface HistoryProps {
  actions: ThreadActions;
  /** Changes when the list should be read again. */
  revision: number;
  /** A thread was opened: the panel is done. */
  onDone: () => void;
}

const TYPING_MS = 250;
const DOUBLE_CLICK_MS = 250;
const views: readonly ThreadView[] = ["active", "archived", "deleted"];

/** The user's threads: found, opened, renamed, put away, deleted and brought back. */
export function History({ actions, revision, onDone }: HistoryProps) {
  const { client } = useAssistantContext("History");
  const labels = usePanelLabels();
  const current = useAssistantSnapshot(({ threadId }) => threadId);
  const title = useAssistantSnapshot((thread) => thread.title);
  const running = useAssistantSnapshot(isBusy);
  const [view, setView] = useState<ThreadView>("active");
  const [text, setText] = useState("");
  const query = useSettled(text.trim(), TYPING_MS);
  const list = useThreadList(client, view, query, revision);
  const { threads, status } = list;
  const groups = useMemo(() => groupByAge(threads), [threads]);
  const [activeId, setActiveId] = useState<string>();
  const [renaming, setRenaming] = useState<string>();
  const element = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const closing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const focusRow = useFocusRow(element, search);
  const active = threads.find(({ id }) => id === activeId) ?? threads[0];

  useEffect(() => () => clearTimeout(closing.current), []);
  useEffect(() => {
    // On a touch screen it would bring the keyboard up.
    if (!globalThis.matchMedia?.("(pointer: coarse)").matches) search.current?.focus({ preventScroll: true });
  }, []);

  const open = (id: string, soon: boolean) => {
    if (id !== current) void client.openThread(id);
    closing.current = setTimeout(onDone, soon ? DOUBLE_CLICK_MS : 0);
  };
  const rename = (id: string) => {
    clearTimeout(closing.current);
    setRenaming(id);
  };
  const takeOut = (thread: ThreadSummary, act: (thread: ThreadSummary) => void) => {
    const at = threads.indexOf(thread);
    const next = threads[at + 1] ?? threads[at - 1];
    list.hide(thread.id);
    focusRow(next?.id);
    act(thread);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const rows = [...element.current!.querySelectorAll<HTMLElement>("[data-thread]")];
    const at = rows.indexOf(focusedIn(element.current) as HTMLElement);
    const inSearch = event.target === search.current;
    if (inSearch ? event.key !== "ArrowDown" : at < 0) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined) {
      if (event.key === "/") takeFocus(event, search.current);
    } else takeFocus(event, to < 0 ? search.current : rows[to]);
  };

  return (
    <div ref={element} className="ps-history" onKeyDown={onKeyDown}>
      <div className="ps-search">
        <SearchIcon />
        <input
          ref={search}
          type="search"
          className="ps-text-field"
          dir="auto"
          placeholder={labels.searchThreads}
          aria-label={labels.searchThreads}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <div className="ps-views" role="group" aria-label={labels.history}>
        {views.map((each) => (
          <button
            key={each}
            type="button"
            className="ps-button ps-ghost"
            aria-pressed={each === view}
            onClick={() => setView(each)}
          >
            {labels[`${each}Threads`]}
          </button>
        ))}
      </div>
      <p className="ps-sr-only" role="status">
        {status === "ready" && query !== "" && labels.foundThreads(threads.length)}
      </p>
      <div className="ps-panel-body" aria-busy={status === "loading"}>
        {status === "loading" && <Skeleton />}
        {status === "ready" && threads.length === 0 && (
          <p className="ps-panel-empty ps-muted">{query ? labels.nothingFound(query) : labels.noThreads(view)}</p>
        )}
        {groups.map(({ age, threads: group }) => (
          <section key={age} aria-label={labels[age]}>
            <h3 className="ps-panel-title">{labels[age]}</h3>
            <ul>
              {group.map((thread) => {
                const isCurrent = thread.id === current;
                const shown = isCurrent && title ? { ...thread, title } : thread;
                const isDeleted = view === "deleted";
                return (
                  <ThreadRow
                    key={thread.id}
                    thread={shown}
                    query={query}
                    active={thread === active}
                    current={isCurrent}
                    running={isCurrent && running}
                    renaming={thread.id === renaming}
                    onFocus={() => setActiveId(thread.id)}
                    onSaveTitle={async (name) => {
                      await client.threads.rename(thread.id, name);
                      list.rename(thread.id, name);
                    }}
                    onRenamed={() => {
                      setRenaming(undefined);
                      focusRow(thread.id);
                    }}
                    {...(isDeleted
                      ? { onRestore: () => takeOut(shown, actions.restore) }
                      : {
                          onOpen: (soon) => open(thread.id, soon),
                          onRename: () => rename(thread.id),
                          onArchive: () => takeOut(shown, thread.archived ? actions.unarchive : actions.archive),
                          onDelete: () => takeOut(shown, actions.remove),
                        })}
                  />
                );
              })}
            </ul>
          </section>
        ))}
        {status === "failed" && (
          <div className="ps-panel-empty ps-muted" role="alert">
            <p>{labels.threadsFailed}</p>
            <button type="button" className="ps-button" onClick={list.reload}>
              {labels.retry}
            </button>
          </div>
        )}
        {list.hasMore && status !== "failed" && (
          <button
            type="button"
            className="ps-button ps-ghost"
            aria-disabled={status === "more" || undefined}
            onClick={() => {
              if (status === "more") return;
              focusRow(undefined);
              list.loadMore();
            }}
          >
            {labels.moreThreads}
          </button>
        )}
      </div>
    </div>
  );
}

function takeFocus(event: KeyboardEvent, element: HTMLElement | null | undefined) {
  if (!element) return;
  event.preventDefault();
  element.focus();
}

/** A value that has not changed for a while; an empty one counts at once. */
function useSettled(value: string, milliseconds: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value === "" ? 0 : milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

/** Moves the focus to a row once it is drawn; to the search box where there is none. */
function useFocusRow(
  elementRef: { current: HTMLElement | null },
  searchRef: { current: HTMLElement | null },
): (id: string | undefined) => void {
  const [wanted, setWanted] = useState<{ id: string | undefined }>();
  useLayoutEffect(() => {
    if (!wanted) return;
    const rows = [...elementRef.current!.querySelectorAll<HTMLElement>("[data-thread]")];
    const row = rows.find(({ dataset }) => dataset.thread === wanted.id);
    (row ?? searchRef.current)?.focus();
  }, [wanted, elementRef, searchRef]);
  return (id) => setWanted({ id });
}

function Skeleton() {
  const labels = usePanelLabels();
  return (
    <div className="ps-skeleton ps-shimmer" role="img" aria-label={labels.loadingThreads}>
      {Array.from({ length: 6 }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}
