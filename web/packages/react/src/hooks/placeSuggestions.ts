import type { PagesideClient, SuggestedValue } from "@pageside/core";
import { askFor } from "./asking.js";

/** The server is asked once the place has not changed for this many milliseconds. */
const REST = 400;

/** What was suggested last, and for which place: the server is not asked twice in a row for one. */
interface Last {
  place?: string;
  values: readonly SuggestedValue[];
}

const LAST = Symbol("suggestions of the last place");
const lastOf = (client: PagesideClient) => client.extension<Last>(LAST, () => ({ values: [] }));

/** Calls `tell` with what the server suggests for each place, until the signal is aborted. */
export function watchPlace(
  client: PagesideClient,
  tell: (values: readonly SuggestedValue[]) => void,
  signal: AbortSignal,
): void {
  const last = lastOf(client);
  let asked: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const ask = async (place: string) => {
    const values = await askFor(client);
    if (!values) return;
    Object.assign(last, { place, values });
    if (asked === place && !signal.aborted) tell(values);
  };
  const look = () => {
    const place = JSON.stringify(client.getPlace());
    if (place === asked || signal.aborted) return;
    if (asked !== undefined) tell([]); // what was suggested elsewhere
    asked = place;
    clearTimeout(timer);
    if (place === undefined) return;
    if (last.place === place) tell(last.values);
    else timer = setTimeout(() => void ask(place), REST);
  };

  const undo = client.subscribePage(look);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    undo();
  });
  look();
}
