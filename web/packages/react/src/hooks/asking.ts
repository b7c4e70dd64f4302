/** Asks the server for suggestions, no more often than it allows. */
import type { PagesideClient, SuggestedValue } from "@pageside/core";

/** How long to wait after a refusal without `Retry-After`, in milliseconds. */
const PAUSE = 30_000;

/** From when the server may be asked again, in milliseconds since the epoch. */
const PAUSE_END = Symbol("pause in asking for suggestions");

/** What the server is told of the conversation, as an item of the context. */
const CONVERSATION = "The last question and the end of its answer";

const pauseOf = (client: PagesideClient) => client.extension(PAUSE_END, () => ({ end: 0 }));

/** The server's suggestions; undefined if it fails, or has asked to wait. */
export async function askFor(
  client: PagesideClient,
  instructions?: string,
  conversation?: string,
): Promise<SuggestedValue[] | undefined> {
  const pause = pauseOf(client);
  if (Date.now() < pause.end) return undefined;
  try {
    const more = conversation === undefined ? [] : [{ description: CONVERSATION, value: conversation }];
    return await client.suggest(instructions, more);
  } catch (cause) {
    const { status, retryAfter } = cause as { status?: number; retryAfter?: string | null };
    if (status === 429 || status === 503) pause.end = Date.now() + millisecondsOf(retryAfter);
    return undefined;
  }
}

/** `Retry-After` has seconds, or a date. */
function millisecondsOf(retryAfter: string | null | undefined): number {
  const seconds = Number(retryAfter ?? NaN);
  const pause = Number.isNaN(seconds) ? Date.parse(retryAfter ?? "") - Date.now() : seconds * 1000;
  return pause > 0 ? pause : PAUSE;
}
