import type { Snapshot } from "./discover.ts";
import { briefCells, briefRows, peak, shownColumns } from "./results.ts";
import { rangeLabel } from "./time.ts";

/*
 * What the assistant is told about the screen: everything that the user sees and that can change.
 * Rows are in brief; the open row is complete.
 */

/** The most rows sent in brief. */
export const briefRowLimit = 20;

/** The query and its result. */
export function queryContext(snapshot: Snapshot): Record<string, unknown> {
  const { view, draft, info, results, hints } = snapshot;
  const { query, time, filters, sort, page, pageSize } = view;
  return {
    source: info?.source.name ?? "access_log",
    query,
    ...(draft.trim() !== query && { textInQueryBarNotRunYet: draft }),
    timeRange: {
      from: time?.from ?? info?.time?.min ?? null,
      to: time?.to ?? info?.time?.max ?? null,
      label: rangeLabel(time),
    },
    filters,
    sort,
    page,
    pageSize,
    ...resultsContext(snapshot),
    ...(results.status === "loading" && { loading: true }),
    ...(hints.length > 0 && {
      matchedWithout: hints.map(({ label, matched }) => ({ label, matched: matched ?? null })),
    }),
  };
}

function resultsContext({ results, view, info }: Snapshot): Record<string, unknown> {
  if (results.status === "error") {
    const { message, details } = results.error;
    return { error: { message, line: details.line, column: details.column } };
  }
  const { data } = results;
  if (!data) return {};
  const top = peak(data.histogram);
  return {
    kind: data.kind,
    total: info?.total ?? null,
    matched: data.matched,
    resultRows: data.total,
    shown: data.rows.length,
    rows: briefRows(data, shownColumns(data, view.query, info), briefRowLimit),
    histogram: { interval: data.histogram.interval, peak: top ? { from: top.from, count: top.count } : null },
  };
}

/** The ticked rows, the first in brief. */
export function selectionContext({ selected }: Snapshot): Record<string, unknown> {
  return { count: selected.length, rows: selected.slice(0, briefRowLimit).map(({ fields }) => briefCells(fields)) };
}

/** The open row, or null. */
export function rowContext({ detail }: Snapshot): Record<string, unknown> | null {
  return detail?.data ? { id: detail.id, ...detail.data } : null;
}

/** The data source, or null until it is known. */
export function sourceContext({ info }: Snapshot): Record<string, unknown> | null {
  if (!info) return null;
  const { sources, total, badLines, time, fields } = info;
  const { name, label, generated } = info.source;
  return {
    name,
    label,
    generated,
    total,
    unreadableLines: badLines,
    time,
    fields: fields.map((field) => `${field.name} (${field.type})`),
    sources: sources.map(({ name, label }) => ({ name, label })),
  };
}
