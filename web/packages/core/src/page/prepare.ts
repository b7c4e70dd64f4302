import { pause } from "../base/time.js";
import type { PageParts } from "./api.js";

/** The longest that a question waits for its context, in milliseconds. */
const PATIENCE = 2000;

/**
 * Waits until slow context values are ready, have failed, or took too long. Resolves at once if one
 * of the signals is aborted.
 */
export async function prepareContext(
  { context, page }: PageParts,
  mentions: readonly string[],
  signals: readonly AbortSignal[],
): Promise<void> {
  const wanted = context
    .slow()
    .filter(({ id, auto }) => mentions.includes(id) || (auto !== false && page.isOn("context", id)));
  const all = wanted.map(async ({ id, prepare }) => {
    try {
      await prepare!();
    } catch (error) {
      console.warn(`Pageside: the context entry "${id}" could not be prepared.`, error);
    }
  });
  // a thread outlives its questions, so remove the listeners of this one
  const over = new AbortController();
  const left = new Promise<void>((resolve) => {
    for (const signal of signals) signal.addEventListener("abort", () => resolve(), { signal: over.signal });
  });
  await Promise.race([Promise.all(all), pause(PATIENCE), left]);
  over.abort();
}
