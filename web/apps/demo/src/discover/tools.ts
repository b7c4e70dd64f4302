import { count, num } from "../ui/text.ts";
import type { ToolOutcome } from "../ui/ToolPanel.tsx";
import { briefRowLimit } from "./context.ts";
import { csvOf } from "./csv.ts";
import type { Discover, Results } from "./discover.ts";
import type { ViewAction } from "./reducer.ts";
import { briefRows, fieldsOf, shownColumns } from "./results.ts";
import { iso, parseTime, rangeLabel } from "./time.ts";
import type { Filter, LogTime } from "./types.ts";
import { filterLabel, filterOps, isFilterOp, type TimeRange } from "./view.ts";

/*
 * What the assistant can do on the page. Every tool answers when the results are loaded, with the
 * numbers that a model needs or an error that it can repair.
 */

/** A tool's answer: what it did, or what it could not do, with more for the model. */
export type Outcome = ToolOutcome & Record<string, unknown>;

/** `turn` names the user's question: changes of one turn are undone together. */
export type Tool<Args> = (discover: Discover, args: Args, turn: string) => Promise<Outcome>;

/** The arguments of add_filter. */
export interface FilterArgs {
  field: string;
  op: string;
  value: string | number;
}

/** Sets the query, and runs it. */
export const executeQuery: Tool<{ query: string; autoExecute?: boolean }> = async (discover, args, turn) => {
  const { query, autoExecute } = args;
  if (autoExecute === false) {
    discover.dispatch({ type: "assistant", turn, action: { type: "edit-draft", draft: query } });
    return { success: true, executed: false, query, message: "Query written to the query bar, not run" };
  }
  const results = await act(discover, turn, { type: "run", query });
  if (results.status === "error") {
    const { line, column, expected } = results.error.details;
    return { ...failed(results.error.message), query, ...(line && { line, column, expected }) };
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
export const setTimeRange: Tool<TimeRange> = async (discover, args, turn) => {
  const time = readRange(args, discover.getSnapshot().info?.time);
  if (typeof time === "string") return failed(time);
  const results = await act(discover, turn, { type: "set", time });
  return narrowed(discover, results, `Time range set to ${rangeLabel(time)}`);
};

/** Adds a filter. */
export const addFilter: Tool<FilterArgs> = async (discover, { field, op, value }, turn) => {
  const fields = discover.getSnapshot().info?.fields.map(({ name }) => name);
  if (fields && !fields.includes(field)) return failed(`There is no field "${field}". Fields: ${fields.join(", ")}.`);
  if (!isFilterOp(op)) return failed(`There is no operator "${op}". Operators: ${filterOps.join(", ")}.`);
  const filter = { field, op, value: String(value) };
  const results = await act(discover, turn, { type: "add-filter", filter });
  return narrowed(discover, results, `Filter added: ${filterLabel(filter)}`);
};

/** Removes the filters that are like the arguments. */
export const removeFilter: Tool<Partial<FilterArgs>> = async (discover, { field, op, value }, turn) => {
  const { filters } = discover.getSnapshot().view;
  const isLike = (filter: Filter) =>
    (field === undefined || filter.field === field) &&
    (op === undefined || filter.op === op) &&
    (value === undefined || filter.value === String(value));
  const removed = filters.filter(isLike);
  if (removed.length === 0) return failed("There is no such filter");
  const results = await act(discover, turn, { type: "set", filters: filters.filter((filter) => !isLike(filter)) });
  return narrowed(discover, results, `Filter removed: ${removed.map(filterLabel).join(", ")}`);
};

/** Shows another data source. */
export const selectSource: Tool<{ source: string }> = async (discover, { source }, turn) => {
  const sources = discover.getSnapshot().info?.sources ?? [];
  const found = sources.find(({ name }) => name === source);
  if (!found) {
    const names = sources.map(({ name }) => name).join(", ");
    return failed(`There is no data source "${source}". There are: ${names}.`);
  }
  const results = await act(discover, turn, { type: "set-source", source });
  if (results.status === "error") return failed(results.error.message);
  const { label, total, fields } = found;
  const message = `The page shows ${label}, ${count(total, "row")}`;
  return { success: true, message, fields: fields.map(({ name }) => name), total };
};

/** Takes the assistant's last change back, as the button Undo does. */
export const undoChange: Tool<object> = async (discover) => {
  if (!discover.getSnapshot().change) return failed("There is nothing to undo");
  discover.dispatch({ type: "undo" });
  return narrowed(discover, await discover.settled(), "Undone");
};

/** Saves the rows on the page as a file of the user's. */
export const exportResults: Tool<{ format: string }> = async (discover, { format }) => {
  if (format !== "csv") return failed(`There is no format "${format}". There is: csv.`);
  const { data } = await discover.settled();
  const { info, view } = discover.getSnapshot();
  if (!data || data.rows.length === 0) return failed("There are no rows on the page");
  const file = `${info?.source.name ?? "results"}.csv`;
  const rows = data.rows.map((row) => fieldsOf(data, row));
  save(file, csvOf(shownColumns(data, view.query, info), rows));
  const of = data.total > rows.length ? ` of ${num(data.total)}` : "";
  const message = `Saved ${num(rows.length)}${of} rows, those on the page, as ${file}`;
  return { success: true, message, rows: rows.length, file };
};

/** Has the browser save a text. */
function save(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}

const failed = (error: string): Outcome => ({ success: false, error });

async function act(discover: Discover, turn: string, action: ViewAction): Promise<Results> {
  discover.dispatch({ type: "assistant", turn, action });
  return discover.settled();
}

function narrowed(discover: Discover, results: Results, did: string): Outcome {
  if (results.status === "error") return failed(`${did}, but: ${results.error.message}`);
  const { total, matched } = results.data!;
  return { success: true, message: `${did} · ${outcome(discover)}`, total, matched };
}

/** What is on screen now: "5 rows" of a table, or "213 requests". */
function outcome(discover: Discover): string {
  const { kind, total, matched } = discover.getSnapshot().results.data!;
  return kind === "table" ? count(total, "row") : count(matched, "request");
}

function readRange({ from, to, label }: TimeRange, log?: LogTime | null): TimeRange | null | string {
  const [openStart, openEnd] = [from, to].map((text) => text.trim().toLowerCase() === "all");
  if (openStart && openEnd) return null;
  const start = openStart ? Date.parse(log?.min ?? "") : parseTime(from);
  const end = openEnd ? Date.parse(log?.max ?? "") : parseTime(to, true);
  if (Number.isNaN(start)) return `"from" is no time: ${from}. Write ISO 8601 in UTC, or "all".`;
  if (Number.isNaN(end)) return `"to" is no time: ${to}. Write ISO 8601 in UTC, or "all".`;
  if (start >= end) return `"from" (${iso(start)}) must be before "to" (${iso(end)}).`;
  return { from: iso(start), to: iso(end), ...(label && { label }) };
}
