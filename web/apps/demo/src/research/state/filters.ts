import type { Filters } from "../types.ts";

/*
 * Filters of articles. A canonical form makes them comparable: what is empty is left out, lists are
 * without repeats.
 */

export const listFilters = ["types", "mesh", "journals"] as const;
export type ListFilter = (typeof listFilters)[number];

export const filterNames: Record<ListFilter, string> = {
  types: "Publication type",
  mesh: "MeSH heading",
  journals: "Journal",
};

export function cleanFilters(filters: Filters | undefined): Filters {
  const clean: Filters = {};
  if (filters?.from?.trim()) clean.from = filters.from.trim();
  if (filters?.to?.trim()) clean.to = filters.to.trim();
  for (const name of listFilters) {
    const values = [...new Set((filters?.[name] ?? []).map((value) => value.trim()).filter(Boolean))];
    if (values.length > 0) clean[name] = values;
  }
  return clean;
}

export function sameFilters(a: Filters, b: Filters): boolean {
  return JSON.stringify(cleanFilters(a)) === JSON.stringify(cleanFilters(b));
}

export const hasFilters = (filters: Filters) => Object.keys(cleanFilters(filters)).length > 0;

/** Each filter in words: `["from 2020", "Publication type: Review or Meta-Analysis"]`. */
export function describeFilters(filters: Filters): string[] {
  const { from, to } = cleanFilters(filters);
  const dates = from && to ? [`${from} to ${to}`] : from ? [`from ${from}`] : to ? [`until ${to}`] : [];
  return [
    ...dates,
    ...listFilters.flatMap((name) => {
      const values = filters[name];
      return values?.length ? [`${filterNames[name]}: ${values.join(" or ")}`] : [];
    }),
  ];
}

/** Writes the filters into parameters of an address. */
export function writeFilters(params: URLSearchParams, filters: Filters): void {
  const { from, to, ...lists } = cleanFilters(filters);
  if (from) params.set("from", from);
  if (to) params.set("to", to);
  for (const name of listFilters) for (const value of lists[name] ?? []) params.append(name, value);
}

export function readFilters(params: URLSearchParams): Filters {
  return cleanFilters({
    from: date(params.get("from")),
    to: date(params.get("to")),
    types: params.getAll("types"),
    mesh: params.getAll("mesh"),
    journals: params.getAll("journals"),
  });
}

/** "2024", "2024-05" or "2024-05-17". */
export const isDate = (text: string) => /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/.test(text);

const date = (text: string | null) => (text !== null && isDate(text) ? text : undefined);
