/** Notices that the address has changed, without polling. */
import { Subscribable } from "@pageside/core";
import { withHooksPart } from "./later.js";

// The address and the history are the page's, whichever client asks.
const changes = new Subscribable();
let watching: AbortController | undefined;

/** Calls the listener after the address has changed, until the signal is aborted. */
export function watchNavigation(listener: () => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  const undo = changes.subscribe(() => listener()); // the same listener may be registered twice
  if (!watching) begin((watching = new AbortController()).signal);
  signal.addEventListener("abort", () => {
    undo();
    if (changes.hasListeners) return;
    watching?.abort();
    watching = undefined;
  });
}

function begin(signal: AbortSignal): void {
  let last = location.href;
  const check = () => {
    if (location.href === last) return;
    last = location.href;
    changes.notify();
  };
  const { navigation } = globalThis as { navigation?: EventTarget };
  if (navigation) return navigation.addEventListener("currententrychange", check, { signal });
  withHooksPart(({ watchHistory }) => watchHistory(check, signal), "navigation cannot be watched");
}
