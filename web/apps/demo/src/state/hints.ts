import type { ViewAction } from "./reducer.ts";
import { filterLabel } from "./results.ts";
import { rangeLabel } from "./time.ts";
import { defaultView, type View } from "./view.ts";

/** One thing that narrows a view, and how to be rid of it. */
export interface Narrowing {
  kind: "filter" | "time" | "query";
  label: string;
  /** The view without it. */
  without: View;
  remove: ViewAction;
}

/**
 * A narrowing and how many requests there would be without it; undefined while that is being
 * counted.
 */
export interface Hint extends Narrowing {
  matched?: number;
}

/** What keeps requests out of a view: its filters, its time range, its query. */
export function narrowings(view: View): Narrowing[] {
  const plain: View = { ...view, page: 1, sort: null };
  const list: Narrowing[] = view.filters.flatMap((filter, index) =>
    filter.disabled
      ? []
      : {
          kind: "filter" as const,
          label: filterLabel(filter),
          without: { ...plain, filters: plain.filters.toSpliced(index, 1) },
          remove: { type: "toggle-filter" as const, index },
        },
  );
  if (view.time)
    list.push({
      kind: "time",
      label: rangeLabel(view.time),
      without: { ...plain, time: null },
      remove: { type: "set-time", time: null },
    });
  if (view.query !== defaultView.query)
    list.push({
      kind: "query",
      label: view.query,
      without: { ...plain, query: defaultView.query },
      remove: { type: "run", query: defaultView.query },
    });
  return list;
}
