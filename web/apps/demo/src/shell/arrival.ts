import { useAssistantActions } from "@pageside/react";
import { useEffect, useLayoutEffect, useSyncExternalStore } from "react";
import { navigate, useHref } from "./location.ts";

/*
 * A scenario goes somewhere and asks. What it asks has to wait until the page there shows what the
 * question is about: the page says when with `useArrival`.
 */

interface Errand {
  href: string;
  text: string;
}

let errand: Errand | null = null;
/** Who has something to tell the assistant first. */
let holds = 0;
const listeners = new Set<() => void>();

/** Begins a conversation at a place: goes there, and sends the text once the page is ready. */
export function goAndAsk(href: string, text: string): void {
  set({ href, text });
  navigate(href);
}

/** Sends what waits for this page, when it shows what it is to show. */
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

/**
 * Keeps what waits from being sent, on any page, while something that all pages tell the assistant
 * is being loaded.
 */
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

function set(next: Errand | null): void {
  errand = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
