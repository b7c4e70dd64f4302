/** Notices that the address has changed, without polling. */
import { Subscribable } from "@pageside/core";

// The address and the history are the page's, whichever client asks.
const changes = new Subscribable();
let stop: (() => void) | undefined;

/** Calls the listener after the address has changed, until the signal is aborted. */
export function watchNavigation(listener: () => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  const undo = changes.subscribe(() => listener()); // the same listener may be registered twice
  stop ??= begin();
  signal.addEventListener("abort", () => {
    undo();
    if (changes.hasListeners) return;
    stop?.();
    stop = undefined;
  });
}

function begin(): () => void {
  let last = location.href;
  const check = () => {
    if (location.href === last) return;
    last = location.href;
    changes.notify();
  };
  const { navigation } = globalThis as { navigation?: EventTarget };
  return navigation ? listen(navigation, ["currententrychange"], check) : watchHistory(check);
}

/**
 * For browsers without the Navigation API: watches the functions that write the address, and the
 * user.
 */
function watchHistory(check: () => void): () => void {
  const stopListening = listen(window, ["popstate", "hashchange"], check);
  let isOver = false;
  const undo = (["pushState", "replaceState"] as const).map((name) => {
    const original = history[name];
    const patched: History["pushState"] = function (this: History, ...given) {
      original.apply(this, given);
      if (!isOver) check();
    };
    history[name] = patched;
    return () => {
      // If other code has wrapped it, it stays but does nothing.
      if (history[name] === patched) history[name] = original;
    };
  });
  return () => {
    isOver = true;
    stopListening();
    undo.forEach((each) => each());
  };
}

function listen(target: EventTarget, names: readonly string[], listener: () => void): () => void {
  for (const name of names) target.addEventListener(name, listener);
  return () => {
    for (const name of names) target.removeEventListener(name, listener);
  };
}
