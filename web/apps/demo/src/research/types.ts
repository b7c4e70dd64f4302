/** Research's HTTP API, as the server sends it. */

export type FieldType = "text" | "number" | "yes_no" | "category";

export interface Count {
  value: string;
  count: number;
}

export interface ResearchInfo {
  library: { articles: number; generated: boolean; label: string; from: string; to: string };
  trials: { count: number; generated: boolean; label: string };
  mesh: Count[];
  journals: Count[];
  types: Count[];
}

export interface StreamBrief {
  id: string;
  name: string;
  purpose: string;
  articles: number;
  updatedAt: string;
}

export interface SchemaField {
  key: string;
  label: string;
  type: FieldType;
  description?: string;
  options?: string[];
}

/** Values of one list are alternatives; what is absent or empty filters nothing. */
export interface Filters {
  from?: string;
  to?: string;
  types?: string[];
  mesh?: string[];
  journals?: string[];
}

export interface Retrieval {
  query: string;
  filters: Filters;
  maxResults: number;
}

/** A column that the assistant made. */
export interface Column {
  name: string;
  criteria: string;
  type: FieldType;
  /** Where its value comes from: the first of `any` that is in the field, or whether one is. */
  match: { field: string; any: string[] };
}

export interface Stream {
  id: string;
  name: string;
  purpose: string;
  schema: { fields: SchemaField[] };
  retrieval: Retrieval;
  columns: Column[];
  version: number;
  updatedAt?: string;
}

export type NewStream = Omit<Stream, "id" | "version" | "updatedAt">;

export interface ArticleBrief {
  pmid: string;
  title: string;
  authors: string[];
  journal: string;
  date: string;
  types: string[];
  nct?: string;
}

export interface Article extends ArticleBrief {
  mesh: string[];
  abstract?: string;
  trial?: { nct: string; title: string };
}

export type Direction = "asc" | "desc";

export interface ArticleSearch {
  query: string;
  filters: Filters;
  sort: "date" | "relevance";
  dir: Direction;
  page: number;
  pageSize: number;
}

export interface ArticleResults {
  total: number;
  interpreted: string;
  articles: ArticleBrief[];
}

export interface ReportBrief {
  id: string;
  streamId: string;
  name: string;
  date: string;
  query: string;
  total: number;
}

export interface Report extends ReportBrief {
  articles: ArticleBrief[];
}

export interface TrialForm {
  condition?: string;
  intervention?: string;
  phases?: string[];
  statuses?: string[];
  sponsor?: string;
  text?: string;
  startFrom?: string;
  startTo?: string;
}

export type TrialSort = "start" | "title" | "status" | "phase";

export interface TrialSearch extends TrialForm {
  sort: TrialSort;
  dir: Direction;
  page: number;
  pageSize: number;
}

export interface TrialBrief {
  nct: string;
  title: string;
  status: string;
  statusLabel: string;
  phase: string;
  phases: string[];
  conditions: string[];
  interventions: string[];
  sponsor: string;
  start: string;
  completion: string;
  primaryOutcomes: string[];
  studyType: string;
}

export interface Trial extends TrialBrief {
  summary: string;
  secondaryOutcomes: string[];
  collaborators: string[];
  age: string;
  design: string;
  url: string;
  articles: ArticleBrief[];
}

export interface Facet extends Count {
  label: string;
}

export interface TrialResults {
  total: number;
  facets: { phases: Facet[]; statuses: Facet[] };
  trials: TrialBrief[];
}

export interface Validation {
  valid: boolean;
  articles: number;
  checks: { id: string; status: "ok" | "warning" | "error"; label: string; message: string }[];
  coverage: { name: string; filled: number; total: number }[];
}

export type ColumnValue = boolean | number | string | null;
export type ColumnValues = Record<string, ColumnValue>;

/** One of the things to try. */
export interface Scenario {
  id: string;
  mode: "guide" | "enhance";
  title: string;
  /** What is asked. */
  text: string;
  /** `edit_research_stream/execute/workbench`. */
  place: string;
  scope?: Record<string, string>;
  state?: { query?: string; filters?: Filters; form?: TrialForm; pageSize?: number; selected?: string[] };
  /** What to expect. */
  does?: string;
}
