import type { Cell, Filter, LogTime } from "../api/types.ts";
import { briefRowLimit } from "../state/context.ts";
import type { Discover } from "../state/discover.ts";
import type { ViewAction } from "../state/reducer.ts";
import { briefRows, filterLabel, shownColumns } from "../state/results.ts";
import { iso, parseTime, rangeLabel } from "../state/time.ts";
import { filterOps, isFilterOp, type TimeRange } from "../state/view.ts";

/*
 * What the assistant can do on the page. Every tool answers after the results are here, with what
 * came of it: the numbers a model needs for its answer, or an error it can repair.
 */

export interface ToolFailure {
  success: false;
  error: string;
}

export interface QueryArgs {
  query: string;
  autoExecute?: boolean;
  description?: string;
}

export interface QueryDone {
  success: true;
  executed: boolean;
  query: string;
  message: string;
  /** Rows of the result; requests matched. */
  total?: number;
  matched?: number;
  columns?: string[];
  rows?: Record<string, Cell>[];
}

export interface QueryFailure extends ToolFailure {
  query: string;
  line?: number;
  column?: number;
  expected?: string[];
}

export interface TimeArgs {
  from: string;
  to: string;
  label?: string;
}

export interface FilterArgs {
  field: string;
  op: string;
  value: string | number;
}

export interface SourceArgs {
  source: string;
}

export interface SourceDone {
  success: true;
  message: string;
  fields: string[];
  total: number;
}

export interface Narrowed {
  success: true;
  message: string;
  total: number;
  matched: number;
}

/** `turn` names the user's question: changes of one turn are undone together. */
export type Tool<Args, Result> = (discover: Discover, args: Args, turn: string) => Promise<Result>;

export const executeQuery: Tool<QueryArgs, QueryDone | QueryFailure> = async (discover, args, turn) => {
  const { query } = args;
  if (args.autoExecute === false) {
    discover.dispatch({ type: "assistant", turn, action: { type: "edit-draft", draft: query } });
    return { success: true, executed: false, query, message: "Query written to the query bar, not run" };
  }
  const results = await act(discover, turn, { type: "run", query });
  if (results.status === "error") {
    const { message, place } = results.error;
    const where = place && { line: place.line, column: place.column, expected: place.expected };
    return { success: false, error: message, query, ...where };
  }
  const { view, info } = discover.getSnapshot();
  const data = results.data!;
  const columns = shownColumns(data, view, info);
  return {
    success: true,
    executed: true,
    query,
    message: `Query run: ${outcome(discover)}`,
    total: data.total,
    matched: data.matched,
    columns: columns.map((column) => column.name),
    rows: briefRows(data, columns, briefRowLimit),
  };
};

export const setTimeRange: Tool<TimeArgs, Narrowed | ToolFailure> = async (discover, args, turn) => {
  const range = readRange(args, discover.getSnapshot().info?.time);
  if (typeof range === "string") return { success: false, error: range };
  const results = await act(discover, turn, { type: "set-time", time: range });
  return narrowed(discover, results, `Time range set to ${rangeLabel(range)}`);
};

export const addFilter: Tool<FilterArgs, Narrowed | ToolFailure> = async (discover, args, turn) => {
  const filter = readFilter(args, discover);
  if (typeof filter === "string") return { success: false, error: filter };
  const results = await act(discover, turn, { type: "add-filter", filter });
  return narrowed(discover, results, `Filter added: ${filterLabel(filter)}`);
};

export const selectSource: Tool<SourceArgs, SourceDone | ToolFailure> = async (discover, { source }, turn) => {
  const sources = discover.getSnapshot().info?.sources ?? [];
  const found = sources.find(({ name }) => name === source);
  if (!found)
    return {
      success: false,
      error: `There is no data source "${source}". There are: ${sources.map(({ name }) => name).join(", ")}.`,
    };
  const results = await act(discover, turn, { type: "set-source", source });
  if (results.status === "error") return { success: false, error: results.error.message };
  const { label, total, fields } = found;
  const rows = `${total.toLocaleString("en")} ${total === 1 ? "row" : "rows"}`;
  return { success: true, message: `The page shows ${label}, ${rows}`, fields: fields.map(({ name }) => name), total };
};

async function act(discover: Discover, turn: string, action: ViewAction) {
  discover.dispatch({ type: "assistant", turn, action });
  return discover.settled();
}

type Settled = Awaited<ReturnType<Discover["settled"]>>;

function narrowed(discover: Discover, results: Settled, did: string): Narrowed | ToolFailure {
  if (results.status === "error") return { success: false, error: `${did}, but: ${results.error.message}` };
  const { total, matched } = results.data!;
  return { success: true, message: `${did}: ${outcome(discover)}`, total, matched };
}

/** "213 of 10,000 requests match, 5 rows". */
function outcome(discover: Discover): string {
  const { results, info } = discover.getSnapshot();
  const data = results.data!;
  const matching = `${data.matched.toLocaleString("en")}${info ? ` of ${info.total.toLocaleString("en")}` : ""} requests match`;
  if (data.kind !== "table") return matching;
  return `${matching}, ${data.total.toLocaleString("en")} ${data.total === 1 ? "row" : "rows"}`;
}

function readRange({ from, to, label }: TimeArgs, log?: LogTime | null): TimeRange | null | string {
  const openStart = isAll(from);
  const openEnd = isAll(to);
  if (openStart && openEnd) return null;
  const start = openStart ? Date.parse(log?.min ?? "") : parseTime(from);
  const end = openEnd ? Date.parse(log?.max ?? "") : parseTime(to, true);
  if (Number.isNaN(start)) return `"from" is no time: ${from}. Write ISO 8601 in UTC, or "all".`;
  if (Number.isNaN(end)) return `"to" is no time: ${to}. Write ISO 8601 in UTC, or "all".`;
  if (start >= end) return `"from" (${iso(start)}) must be before "to" (${iso(end)}).`;
  return { from: iso(start), to: iso(end), ...(label && { label }) };
}

function isAll(text: string): boolean {
  return text.trim().toLowerCase() === "all";
}

function readFilter({ field, op, value }: FilterArgs, discover: Discover): Filter | string {
  const fields = discover.getSnapshot().info?.fields;
  if (fields && !fields.some((known) => known.name === field))
    return `There is no field "${field}". Fields: ${fields.map((known) => known.name).join(", ")}.`;
  if (!isFilterOp(op)) return `There is no operator "${op}". Operators: ${filterOps.join(", ")}.`;
  return { field, op, value: String(value) };
}
