import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { useAssistantContext } from "../../context.js";
import { useLayoutEffect } from "../../hooks/effects.js";
import { usePanelLabels } from "../../labels/panels.js";
import { Button } from "../../ui/Button.js";
import { focusedIn } from "../../ui/focus.js";
import { SearchIcon } from "../../ui/partIcons.js";
import type { ThreadActions } from "../panels/useThreadActions.js";
import { Threads } from "./Threads.js";
import { useThreadList, type ThreadList, type ThreadView } from "./useThreadList.js";

interface HistoryProps {
  actions: ThreadActions;
  /** Changes when the list should be read again. */
  revision: string;
  /** It stays beside the conversation: it does not take the focus. */
  isRail?: boolean;
  /** A thread was opened: the panel is done. */
  onDone: () => void;
}

const TYPING_MS = 250;
const views: readonly ThreadView[] = ["active", "archived", "deleted"];

/** The user's threads: to find, open, rename, archive, delete and restore them. */
export function History({ actions, revision, isRail = false, onDone }: HistoryProps) {
  const { client } = useAssistantContext("History");
  const labels = usePanelLabels();
  const [view, setView] = useState<ThreadView>("active");
  const [text, setText] = useState("");
  const query = useSettled(text.trim(), TYPING_MS);
  const list = useThreadList(client, view, query, revision);
  const { threads, status } = list;
  const element = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const focusRow = useFocusRow(element, search);

  return (
    <div ref={element} className="ps-history" onKeyDown={(event) => moveFocus(event, element.current!, search.current)}>
      <SearchField inputRef={search} text={text} onText={setText} isFocused={!isRail} />
      <Views view={view} onView={setView} />
      <p className="ps-sr-only" role="status">
        {status === "ready" && query !== "" && labels.foundThreads(threads.length)}
      </p>
      <div className="ps-panel-body ps-text-md" aria-busy={status === "loading"}>
        {status === "loading" && <Skeleton />}
        {status === "ready" && threads.length === 0 && (
          <p className="ps-panel-empty ps-muted">{query ? labels.nothingFound(query) : labels.noThreads(view)}</p>
        )}
        <Threads {...{ list, view, query, actions, focusRow, onDone }} />
        <More list={list} onMore={() => focusRow(undefined)} />
      </div>
    </div>
  );
}

interface SearchFieldProps {
  inputRef: RefObject<HTMLInputElement | null>;
  text: string;
  onText: (text: string) => void;
  /** Does it take the focus when it is drawn? */
  isFocused: boolean;
}

function SearchField({ inputRef, text, onText, isFocused }: SearchFieldProps) {
  const labels = usePanelLabels();
  useEffect(() => {
    // On a touch screen the focus would open the keyboard.
    const hasKeyboard = !globalThis.matchMedia?.("(pointer: coarse)").matches;
    if (isFocused && hasKeyboard) inputRef.current?.focus({ preventScroll: true });
  }, [inputRef, isFocused]);
  return (
    <div className="ps-search ps-row">
      <SearchIcon />
      <input
        ref={inputRef}
        type="search"
        className="ps-text-field"
        dir="auto"
        placeholder={labels.searchThreads}
        aria-label={labels.searchThreads}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
    </div>
  );
}

function Views({ view, onView }: { view: ThreadView; onView: (view: ThreadView) => void }) {
  const labels = usePanelLabels();
  return (
    <div className="ps-views" role="group" aria-label={labels.history}>
      {views.map((each) => (
        <Button key={each} look="ghost" aria-pressed={each === view} onClick={() => onView(each)}>
          {labels.threadView(each)}
        </Button>
      ))}
    </div>
  );
}

/** Below the rows: a note if there are none, or the button that loads more. */
function More({ list: { status, hasMore, reload, loadMore }, onMore }: { list: ThreadList; onMore: () => void }) {
  const labels = usePanelLabels();
  if (status === "failed") {
    return (
      <div className="ps-panel-empty ps-muted" role="alert">
        <p>{labels.partFailed}</p>
        <Button onClick={reload}>{labels.retry}</Button>
      </div>
    );
  }
  if (!hasMore) return null;
  const more = () => {
    if (status === "more") return;
    onMore();
    loadMore();
  };
  return (
    <Button look="ghost" aria-disabled={status === "more" || undefined} onClick={more}>
      {labels.moreThreads}
    </Button>
  );
}

/** The arrows go through the rows and the search box; `/` goes to the search box. */
function moveFocus(event: KeyboardEvent, history: HTMLElement, search: HTMLElement | null) {
  const rows = [...history.querySelectorAll<HTMLElement>("[data-thread]")];
  const focused = focusedIn(history);
  const at = rows.findIndex((each) => each === focused);
  const inSearch = event.target === search;
  if (inSearch ? event.key !== "ArrowDown" : at < 0) return;
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (to === undefined) {
    if (event.key === "/") takeFocus(event, search);
  } else takeFocus(event, to < 0 ? search : rows[to]);
}

function takeFocus(event: KeyboardEvent, element: HTMLElement | null | undefined) {
  if (!element) return;
  event.preventDefault();
  element.focus();
}

/** A value once it has not changed for a while. An empty one counts at once. */
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
    <div className="ps-skeleton ps-shimmer ps-stack" role="img" aria-label={labels.loadingThreads}>
      {Array.from({ length: 6 }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}
