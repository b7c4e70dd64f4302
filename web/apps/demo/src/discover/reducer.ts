import type { Filter } from "./types.ts";
import { changedParts, defaultView, filterLabel, type View, type ViewPart } from "./view.ts";

/** What the assistant changed last, and what to go back to. */
interface AssistantChange {
  /** The question it belongs to: all changes of one turn are undone together. */
  turn: string;
  parts: ViewPart[];
  before: { view: View; draft: string };
}

/** Why a change of the assistant can no longer be undone. */
export type ChangeEnd = "undone" | "changed by the user" | "followed by another";

/** The state that the user and the assistant change. */
export interface State {
  view: View;
  /** The query bar's text, which may not have been run yet. */
  draft: string;
  /** Until it is undone, or the user changes the same things by hand. */
  change: AssistantChange | null;
  /** What became of earlier changes, by the question they belong to. */
  ended: Readonly<Record<string, ChangeEnd>>;
  /** The parts to highlight. `seq` grows with every change by the assistant. */
  flash: { seq: number; parts: ViewPart[] };
}

/** The actions of the user and the assistant on the view. */
export type ViewAction =
  | { type: "edit-draft"; draft: string }
  | { type: "run"; query: string }
  | { type: "set-source"; source: string }
  | { type: "add-filter"; filter: Filter }
  | { type: "toggle-filter"; index: number }
  | { type: "clear-narrowing" }
  /** Everything else begins at the first page, or says which. */
  | ({ type: "set" } & Partial<Omit<View, "query" | "row">>)
  | { type: "open-row"; row: string | null };

/** All actions on the state. */
export type Action =
  | ViewAction
  | { type: "assistant"; turn: string; action: ViewAction }
  | { type: "undo" }
  /** The browser went back or forward, or a saved query was opened. */
  | { type: "navigate"; view: View };

/** The state in which a view is opened. */
export function initialState(view: View = defaultView): State {
  return { view, draft: view.query, change: null, ended: {}, flash: { seq: 0, parts: [] } };
}

/** The state after an action. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "assistant":
      return reduceAssistant(state, action.turn, action.action);
    case "undo":
      return state.change ? { ...ended(state, "undone"), ...state.change.before } : state;
    case "navigate":
      return { ...ended(state, "changed by the user"), view: action.view, draft: action.view.query };
    default: {
      const next = act(state, action);
      return changedParts(state.view, next.view).length > 0 ? ended(next, "changed by the user") : next;
    }
  }
}

/** The state in which the last change can no longer be undone. */
function ended(state: State, why: ChangeEnd): State {
  if (!state.change) return state;
  return { ...state, change: null, ended: { ...state.ended, [state.change.turn]: why } };
}

function reduceAssistant(state: State, turn: string, action: ViewAction): State {
  const next = act(state, action);
  const parts = changedParts(state.view, next.view);
  if (state.draft !== next.draft && !parts.includes("query")) parts.unshift("query");
  if (parts.length === 0) return next;
  const earlier = state.change?.turn === turn ? state.change : null;
  const change: AssistantChange = {
    turn,
    parts: [...new Set([...(earlier?.parts ?? []), ...parts])],
    before: earlier?.before ?? { view: state.view, draft: state.draft },
  };
  const flash = { seq: state.flash.seq + 1, parts };
  return { ...(earlier ? next : ended(next, "followed by another")), change, flash };
}

function act(state: State, action: ViewAction): State {
  if (action.type === "edit-draft") return { ...state, draft: action.draft };
  const view = actOnView(state.view, action);
  const draft = action.type === "run" || action.type === "set-source" ? view.query : state.draft;
  return { ...state, view, draft };
}

function actOnView(view: View, action: Exclude<ViewAction, { type: "edit-draft" }>): View {
  const { filters } = view;
  switch (action.type) {
    case "run":
      return run(view, action.query);
    case "set-source": // filters name fields of the old one
      return { ...run(view, `source=${action.source}`), filters: [], sort: null, page: 1, row: null };
    case "add-filter":
      return { ...view, filters: addFilter(filters, action.filter), page: 1 };
    case "toggle-filter":
      return { ...view, filters: toggleFilter(filters, action.index), page: 1 };
    case "clear-narrowing":
      return { ...view, filters: [], time: null, page: 1 };
    case "set": {
      const { type: _, ...parts } = action;
      return { ...view, page: 1, ...parts };
    }
    case "open-row":
      return { ...view, row: action.row };
  }
}

/** Resets sorting, page and open row, which do not fit the new query's columns. */
function run(view: View, text: string): View {
  const query = text.trim() || defaultView.query;
  return query === view.query ? view : { ...view, query, sort: null, page: 1, row: null };
}

/**
 * Adds a filter. It replaces an equal one, which may be switched off, and its opposite ("is" and
 * "is not").
 */
function addFilter(filters: Filter[], added: Filter): Filter[] {
  const same = (filter: Filter) => filterLabel({ ...filter, op: filter.op === "is not" ? "is" : filter.op });
  const clash = filters.findIndex((filter) => same(filter) === same(added));
  return clash < 0 ? [...filters, added] : filters.with(clash, added);
}

function toggleFilter(filters: Filter[], index: number): Filter[] {
  const { disabled, ...filter } = filters[index]!;
  return filters.with(index, disabled ? filter : { ...filter, disabled: true });
}
