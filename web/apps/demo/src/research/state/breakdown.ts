import type { ArticleBrief } from "../types.ts";

export interface Bar {
  label: string;
  value: number;
}

const shown = 10;

/** How many articles there are of each year, publication type and journal. */
export function breakdown(articles: readonly ArticleBrief[]): { years: Bar[]; types: Bar[]; journals: Bar[] } {
  return {
    years: tally(articles, ({ date }) => [date.slice(0, 4)]).toSorted((a, b) => b.label.localeCompare(a.label)),
    types: tally(articles, ({ types }) => new Set(types)).slice(0, shown),
    journals: tally(articles, ({ journal }) => [journal]).slice(0, shown),
  };
}

/** Most first; of the same number, by name. */
function tally(articles: readonly ArticleBrief[], values: (article: ArticleBrief) => Iterable<string>): Bar[] {
  const counts = new Map<string, number>();
  for (const article of articles)
    for (const value of values(article)) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([label, value]) => ({ label, value }))
    .toSorted((a, b) => b.value - a.value || a.label.localeCompare(b.label));
}

/** What is in one list of articles and not in the other; left is the older one. */
export function difference(left: readonly ArticleBrief[], right: readonly ArticleBrief[]) {
  const before = new Set(left.map(({ pmid }) => pmid));
  const after = new Set(right.map(({ pmid }) => pmid));
  return {
    added: right.filter(({ pmid }) => !before.has(pmid)),
    removed: left.filter(({ pmid }) => !after.has(pmid)),
    kept: right.filter(({ pmid }) => before.has(pmid)),
  };
}
