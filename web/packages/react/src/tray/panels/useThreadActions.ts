import type { PagesideClient, ThreadSummary } from "@pageside/core";
import { useMemo } from "react";
import { usePanelLabels } from "../../labels/panels.js";
import { isBusy } from "../turn/turns.js";
import type { Toast } from "./Toast.js";

type Thread = Pick<ThreadSummary, "id" | "title">;

/** The actions on a thread. Each takes effect at once and can be undone for a while. */
export interface ThreadActions {
  /** Deletes a thread. */
  remove: (thread: Thread) => void;
  /** Archives a thread. */
  archive: (thread: Thread) => void;
  /** Unarchives a thread. */
  unarchive: (thread: Thread) => void;
  /** Pins a thread. */
  pin: (thread: Thread) => void;
  /** Unpins a thread. */
  unpin: (thread: Thread) => void;
  /** Restores a deleted thread. */
  restore: (thread: Thread) => void;
}

/** The actions of history and menu. `onChange` is called when lists should be read again. */
export function useThreadActions(client: PagesideClient, toast: Toast, onChange: () => void): ThreadActions {
  const labels = usePanelLabels();
  const { show } = toast;
  return useMemo(() => {
    const attempt = async (work: () => Promise<void>) => {
      try {
        await work();
        return true;
      } catch {
        show({ text: labels.changeFailed });
        onChange();
        return false;
      }
    };
    const change = async (told: string, act: () => Promise<void>, back: () => Promise<void>) => {
      if (!(await attempt(act))) return;
      show({ text: told, undo: async () => (await attempt(back)) && onChange() });
    };
    const { threads } = client;
    const told = ({ title }: Thread, change: Parameters<typeof labels.threadChanged>[1]) =>
      labels.threadChanged(title || labels.untitled, change);
    return {
      remove: (thread) => {
        const leaving = leave(client, thread.id);
        void change(
          told(thread, "deleted"),
          async () => {
            await leaving.before();
            await threads.delete(thread.id);
            leaving.after();
          },
          async () => {
            await threads.restore(thread.id);
            leaving.back();
          },
        );
      },
      archive: (thread) => void change(told(thread, "archived"), ...both(threads.archive, thread.id)),
      unarchive: (thread) => void change(told(thread, "unarchived"), ...both(threads.archive, thread.id, false)),
      pin: (thread) => void change(told(thread, "pinned"), ...both(threads.pin, thread.id)),
      unpin: (thread) => void change(told(thread, "unpinned"), ...both(threads.pin, thread.id, false)),
      restore: (thread) =>
        void change(
          told(thread, "unarchived"),
          () => threads.restore(thread.id),
          () => threads.delete(thread.id),
        ),
    } satisfies ThreadActions;
  }, [client, show, onChange, labels]);
}

const both = (act: (id: string, on: boolean) => Promise<void>, id: string, on = true) =>
  [() => act(id, on), () => act(id, !on)] as const;

/** Leaves the open thread before it is deleted, and opens it again when it is back. */
function leave(client: PagesideClient, id: string) {
  const isOpen = () => client.getSnapshot().threadId === id;
  const wasOpen = isOpen();
  return {
    before: async () => {
      if (wasOpen && isBusy(client.getSnapshot())) await client.stop();
    },
    after: () => {
      if (isOpen()) client.newThread();
    },
    back: () => {
      if (wasOpen && client.getSnapshot().messages.length === 0) void client.openThread(id);
    },
  };
}
