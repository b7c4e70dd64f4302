import type { Filter, Sort } from "../api/types.ts";
import { changedParts, defaultView, sameFilter, type TimeRange, type View, type ViewPart } from "./view.ts";

/** What the assistant changed last, and what to go back to. */
export interface AssistantChange {
  /** The question it belongs to: all changes of one turn are undone together. */
  turn: string;
  parts: ViewPart[];
  before: { view: View; draft: string };
}

export interface State {
  view: View;
  /** The query bar's text, which need not have been run. */
  draft: string;
  /** Until it is undone, dismissed, or the user changes the same things by hand. */
  change: AssistantChange | null;
  /** What should draw the eye now. `seq` counts up with every change by the assistant. */
  flash: { seq: number; parts: ViewPart[] };
}

/** What a user can do to the page; the assistant does the same things. */
export type ViewAction =
  | { type: "edit-draft"; draft: string }
  | { type: "run"; query: string }
  | { type: "set-source"; source: string }
  | { type: "set-time"; time: TimeRange | null }
  | { type: "add-filter"; filter: Filter }
  | { type: "replace-filter"; index: number; filter: Filter }
  | { type: "toggle-filter"; index: number }
  | { type: "remove-filter"; index: number }
  | { type: "clear-narrowing" }
  | { type: "set-sort"; sort: Sort | null }
  | { type: "set-page"; page: number }
  | { type: "set-page-size"; pageSize: number }
  | { type: "set-columns"; columns: string[] | null }
  | { type: "open-row"; row: string | null };

export type Action =
  | ViewAction
  | { type: "assistant"; turn: string; action: ViewAction }
  | { type: "undo" }
  | { type: "dismiss-change" }
  /** The browser went back or forward. */
  | { type: "navigate"; view: View };

export function initialState(view: View = defaultView): State {
  return { view, draft: view.query, change: null, flash: { seq: 0, parts: [] } };
}

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "assistant":
      return reduceAssistant(state, action.turn, action.action);
    case "undo":
      return state.change ? { ...state, ...state.change.before, change: null } : state;
    case "dismiss-change":
      return state.change ? { ...state, change: null } : state;
    case "navigate":
      return { ...state, view: action.view, draft: action.view.query, change: null };
    default:
      return reduceByHand(state, action);
  }
}

function reduceByHand(state: State, action: ViewAction): State {
  const next = act(state, action);
  const replaced = next.change !== null && changedParts(state.view, next.view).length > 0;
  return replaced ? { ...next, change: null } : next;
}

function reduceAssistant(state: State, turn: string, action: ViewAction): State {
  const next = act(state, action);
  const parts = changes(state, next);
  if (parts.length === 0) return next;
  const earlier = state.change?.turn === turn ? state.change : null;
  const change: AssistantChange = {
    turn,
    parts: [...new Set([...(earlier?.parts ?? []), ...parts])],
    before: earlier?.before ?? { view: state.view, draft: state.draft },
  };
  return { ...next, change, flash: { seq: state.flash.seq + 1, parts } };
}

function changes(before: State, after: State): ViewPart[] {
  const parts = changedParts(before.view, after.view);
  return before.draft !== after.draft && !parts.includes("query") ? ["query", ...parts] : parts;
}

function act(state: State, action: ViewAction): State {
  if (action.type === "edit-draft") return action.draft === state.draft ? state : { ...state, draft: action.draft };
  const view = actOnView(state.view, action);
  const draft = action.type === "run" || action.type === "set-source" ? view.query : state.draft;
  return view === state.view && draft === state.draft ? state : { ...state, view, draft };
}

function actOnView(view: View, action: Exclude<ViewAction, { type: "edit-draft" }>): View {
  switch (action.type) {
    case "run":
      return run(view, action.query);
    case "set-source": // filters and columns name fields of the old one
      return { ...run(view, `source=${action.source}`), filters: [], columns: null, sort: null, page: 1, row: null };
    case "set-time":
      return { ...view, time: action.time, page: 1 };
    case "add-filter":
      return withFilters(view, addFilter(view.filters, action.filter));
    case "replace-filter":
      return withFilters(view, view.filters.with(action.index, action.filter));
    case "toggle-filter":
      return withFilters(view, toggleFilter(view.filters, action.index));
    case "remove-filter":
      return withFilters(view, view.filters.toSpliced(action.index, 1));
    case "clear-narrowing":
      return { ...withFilters(view, []), time: null };
    case "set-sort":
      return { ...view, sort: action.sort, page: 1 };
    case "set-page":
      return action.page === view.page ? view : { ...view, page: action.page };
    case "set-page-size":
      return { ...view, pageSize: action.pageSize, page: 1 };
    case "set-columns":
      return { ...view, columns: action.columns };
    case "open-row":
      return { ...view, row: action.row };
  }
}

/** A new query has other columns: sorting, page and open row of the old one mean nothing there. */
function run(view: View, text: string): View {
  const query = text.trim() === "" ? defaultView.query : text.trim();
  return query === view.query ? view : { ...view, query, sort: null, page: 1, row: null };
}

function withFilters(view: View, filters: Filter[]): View {
  return { ...view, filters, page: 1 };
}

/**
 * Adds a filter; the same one is switched on instead, and its opposite ("is" and "is not") is
 * replaced.
 */
function addFilter(filters: Filter[], added: Filter): Filter[] {
  const clash = filters.findIndex((old) => sameFilter(old, added) || sameFilter(old, opposite(added)));
  return clash < 0 ? [...filters, added] : filters.with(clash, added);
}

function opposite(filter: Filter): Filter {
  if (filter.op === "is") return { ...filter, op: "is not" };
  if (filter.op === "is not") return { ...filter, op: "is" };
  return filter;
}

function toggleFilter(filters: Filter[], index: number): Filter[] {
  const filter = filters[index];
  if (!filter) return filters;
  const { disabled, ...rest } = filter;
  return filters.with(index, disabled ? rest : { ...rest, disabled: true });
}
