import { useSyncExternalStore } from "react";

/*
 * Where the browser is, and how to go elsewhere within the application. Paths and parameters are
 * the only state that outlives a reload, so whatever deserves a link is kept in them.
 */

const listeners = new Set<() => void>();

/** Path and parameters: `/research/trials?condition=aml`. */
export const currentHref = () => location.pathname + location.search;

/**
 * Goes to a path of the application. With `replace` the place that is left is not one to come back
 * to.
 */
export function navigate(href: string, { replace = false } = {}): void {
  if (href === currentHref()) return;
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  for (const listener of listeners) listener();
}

/** Renders again when the place changes. */
export function useHref(): string {
  return useSyncExternalStore(subscribe, currentHref);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener("popstate", tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener("popstate", tell);
  };
}

function tell(): void {
  for (const listener of listeners) listener();
}
