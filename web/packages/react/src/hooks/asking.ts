/** Asking the server for suggestions, as often as it likes to be asked. */
import type { PagesideClient, SuggestedValue } from "@pageside/core";

/** How long it is left alone where it does not say, in milliseconds. */
const PAUSE = 30_000;

/** Since when each client's server may be asked again, in milliseconds since the epoch. */
const pauses = new WeakMap<PagesideClient, number>();

/**
 * What the server suggests; undefined where it cannot say, or has asked to be left alone for a
 * while.
 */
export async function askFor(client: PagesideClient, instructions?: string): Promise<SuggestedValue[] | undefined> {
  if (Date.now() < (pauses.get(client) ?? 0)) return undefined;
  try {
    return await client.suggest(instructions);
  } catch (cause) {
    const { status, retryAfter } = cause as { status?: number; retryAfter?: string | null };
    if (status === 429 || status === 503) pauses.set(client, Date.now() + pauseOf(retryAfter));
    return undefined;
  }
}

/** `Retry-After` has seconds, or a date. */
function pauseOf(retryAfter: string | null | undefined): number {
  const seconds = Number(retryAfter ?? NaN);
  const pause = Number.isNaN(seconds) ? Date.parse(retryAfter ?? "") - Date.now() : seconds * 1000;
  return pause > 0 ? pause : PAUSE;
}
