import type { ViewAction } from "./reducer.ts";
import { rangeLabel } from "./time.ts";
import { defaultView, filterLabel, type View } from "./view.ts";

/** One thing that narrows a view, and the action that removes it. */
export interface Hint {
  kind: "filter" | "time" | "query";
  label: string;
  /** The view without it. */
  without: View;
  remove: ViewAction;
  /** Requests without it; undefined while they are being counted. */
  matched?: number;
}

/** What keeps requests out of a view: its filters, its time range, its query. */
export function narrowings({ filters, time, query, ...view }: View): Hint[] {
  const plain: View = { ...view, filters, time, query, page: 1, sort: null };
  const list: Hint[] = filters.map((filter, index) => ({
    kind: "filter",
    label: filterLabel(filter),
    without: { ...plain, filters: filters.toSpliced(index, 1) },
    remove: { type: "toggle-filter", index },
  }));
  const on = list.filter((_, index) => !filters[index]!.disabled);
  if (time)
    on.push({
      kind: "time",
      label: rangeLabel(time),
      without: { ...plain, time: null },
      remove: { type: "set", time: null },
    });
  if (query !== defaultView.query) {
    const all = { query: defaultView.query };
    on.push({ kind: "query", label: query, without: { ...plain, ...all }, remove: { type: "run", ...all } });
  }
  return on;
}
