import { positive } from "../ui/text.ts";
import type { Filter, Sort } from "./types.ts";
import { defaultView, isFilterOp, pageSizes, type TimeRange, type View } from "./view.ts";

/*
 * ?q=source%3Daccess_log&from=…&to=…&range=label&f=status~is~404&f=!path~contains~%2Fblog
 * &sort=bytes:desc&page=2&size=100&row=17
 * Defaults are left out. A filter is field~op~value, with "!" before it while it is switched off.
 */

/** The view as a URL's search part: `""` or `?…`. */
export function encodeView({ query, time, filters, sort, page, pageSize, row }: View): string {
  const params = new URLSearchParams();
  if (query !== defaultView.query) params.set("q", query);
  if (time) {
    params.set("from", time.from);
    params.set("to", time.to);
    if (time.label) params.set("range", time.label);
  }
  for (const { field, op, value, disabled } of filters)
    params.append("f", `${disabled ? "!" : ""}${field}~${op}~${value}`);
  if (sort) params.set("sort", `${sort.field}:${sort.dir}`);
  if (page !== defaultView.page) params.set("page", String(page));
  if (pageSize !== defaultView.pageSize) params.set("size", String(pageSize));
  if (row) params.set("row", row);
  return params.size > 0 ? `?${params.toString()}` : "";
}

/**
 * Reads what `encodeView` wrote. Missing and invalid parts get their defaults, so any URL gives a
 * usable view.
 */
export function decodeView(search: string): View {
  const params = new URLSearchParams(search);
  return {
    query: params.get("q")?.trim() ? params.get("q")! : defaultView.query,
    time: decodeTime(params),
    filters: params.getAll("f").flatMap(decodeFilter),
    sort: decodeSort(params.get("sort")),
    page: positive(params.get("page")) ?? defaultView.page,
    pageSize: pageSizes.find((size) => size === positive(params.get("size"))) ?? defaultView.pageSize,
    row: params.get("row") || null,
  };
}

function decodeFilter(text: string): Filter[] {
  const disabled = text.startsWith("!");
  const [field, op, ...value] = (disabled ? text.slice(1) : text).split("~");
  if (!field || !isFilterOp(op) || value.length === 0) return [];
  return [{ field, op, value: value.join("~"), ...(disabled && { disabled }) }];
}

function decodeTime(params: URLSearchParams): TimeRange | null {
  const [from = "", to = "", label] = ["from", "to", "range"].map((name) => params.get(name) ?? undefined);
  if (!(Date.parse(from) < Date.parse(to))) return null;
  return { from, to, ...(label && { label }) };
}

function decodeSort(text: string | null): Sort | null {
  const [, field, dir] = /^(.+):(asc|desc)$/.exec(text ?? "") ?? [];
  return field ? { field, dir: dir as Sort["dir"] } : null;
}
