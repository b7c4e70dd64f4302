import { readTable, writeTable, type TableView } from "./article-view.ts";
import { clean, describeDates, writeCriteria } from "./filters.ts";
import type { Column, ColumnValues, TrialForm, TrialSort } from "./types.ts";

/** A column of the trials table that the assistant made. */
export interface TrialColumn extends Column {
  /** Show only rows that meet it. */
  filter: boolean;
}

/** What the trials page shows. */
export interface TrialView extends TableView<TrialSort> {
  form: TrialForm;
  columns: readonly TrialColumn[];
  /** The trial whose details are open. */
  open: string | null;
}

const textFields = ["condition", "intervention", "sponsor", "text", "startFrom", "startTo"] as const;
const phaseLabels: Record<string, string> = {
  EARLY_PHASE1: "Early Phase 1",
  PHASE1: "Phase 1",
  PHASE2: "Phase 2",
  PHASE3: "Phase 3",
  PHASE4: "Phase 4",
  NA: "Not applicable",
};

/** The phases there are, in their order. */
export const phases = Object.keys(phaseLabels);

/** What is shown at first. */
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

/** The actions on the view. */
export type TrialAction =
  | { type: "search"; form: TrialForm }
  | ({ type: "set" } & Partial<Pick<TrialView, "sort" | "dir" | "page" | "pageSize">>)
  | { type: "open"; nct: string | null }
  | { type: "select"; ncts: readonly string[] }
  | { type: "put-column"; column: TrialColumn }
  | { type: "remove-column"; name: string };

/** A new search begins on its first page, with nothing selected or open. Columns stay. */
export function trialReducer(view: TrialView, action: TrialAction): TrialView {
  switch (action.type) {
    case "search":
      return { ...view, form: clean(action.form), page: 1, selected: [], open: null };
    case "set": {
      const { type, ...parts } = action;
      void type;
      return { ...view, page: 1, ...parts };
    }
    case "open":
      return { ...view, open: action.nct };
    case "select":
      return { ...view, selected: [...new Set(action.ncts)] };
    case "put-column":
      return { ...view, columns: putColumn(view.columns, action.column), page: 1 };
    case "remove-column":
      return { ...view, columns: view.columns.filter(({ name }) => name !== action.name), page: 1 };
  }
}

/** The columns with this one added, or replacing the one with its name. */
export function putColumn<C extends Column>(columns: readonly C[], column: C): C[] {
  const at = columns.findIndex(({ name }) => name === column.name);
  return at < 0 ? [...columns, column] : columns.with(at, column);
}

/**
 * The view as parameters. Columns are in the address in full, so that a link shows what its sender
 * saw.
 */
export function encodeTrialView(view: TrialView): string {
  const params = new URLSearchParams();
  writeCriteria(params, view.form);
  writeTable(params, view, startTrialView);
  for (const column of view.columns) params.append("column", JSON.stringify(column));
  if (view.open) params.set("open", view.open);
  return params.size > 0 ? `?${params.toString()}` : "";
}

/** Reads what `encodeTrialView` wrote. Invalid parts get their defaults. */
export function decodeTrialView(search: string): TrialView {
  const params = new URLSearchParams(search);
  // Older addresses have the values of a list in one parameter.
  const list = (name: string) => params.getAll(name).flatMap((values) => values.split(","));
  return {
    ...startTrialView,
    form: clean({
      ...Object.fromEntries(textFields.map((name) => [name, params.get(name) ?? ""])),
      phases: list("phases").filter((phase) => phases.includes(phase)),
      statuses: list("statuses").filter((status) => /^[A-Z_]+$/.test(status)),
    }),
    ...readTable(params, ["start", "title", "status", "phase"], isNct),
    columns: params.getAll("column").flatMap(readColumn),
    open: params.getAll("open").find((nct) => isNct.test(nct)) ?? null,
  };
}

const isNct = /^NCT\d{4,9}$/;

function readColumn(text: string): TrialColumn[] {
  try {
    const { name, criteria, type, filter } = JSON.parse(text) as TrialColumn;
    if (!name || !criteria || !["yes_no", "text", "number", "category"].includes(type)) return [];
    return [{ name: String(name), criteria: String(criteria), type, filter: filter === true }];
  } catch {
    return [];
  }
}

/** The trials that meet every filtering column. */
export function matchingTrials<T extends { nct: string }>(
  trials: readonly T[],
  columns: readonly TrialColumn[],
  values: ReadonlyMap<string, ColumnValues>,
): readonly T[] {
  const filters = columns.filter(({ filter, type }) => filter && type === "yes_no");
  return trials.filter(({ nct }) =>
    filters.every(({ name }) => (values.get(name)?.[nct] ?? !values.has(name)) === true),
  );
}

/** "Phase 2" of PHASE2. */
export const phaseLabel = (phase: string) => phaseLabels[phase] ?? phase;

/** "Not yet recruiting" of NOT_YET_RECRUITING. */
export function statusLabel(status: string): string {
  const words = status.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the form asks for, part by part, in words. */
export function describeForm(form: TrialForm): string[] {
  const { condition, intervention, sponsor, text, startFrom, startTo, phases, statuses } = clean(form);
  const parts = {
    Condition: condition,
    Intervention: intervention,
    Phase: phases?.map(phaseLabel).join(" or "),
    Status: statuses?.map(statusLabel).join(" or "),
    Sponsor: sponsor,
    Words: text,
    Start: describeDates(startFrom, startTo, "since"),
  };
  return Object.entries(parts).flatMap(([label, value]) => (value ? [`${label}: ${value}`] : []));
}
