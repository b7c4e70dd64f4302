import type { PagesideClient, ThreadPage, ThreadSummary } from "@pageside/core";
import { useCallback, useEffect, useRef, useState } from "react";
import { withPin } from "./groups.js";

/** Which threads are listed. */
export type ThreadView = "active" | "archived" | "deleted";

/** A list of threads, as far as it is loaded. */
export interface ThreadList {
  /** Those that are loaded and not hidden. */
  threads: readonly ThreadSummary[];
  /** `"loading"` with nothing of this list to show; `"more"` while the next page is fetched. */
  status: "loading" | "more" | "ready" | "failed";
  /** Has the server more? */
  hasMore: boolean;
  /** Loads the next ones. */
  loadMore: () => void;
  /** Reads the list again. */
  reload: () => void;
  /** Takes a thread out before the server has answered. */
  hide: (id: string) => void;
  /** Moves a thread to where it is listed if it is pinned, or is not. */
  pin: (id: string, pinned: boolean) => void;
  /** Shows a thread under another name. */
  rename: (id: string, title: string) => void;
}

const PAGE = 30;
const MOST = 200; // that a server gives at once

interface State {
  of: string;
  threads: readonly ThreadSummary[];
  next?: string;
  status: ThreadList["status"];
}

/**
 * The threads of a view that contain the words, page by page. A new `revision` reads them again,
 * without a flash.
 */
export function useThreadList(client: PagesideClient, view: ThreadView, q: string, revision: string): ThreadList {
  const of = `${view} ${q}`;
  const [state, setState] = useState<State>({ of, threads: [], status: "loading" });
  const [again, setAgain] = useState(0);
  const asked = useRef(0);
  const shown = useRef(0);

  if (state.of !== of) setState({ of, threads: [], status: "loading" });
  useEffect(() => {
    shown.current = state.threads.length;
  });

  const fetchPage = useCallback(
    async (cursor: string | undefined, limit: number, done: (page: ThreadPage) => State) => {
      const turn = ++asked.current;
      const query = { q: q || undefined, [view]: view !== "active" || undefined, cursor, limit };
      try {
        const page = await client.threads.list(query);
        if (turn === asked.current) setState(done(page));
      } catch {
        if (turn === asked.current) setState((now) => ({ ...now, status: "failed" }));
      }
    },
    [client, view, q],
  );

  useEffect(() => {
    const limit = Math.min(Math.max(PAGE, shown.current), MOST);
    void fetchPage(undefined, limit, ({ threads, next }) => ({ of, threads, next, status: "ready" }));
  }, [fetchPage, of, revision, again]);

  const { threads, next, status } =
    state.of === of ? state : { threads: [], next: undefined, status: "loading" as const };
  return {
    threads,
    status,
    hasMore: next !== undefined,
    loadMore: () => {
      setState({ ...state, status: "more" });
      void fetchPage(next, PAGE, (page) => ({
        of,
        threads: [...threads, ...page.threads.filter(({ id }) => !threads.some((known) => known.id === id))],
        next: page.next,
        status: "ready",
      }));
    },
    reload: () => {
      setState({ ...state, status: threads.length > 0 ? "ready" : "loading" });
      setAgain(again + 1);
    },
    hide: (id) => setState((now) => ({ ...now, threads: now.threads.filter((thread) => thread.id !== id) })),
    pin: (id, pinned) => setState((now) => ({ ...now, threads: withPin(now.threads, id, pinned) })),
    rename: (id, title) =>
      setState((now) => ({
        ...now,
        threads: now.threads.map((thread) => (thread.id === id ? { ...thread, title } : thread)),
      })),
  };
}
