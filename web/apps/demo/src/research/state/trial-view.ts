import type { Column, Direction, TrialForm, TrialSort } from "../types.ts";
import { pageSizes, positive } from "./article-view.ts";

/**
 * A column of the trials table that the assistant made. With `filter` only rows that meet it are
 * shown.
 */
export interface TrialColumn extends Column {
  filter: boolean;
}

export interface TrialView {
  form: TrialForm;
  sort: TrialSort;
  dir: Direction;
  page: number;
  pageSize: number;
  columns: readonly TrialColumn[];
  selected: readonly string[];
  /** The trial whose details are open. */
  open: string | null;
}

export const textFields = ["condition", "intervention", "sponsor", "text", "startFrom", "startTo"] as const;
export const phases = ["EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4", "NA"] as const;
const sorts = ["start", "title", "status", "phase", "relevance"] as const;

export const startTrialView: TrialView = {
  form: {},
  sort: "start",
  dir: "desc",
  page: 1,
  pageSize: 25,
  columns: [],
  selected: [],
  open: null,
};

export type TrialAction =
  | { type: "search"; form: TrialForm }
  | { type: "sort"; sort: TrialSort; dir: Direction }
  | { type: "page"; page: number }
  | { type: "page-size"; pageSize: number }
  | { type: "open"; nct: string | null }
  | { type: "select"; ncts: readonly string[] }
  | { type: "toggle"; nct: string }
  | { type: "add-column"; column: TrialColumn }
  | { type: "remove-column"; name: string }
  | { type: "filter-column"; name: string; filter: boolean }
  | { type: "restore"; view: TrialView };

/** Another search begins at its first page, with nothing selected or open. Columns stay. */
export function trialReducer(view: TrialView, action: TrialAction): TrialView {
  switch (action.type) {
    case "search":
      return { ...view, form: cleanForm(action.form), page: 1, selected: [], open: null };
    case "sort":
      return { ...view, sort: action.sort, dir: action.dir, page: 1 };
    case "page":
      return { ...view, page: Math.max(1, action.page) };
    case "page-size":
      return { ...view, pageSize: action.pageSize, page: 1 };
    case "open":
      return { ...view, open: action.nct };
    case "select":
      return { ...view, selected: [...new Set(action.ncts)] };
    case "toggle":
      return {
        ...view,
        selected: view.selected.includes(action.nct)
          ? view.selected.filter((nct) => nct !== action.nct)
          : [...view.selected, action.nct],
      };
    case "add-column":
      return { ...view, columns: putColumn(view.columns, action.column), page: 1 };
    case "remove-column":
      return { ...view, columns: view.columns.filter(({ name }) => name !== action.name), page: 1 };
    case "filter-column":
      return {
        ...view,
        columns: view.columns.map((column) =>
          column.name === action.name ? { ...column, filter: action.filter } : column,
        ),
        page: 1,
      };
    case "restore":
      return action.view;
  }
}

/** With the column at its end, or in the place of the one with the same name. */
export function putColumn<C extends Column>(columns: readonly C[], column: C): C[] {
  const at = columns.findIndex(({ name }) => name === column.name);
  return at < 0 ? [...columns, column] : columns.with(at, column);
}

export function cleanForm(form: TrialForm): TrialForm {
  const clean: TrialForm = {};
  for (const name of textFields) if (form[name]?.trim()) clean[name] = form[name].trim();
  for (const name of ["phases", "statuses"] as const) {
    const values = [...new Set(form[name])];
    if (values.length > 0) clean[name] = values;
  }
  return clean;
}

export const sameForm = (a: TrialForm, b: TrialForm) => JSON.stringify(cleanForm(a)) === JSON.stringify(cleanForm(b));

/** Columns are in the address whole: a link shows what its sender saw. */
export function encodeTrialView(view: TrialView): string {
  const params = new URLSearchParams();
  const form = cleanForm(view.form);
  for (const name of textFields) if (form[name]) params.set(name, form[name]);
  for (const name of ["phases", "statuses"] as const) if (form[name]) params.set(name, form[name].join(","));
  if (view.sort !== "start" || view.dir !== "desc") params.set("sort", `${view.sort}:${view.dir}`);
  if (view.page !== 1) params.set("page", String(view.page));
  if (view.pageSize !== startTrialView.pageSize) params.set("size", String(view.pageSize));
  if (view.selected.length > 0) params.set("selected", view.selected.join(","));
  for (const column of view.columns) params.append("column", JSON.stringify(column));
  if (view.open) params.set("open", view.open);
  const text = params.toString();
  return text && `?${text}`;
}

export function decodeTrialView(search: string): TrialView {
  const params = new URLSearchParams(search);
  const form: TrialForm = {};
  for (const name of textFields) form[name] = params.get(name) ?? undefined;
  form.phases = list(params.get("phases")).filter((phase) => (phases as readonly string[]).includes(phase));
  form.statuses = list(params.get("statuses")).filter((status) => /^[A-Z_]+$/.test(status));
  const [sort, dir] = (params.get("sort") ?? "").split(":");
  return {
    form: cleanForm(form),
    sort: sorts.find((each) => each === sort) ?? "start",
    dir: dir === "asc" ? "asc" : "desc",
    page: positive(params.get("page")) ?? 1,
    pageSize: pageSizes.find((size) => size === positive(params.get("size"))) ?? startTrialView.pageSize,
    columns: params.getAll("column").flatMap(readColumn),
    selected: list(params.get("selected")).filter(isNct),
    open: [params.get("open") ?? ""].find(isNct) ?? null,
  };
}

const list = (text: string | null) => (text ?? "").split(",").filter(Boolean);
const isNct = (text: string) => /^NCT\d{4,9}$/.test(text);

function readColumn(text: string): TrialColumn[] {
  try {
    const { name, criteria, type, match, filter } = JSON.parse(text) as Partial<TrialColumn>;
    const words = match?.any;
    if (typeof name !== "string" || typeof match?.field !== "string" || !Array.isArray(words)) return [];
    if (type !== "yes_no" && type !== "text" && type !== "number" && type !== "category") return [];
    const any = words.filter((word) => typeof word === "string");
    return [
      { name, criteria: String(criteria ?? ""), type, match: { field: match.field, any }, filter: filter === true },
    ];
  } catch {
    return [];
  }
}
