/**
 * Calls `changed` once the elements are laid out, and whenever the size of one changes. Returns
 * what ends it.
 */
export function watchSizes(changed: () => void, ...elements: readonly Element[]): () => void {
  if (typeof ResizeObserver === "undefined") return () => {};
  const observer = new ResizeObserver(changed);
  for (const element of elements) observer.observe(element);
  return () => observer.disconnect();
}
