import type { ArticleBrief } from "./types.ts";

const shown = 10;

/** How many articles there are of each year, publication type and journal. */
export function breakdown(articles: readonly ArticleBrief[]) {
  return {
    years: tally(articles.map(({ date }) => date.slice(0, 4))).toSorted((a, b) => b.label.localeCompare(a.label)),
    types: tally(articles.flatMap(({ types }) => [...new Set(types)])).slice(0, shown),
    journals: tally(articles.map(({ journal }) => journal)).slice(0, shown),
  };
}

/** Most first; of the same number, by name. */
function tally(values: readonly string[]): { label: string; value: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([label, value]) => ({ label, value }))
    .toSorted((a, b) => b.value - a.value || a.label.localeCompare(b.label));
}
