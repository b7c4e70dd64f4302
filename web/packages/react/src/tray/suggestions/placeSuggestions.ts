import type { PagesideClient, SuggestedValue } from "@pageside/core";
import { askFor } from "../../hooks/asking.js";

/** The page has to be at rest for so many milliseconds. */
const REST = 400;

/** What was suggested last, and where: who looks again at the same place is not asking anew. */
const last = new WeakMap<PagesideClient, { place: string; values: readonly SuggestedValue[] }>();

/**
 * Tells what the server suggests for the place where the user is, once for each place, until the
 * signal is aborted.
 */
export function watchPlace(
  client: PagesideClient,
  tell: (values: readonly SuggestedValue[]) => void,
  signal: AbortSignal,
): void {
  let asked: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const ask = async (place: string) => {
    const values = await askFor(client);
    if (!values) return;
    last.set(client, { place, values });
    if (asked === place && !signal.aborted) tell(values);
  };
  const look = () => {
    const place = JSON.stringify(client.getPlace());
    if (place === asked || signal.aborted) return;
    if (asked !== undefined) tell([]); // what was suggested elsewhere
    asked = place;
    clearTimeout(timer);
    const known = last.get(client);
    if (known?.place === place) tell(known.values);
    else if (place !== undefined) timer = setTimeout(() => void ask(place), REST);
  };

  const undo = client.subscribePage(look);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    undo();
  });
  look();
}
