/** Waiting for context whose values take a moment to get. */
import { pause } from "../base/time.js";
import type { Session, Turn } from "../thread/session.js";

/** The longest that a question waits for its context, in milliseconds. */
const PATIENCE = 2000;

/**
 * Resolves when all are ready, or failed, or took too long: those are told with the value that they
 * have.
 */
export async function prepare({ shared, closed }: Session, turn: Turn): Promise<void> {
  const { mentions, controller } = turn;
  const wanted = shared.context
    .slow()
    .filter(({ id, auto }) => mentions.includes(id) || (auto !== false && shared.page.isOn("context", id)));
  const all = wanted.map(async ({ id, prepare }) => {
    try {
      await prepare!();
    } catch (error) {
      console.warn(`Pageside: the context entry "${id}" could not be prepared.`, error);
    }
  });
  // a thread outlives its questions: nothing of this one stays with it
  const over = new AbortController();
  const left = new Promise<void>((resolve) => {
    for (const { signal } of [controller, closed])
      signal.addEventListener("abort", () => resolve(), { signal: over.signal });
  });
  await Promise.race([Promise.all(all), pause(PATIENCE), left]);
  over.abort();
}
