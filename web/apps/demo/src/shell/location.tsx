import { useSyncExternalStore, type ComponentProps } from "react";

/*
 * The browser's location, and navigation within the application. What deserves a link is kept in
 * paths and parameters, which outlive a reload.
 */

const currentHref = () => location.pathname + location.search;

/** Goes to a path of the application. With `replace` there is no way back. */
export function navigate(href: string, { replace = false } = {}): void {
  if (href === currentHref()) return;
  history[replace ? "replaceState" : "pushState"](null, "", href);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** Path and parameters, `/research/trials?condition=aml`. Renders again when they change. */
export const useHref = () => useSyncExternalStore(subscribe, currentHref);

function subscribe(listener: () => void): () => void {
  addEventListener("popstate", listener);
  return () => removeEventListener("popstate", listener);
}

/**
 * A link within the application: ordinary for the browser (new tab, copy address), but a click does
 * not reload.
 */
export function Link({ href, ...rest }: ComponentProps<"a"> & { href: string }) {
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        navigate(href);
      }}
    />
  );
}
