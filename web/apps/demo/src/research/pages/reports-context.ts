import type { ReportBrief } from "../types.ts";

/** What the assistant is told on every page with reports. */
export function reportsContext(
  reports: readonly ReportBrief[] | undefined,
  { selected = [], open }: { selected?: readonly string[]; open?: ReportBrief },
): Record<string, unknown> {
  return {
    reports: reports?.map(({ id, streamId, name, date, total }) => ({ id, streamId, name, date, total })) ?? [],
    selected,
    ...(open && { open: { id: open.id, name: open.name, total: open.total, date: open.date, query: open.query } }),
  };
}
