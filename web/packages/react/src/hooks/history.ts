/**
 * Notices changes of the address where there is no Navigation API: watches the functions that write
 * the address, and the user.
 */
export function watchHistory(check: () => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  for (const name of ["popstate", "hashchange"]) window.addEventListener(name, check, { signal });
  for (const name of ["pushState", "replaceState"] as const) watchWrites(name, check, signal);
  check(); // what was written while this was loaded
}

function watchWrites(name: "pushState" | "replaceState", check: () => void, signal: AbortSignal): void {
  const original = history[name];
  const patched: History["pushState"] = function (this: History, ...given) {
    original.apply(this, given);
    if (!signal.aborted) check();
  };
  history[name] = patched;
  signal.addEventListener("abort", () => {
    // If other code has wrapped it, it stays but does nothing.
    if (history[name] === patched) history[name] = original;
  });
}
