import { useAssistantActions } from "@pageside/react";
import { useEffect, useLayoutEffect, useSyncExternalStore } from "react";
import { navigate, useHref } from "./location.tsx";

/*
 * A scenario opens a page and asks a question, which waits until the page calls `useArrival`: it
 * then shows what the question is about.
 */

let errand: { href: string; text: string } | null = null;
/** How many components hold questions back. */
let holds = 0;
const listeners = new Set<() => void>();

/** Goes to an address, and begins a conversation with the text once the page there is ready. */
export function goAndAsk(href: string, text: string): void {
  set({ href, text });
  navigate(href);
}

/** Sends the waiting question once the page is ready. */
export function useArrival(ready: boolean): void {
  const { client, open } = useAssistantActions();
  const href = useHref();
  const waiting = useSyncExternalStore(subscribe, () => (holds === 0 ? errand : null));
  useEffect(() => {
    if (!ready || waiting?.href !== href || errand !== waiting) return;
    set(null);
    if (client.getSnapshot().messages.length > 0) client.newThread();
    open();
    void client.send(waiting.text);
  }, [ready, href, waiting, client, open]);
}

/** Holds waiting questions back while context for all pages is loading. */
export function useArrivalHold(held: boolean): void {
  // Before the effects of pages that are ready at once.
  useLayoutEffect(() => {
    if (!held) return undefined;
    holds++;
    return () => {
      holds--;
      set(errand);
    };
  }, [held]);
}

function set(next: typeof errand): void {
  errand = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
