import { useAssistantActions } from "@pageside/react";
import { useEffect, useLayoutEffect } from "react";
import { Store, useStore } from "../ui/store.ts";
import { navigate, useHref } from "./location.tsx";

/*
 * A scenario opens a page and asks a question, which waits until the page calls `useArrival`: it
 * then shows what the question is about.
 */

const errand = new Store<{ href: string; text: string } | null>(null);
/** How many components hold questions back. */
const holds = new Store(0);

/** Goes to an address, and begins a conversation with the text once the page there is ready. */
export function goAndAsk(href: string, text: string): void {
  errand.set({ href, text });
  navigate(href);
}

/** Sends the waiting question once the page is ready. */
export function useArrival(ready: boolean): void {
  const { client, open } = useAssistantActions();
  const href = useHref();
  const waiting = useStore(errand);
  const held = useStore(holds);
  useEffect(() => {
    const isHeld = held > 0 || holds.getSnapshot() > 0; // the hold of the same commit is not drawn yet
    if (!ready || isHeld || waiting?.href !== href || errand.getSnapshot() !== waiting) return;
    errand.set(null);
    if (client.getSnapshot().messages.length > 0) client.newThread();
    open();
    void client.send(waiting.text);
  }, [ready, held, href, waiting, client, open]);
}

/** Holds waiting questions back while context for all pages is loading. */
export function useArrivalHold(held: boolean): void {
  // Before the effects of pages that are ready at once.
  useLayoutEffect(() => {
    if (!held) return undefined;
    holds.set(holds.getSnapshot() + 1);
    return () => holds.set(holds.getSnapshot() - 1);
  }, [held]);
}
