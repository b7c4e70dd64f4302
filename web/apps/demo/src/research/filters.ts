import type { Filters } from "./types.ts";

/*
 * Filters of articles. In their canonical form, without empty parts and repeated values, they can
 * be compared.
 */

/** The filters that are lists. */
export const listFilters = ["types", "mesh", "journals"] as const;

/** What they are called. */
export const filterNames = { types: "Publication type", mesh: "MeSH heading", journals: "Journal" };

/** The canonical form. */
export function cleanFilters(filters: Filters = {}): Filters {
  const clean: Filters = {};
  for (const name of ["from", "to"] as const) if (filters[name]?.trim()) clean[name] = filters[name].trim();
  for (const name of listFilters) {
    const values = new Set(filters[name]?.map((value) => value.trim()).filter(Boolean));
    if (values.size > 0) clean[name] = [...values];
  }
  return clean;
}

/** Reports whether two filters let the same articles through. */
export const sameFilters = (a: Filters, b: Filters) =>
  JSON.stringify(cleanFilters(a)) === JSON.stringify(cleanFilters(b));

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

/** Writes the filters into parameters of an address. */
export function writeFilters(params: URLSearchParams, filters: Filters): void {
  const { from, to, ...lists } = cleanFilters(filters);
  if (from) params.set("from", from);
  if (to) params.set("to", to);
  for (const name of listFilters) for (const value of lists[name] ?? []) params.append(name, value);
}

/** Reads what `writeFilters` wrote. */
export function readFilters(params: URLSearchParams): Filters {
  const filters: Filters = Object.fromEntries(listFilters.map((name) => [name, params.getAll(name)]));
  for (const name of ["from", "to"] as const) if (isDate(params.get(name) ?? "")) filters[name] = params.get(name)!;
  return cleanFilters(filters);
}

/** A year, a month or a day, as a pattern of an input. */
export const datePattern = String.raw`\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?`;

/** "2024", "2024-05" or "2024-05-17". */
export const isDate = (text: string) => new RegExp(`^${datePattern}$`).test(text);
