import type { TrialColumn } from "../state/trial-view.ts";
import type { Values } from "../ui/ArticleTable.tsx";

/** Those that meet every column that filters. */
export function matchingTrials<T extends { nct: string }>(
  trials: readonly T[],
  columns: readonly TrialColumn[],
  values: Values,
): readonly T[] {
  const filters = columns.filter(({ filter, type }) => filter && type === "yes_no");
  return trials.filter(({ nct }) =>
    filters.every(({ name }) => {
      const known = values.get(name);
      return !known || known[nct] === true;
    }),
  );
}
