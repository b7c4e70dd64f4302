import type { Filter, Sort } from "../api/types.ts";
import { defaultView, isFilterOp, pageSizes, type TimeRange, type View } from "./view.ts";

/*
 * ?q=source%3Daccess_log&from=…&to=…&range=label&f=status~is~404&f=!path~contains~%2Fblog&sort=bytes:desc&page=2&size=100&cols=a,b&row=17
 * What has its default is left out. A filter is field~op~value, with "!" before it while it is
 * switched off.
 */

/** The view as a URL's search part: `""` or `?…`. */
export function encodeView(view: View): string {
  const params = new URLSearchParams();
  if (view.query !== defaultView.query) params.set("q", view.query);
  if (view.time) {
    params.set("from", view.time.from);
    params.set("to", view.time.to);
    if (view.time.label) params.set("range", view.time.label);
  }
  for (const filter of view.filters) params.append("f", encodeFilter(filter));
  if (view.sort) params.set("sort", `${view.sort.field}:${view.sort.dir}`);
  if (view.page !== defaultView.page) params.set("page", String(view.page));
  if (view.pageSize !== defaultView.pageSize) params.set("size", String(view.pageSize));
  if (view.columns) params.set("cols", view.columns.join(","));
  if (view.row) params.set("row", view.row);
  const search = params.toString();
  return search === "" ? "" : `?${search}`;
}

/**
 * Reads what `encodeView` wrote. What is missing or makes no sense has its default, so any URL
 * gives a usable view.
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
    columns: params.get("cols")?.split(",").filter(Boolean) ?? null,
    row: params.get("row") || null,
  };
}

function encodeFilter({ field, op, value, disabled }: Filter): string {
  return `${disabled ? "!" : ""}${field}~${op}~${value}`;
}

function decodeFilter(text: string): Filter[] {
  const disabled = text.startsWith("!");
  const [field, op, ...value] = (disabled ? text.slice(1) : text).split("~");
  if (!field || !isFilterOp(op) || value.length === 0) return [];
  const filter: Filter = { field, op, value: value.join("~") };
  return [disabled ? { ...filter, disabled } : filter];
}

function decodeTime(params: URLSearchParams): TimeRange | null {
  const from = params.get("from") ?? "";
  const to = params.get("to") ?? "";
  if (!(Date.parse(from) < Date.parse(to))) return null;
  const label = params.get("range");
  return label ? { from, to, label } : { from, to };
}

function decodeSort(text: string | null): Sort | null {
  const [, field, dir] = /^(.+):(asc|desc)$/.exec(text ?? "") ?? [];
  return field && (dir === "asc" || dir === "desc") ? { field, dir } : null;
}

function positive(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
}
