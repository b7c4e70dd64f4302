import type { Filters } from "./types.ts";

/*
 * What narrows a search, of articles or trials: texts, and lists whose values are alternatives.
 */

/** The filters that are lists. */
export const listFilters = ["types", "mesh", "journals"] as const;

/** What they are called. */
export const filterNames = { types: "Publication type", mesh: "MeSH heading", journals: "Journal" };

/** The canonical form, which can be compared: without empty parts and repeated values. */
export function clean<Criteria extends object>(criteria: Criteria): Criteria {
  const parts = Object.entries(criteria as Record<string, string | string[] | undefined>)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value = ""]) => [name, typeof value === "string" ? value.trim() : trimmed(value)] as const);
  return Object.fromEntries(parts.filter(([, value]) => value.length > 0)) as Criteria;
}

const trimmed = (values: string[]) => [...new Set(values.map((value) => value.trim()))].filter(Boolean);

/** Reports whether two let the same through. */
export const same = (a: object, b: object) => JSON.stringify(clean(a)) === JSON.stringify(clean(b));

/** Dates in words: "2020 to 2024", "from 2020", "until 2024". */
export function describeDates(from: string | undefined, to: string | undefined, since = "from"): string | undefined {
  if (from && to) return `${from} to ${to}`;
  return from ? `${since} ${from}` : to && `until ${to}`;
}

/** Each filter in words: `["from 2020", "Publication type: Review or Meta-Analysis"]`. */
export function describeFilters(filters: Filters): string[] {
  const dates = describeDates(filters.from, filters.to);
  const lists = listFilters.flatMap((name) =>
    filters[name]?.length ? [`${filterNames[name]}: ${filters[name].join(" or ")}`] : [],
  );
  return dates ? [dates, ...lists] : lists;
}

/** Writes the criteria into parameters of an address. */
export function writeCriteria(params: URLSearchParams, criteria: object): void {
  for (const [name, value] of Object.entries(clean(criteria) as Record<string, string | string[]>))
    for (const each of [value].flat()) params.append(name, each);
}

/** Reads filters that `writeCriteria` wrote. */
export function readFilters(params: URLSearchParams): Filters {
  const filters: Filters = Object.fromEntries(listFilters.map((name) => [name, params.getAll(name)]));
  for (const name of ["from", "to"] as const) if (isDate(params.get(name) ?? "")) filters[name] = params.get(name)!;
  return clean(filters);
}

/** A year, a month or a day, as a pattern of an input. */
export const datePattern = String.raw`\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?`;

/** "2024", "2024-05" or "2024-05-17". */
export const isDate = (text: string) => new RegExp(`^${datePattern}$`).test(text);
