import { count, num } from "../ui/text.ts";
import { briefRowLimit } from "./context.ts";
import { csvOf } from "./csv.ts";
import type { Discover, Results } from "./discover.ts";
import type { ViewAction } from "./reducer.ts";
import { briefRows, fieldsOf, shownColumns } from "./results.ts";
import { iso, parseTime, rangeLabel } from "./time.ts";
import type { Cell, Filter, LogTime } from "./types.ts";
import { filterLabel, filterOps, isFilterOp, type TimeRange } from "./view.ts";

/*
 * What the assistant can do on the page. Every tool answers when the results are loaded, with the
 * numbers that a model needs or an error that it can repair.
 */

/** A tool's answer: what it did, or what it could not do. */
export type Outcome<More> = ({ success: true; message: string } & More) | ({ success: false; error: string } & Failure);

interface Failure {
  query?: string;
  line?: number;
  column?: number;
  expected?: string[];
}

/** The arguments of execute_ppl_query. */
export interface QueryArgs {
  query: string;
  autoExecute?: boolean;
  description?: string;
}

/** What execute_ppl_query did. */
interface QueryDone {
  executed: boolean;
  query: string;
  /** Rows of the result; requests matched. */
  total?: number;
  matched?: number;
  columns?: string[];
  rows?: Record<string, Cell>[];
}

/** The arguments of set_time_range. */
export interface TimeArgs {
  from: string;
  to: string;
  label?: string;
}

/** The arguments of add_filter. */
export interface FilterArgs {
  field: string;
  op: string;
  value: string | number;
}

/** The arguments of remove_filter: none is all filters. */
export type UnfilterArgs = Partial<FilterArgs>;

/** How many rows there are, and how many requests match. */
interface Narrowed {
  total: number;
  matched: number;
}

/** `turn` names the user's question: changes of one turn are undone together. */
export type Tool<Args, Done> = (discover: Discover, args: Args, turn: string) => Promise<Outcome<Done>>;

/** Sets the query, and runs it. */
export const executeQuery: Tool<QueryArgs, QueryDone> = async (discover, { query, autoExecute }, turn) => {
  if (autoExecute === false) {
    discover.dispatch({ type: "assistant", turn, action: { type: "edit-draft", draft: query } });
    return { success: true, executed: false, query, message: "Query written to the query bar, not run" };
  }
  const results = await act(discover, turn, { type: "run", query });
  if (results.status === "error") {
    const { line, column, expected } = results.error.details;
    return { success: false, error: results.error.message, query, ...(line && { line, column, expected }) };
  }
  const data = results.data!;
  const columns = shownColumns(data, query, discover.getSnapshot().info);
  return {
    success: true,
    executed: true,
    query,
    message: `Query run · ${outcome(discover)}`,
    total: data.total,
    matched: data.matched,
    columns: columns.map((column) => column.name),
    rows: briefRows(data, columns, briefRowLimit),
  };
};

/** Sets the time range. */
export const setTimeRange: Tool<TimeArgs, Narrowed> = async (discover, args, turn) => {
  const time = readRange(args, discover.getSnapshot().info?.time);
  if (typeof time === "string") return { success: false, error: time };
  const results = await act(discover, turn, { type: "set", time });
  return narrowed(discover, results, `Time range set to ${rangeLabel(time)}`);
};

/** Adds a filter. */
export const addFilter: Tool<FilterArgs, Narrowed> = async (discover, args, turn) => {
  const filter = readFilter(args, discover);
  if (typeof filter === "string") return { success: false, error: filter };
  const results = await act(discover, turn, { type: "add-filter", filter });
  return narrowed(discover, results, `Filter added: ${filterLabel(filter)}`);
};

/** Removes the filters that are like the arguments. */
export const removeFilter: Tool<UnfilterArgs, Narrowed> = async (discover, { field, op, value }, turn) => {
  const { filters } = discover.getSnapshot().view;
  const kept = filters.filter(
    (filter) =>
      (field !== undefined && filter.field !== field) ||
      (op !== undefined && filter.op !== op) ||
      (value !== undefined && filter.value !== String(value)),
  );
  const removed = filters.filter((filter) => !kept.includes(filter));
  if (removed.length === 0) return { success: false, error: "There is no such filter" };
  const results = await act(discover, turn, { type: "set", filters: kept });
  return narrowed(discover, results, `Filter removed: ${removed.map(filterLabel).join(", ")}`);
};

/** Shows another data source. */
export const selectSource: Tool<{ source: string }, { fields: string[]; total: number }> = async (
  discover,
  { source },
  turn,
) => {
  const sources = discover.getSnapshot().info?.sources ?? [];
  const found = sources.find(({ name }) => name === source);
  if (!found) {
    const names = sources.map(({ name }) => name).join(", ");
    return { success: false, error: `There is no data source "${source}". There are: ${names}.` };
  }
  const results = await act(discover, turn, { type: "set-source", source });
  if (results.status === "error") return { success: false, error: results.error.message };
  const { label, total, fields } = found;
  const message = `The page shows ${label}, ${count(total, "row")}`;
  return { success: true, message, fields: fields.map(({ name }) => name), total };
};

/** Takes the assistant's last change back, as the button Undo does. */
export const undoChange: Tool<object, Narrowed> = async (discover) => {
  if (!discover.getSnapshot().change) return { success: false, error: "There is nothing to undo" };
  discover.dispatch({ type: "undo" });
  return narrowed(discover, await discover.settled(), "Undone");
};

/** Saves the rows on the page as a file of the user's. */
export const exportResults: Tool<{ format: string }, { rows: number; file: string }> = async (discover, { format }) => {
  if (format !== "csv") return { success: false, error: `There is no format "${format}". There is: csv.` };
  const { data } = await discover.settled();
  const { info, view } = discover.getSnapshot();
  if (!data || data.rows.length === 0) return { success: false, error: "There are no rows on the page" };
  const file = `${info?.source.name ?? "results"}.csv`;
  const columns = shownColumns(data, view.query, info);
  save(
    file,
    csvOf(
      columns,
      data.rows.map((row) => fieldsOf(data, row)),
    ),
  );
  const of = data.total > data.rows.length ? ` of ${num(data.total)}` : "";
  const message = `Saved ${num(data.rows.length)}${of} rows, those on the page, as ${file}`;
  return { success: true, message, rows: data.rows.length, file };
};

/** Has the browser save a text. */
function save(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}

async function act(discover: Discover, turn: string, action: ViewAction): Promise<Results> {
  discover.dispatch({ type: "assistant", turn, action });
  return discover.settled();
}

function narrowed(discover: Discover, results: Results, did: string): Outcome<Narrowed> {
  if (results.status === "error") return { success: false, error: `${did}, but: ${results.error.message}` };
  const { total, matched } = results.data!;
  return { success: true, message: `${did} · ${outcome(discover)}`, total, matched };
}

/** What is on screen now: "5 rows" of a table, or "213 requests". */
function outcome(discover: Discover): string {
  const { kind, total, matched } = discover.getSnapshot().results.data!;
  return kind === "table" ? count(total, "row") : count(matched, "request");
}

function readRange({ from, to, label }: TimeArgs, log?: LogTime | null): TimeRange | null | string {
  const [openStart, openEnd] = [from, to].map((text) => text.trim().toLowerCase() === "all");
  if (openStart && openEnd) return null;
  const start = openStart ? Date.parse(log?.min ?? "") : parseTime(from);
  const end = openEnd ? Date.parse(log?.max ?? "") : parseTime(to, true);
  if (Number.isNaN(start)) return `"from" is no time: ${from}. Write ISO 8601 in UTC, or "all".`;
  if (Number.isNaN(end)) return `"to" is no time: ${to}. Write ISO 8601 in UTC, or "all".`;
  if (start >= end) return `"from" (${iso(start)}) must be before "to" (${iso(end)}).`;
  return { from: iso(start), to: iso(end), ...(label && { label }) };
}

function readFilter({ field, op, value }: FilterArgs, discover: Discover): Filter | string {
  const fields = discover.getSnapshot().info?.fields;
  if (fields && !fields.some((known) => known.name === field))
    return `There is no field "${field}". Fields: ${fields.map((known) => known.name).join(", ")}.`;
  if (!isFilterOp(op)) return `There is no operator "${op}". Operators: ${filterOps.join(", ")}.`;
  return { field, op, value: String(value) };
}
