import type { ThreadSummary } from "@pageside/core";
import { useEffect, useMemo, useRef, useState } from "react";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { usePanelLabels } from "../../labels/panels.js";
import type { ThreadActions } from "../panels/useThreadActions.js";
import { isBusy } from "../turn/turns.js";
import { exactFirst, groupByAge } from "./groups.js";
import { ThreadRow, type ThreadRowProps } from "./ThreadRow.js";
import type { ThreadList, ThreadView } from "./useThreadList.js";

interface ThreadsProps {
  list: ThreadList;
  view: ThreadView;
  /** What is searched for. */
  query: string;
  actions: ThreadActions;
  focusRow: (id: string | undefined) => void;
  /** A thread was opened. */
  onDone: () => void;
}

const DOUBLE_CLICK_MS = 250;

/** The rows: pinned ones, then the others, grouped by age. */
export function Threads(props: ThreadsProps) {
  const { list, query } = props;
  const labels = usePanelLabels();
  const groups = useMemo(() => groupByAge(exactFirst(list.threads, query)), [list.threads, query]);
  const running = useAssistantSnapshot(isBusy);
  const title = useAssistantSnapshot((thread) => thread.title);
  const current = useAssistantSnapshot(({ threadId }) => threadId);
  const [activeId, setActiveId] = useState<string>();
  const active = list.threads.find(({ id }) => id === activeId) ?? list.threads[0];
  const { renaming, handlersOf } = useRowHandlers(props, current);
  return groups.map(({ age, threads }) => (
    <section key={age} aria-label={labels.threadAge(age)}>
      <h3 className="ps-panel-title ps-text-xs">{labels.threadAge(age)}</h3>
      <ul>
        {threads.map((thread) => {
          const isCurrent = thread.id === current;
          const shown = isCurrent && title ? { ...thread, title } : thread;
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
              {...handlersOf(thread, shown)}
            />
          );
        })}
      </ul>
    </section>
  ));
}

type Handlers = Omit<ThreadRowProps, "thread" | "query" | "active" | "current" | "running" | "renaming" | "onFocus">;

/** The handlers of the rows, and which row is being renamed. */
function useRowHandlers({ list, view, actions, focusRow, onDone }: ThreadsProps, current: string) {
  const { client } = useAssistantContext("History");
  const [renaming, setRenaming] = useState<string>();
  const closing = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(closing.current), []);

  const open = (id: string, soon: boolean) => {
    if (id !== current) void client.openThread(id);
    closing.current = setTimeout(onDone, soon ? DOUBLE_CLICK_MS : 0);
  };
  const rename = (id: string) => {
    clearTimeout(closing.current);
    setRenaming(id);
  };
  const saveTitle = async (id: string, title: string) => {
    await client.threads.rename(id, title);
    list.rename(id, title);
  };
  /** `shown` is the thread under the name it has on screen. */
  const handlersOf = (thread: ThreadSummary, shown: ThreadSummary): Handlers => {
    const { id, archived, pinned = false } = thread;
    const takeOut = (act: (thread: ThreadSummary) => void) => () => {
      const at = list.threads.findIndex((each) => each.id === id);
      list.hide(id);
      focusRow((list.threads[at + 1] ?? list.threads[at - 1])?.id);
      act(shown);
    };
    const pin = () => {
      list.pin(id, !pinned);
      focusRow(id);
      (pinned ? actions.unpin : actions.pin)(shown);
    };
    const always: Handlers = {
      onSaveTitle: (title) => saveTitle(id, title),
      onRenamed: () => {
        setRenaming(undefined);
        focusRow(id);
      },
    };
    if (view === "deleted") return { ...always, onRestore: takeOut(actions.restore) };
    return {
      ...always,
      onOpen: (soon) => open(id, soon),
      onRename: () => rename(id),
      onPin: pin,
      onArchive: takeOut(archived ? actions.unarchive : actions.archive),
      onDelete: takeOut(actions.remove),
    };
  };
  return { renaming, handlersOf };
}
