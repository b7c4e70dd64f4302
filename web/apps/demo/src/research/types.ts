/** Research's HTTP API, as the server sends it. */

/** The types of fields and columns. */
export type FieldType = "text" | "number" | "yes_no" | "category";

/** How often a value occurs. */
export interface Count {
  value: string;
  count: number;
}

/** What the library holds. */
export interface ResearchInfo {
  library: { articles: number; generated: boolean; label: string; from: string; to: string };
  trials: { count: number; generated: boolean; label: string };
  mesh: Count[];
  journals: Count[];
  types: Count[];
}

/** A stream in a list. */
export interface StreamBrief {
  id: string;
  name: string;
  purpose: string;
  articles: number;
  updatedAt: string;
}

/** What is read out of each article. */
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

/** The search of a stream. */
export interface Retrieval {
  query: string;
  filters: Filters;
  maxResults: number;
}

/** A column that the assistant made: its model answers the criteria for each row. */
export interface Column {
  name: string;
  criteria: string;
  type: FieldType;
}

/** A question that is kept up to date. */
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

/** A stream that is to be made. */
export type NewStream = Omit<Stream, "id" | "version" | "updatedAt">;

/** An article in a list. */
export interface ArticleBrief {
  pmid: string;
  title: string;
  authors: string[];
  journal: string;
  date: string;
  types: string[];
  nct?: string;
}

/** An article in full. */
export interface Article extends ArticleBrief {
  mesh: string[];
  abstract?: string;
  trial?: { nct: string; title: string };
}

/** Which way rows are sorted. */
export type Direction = "asc" | "desc";

/** What articles are asked for. */
export interface ArticleSearch {
  query: string;
  filters: Filters;
  sort: "date" | "relevance";
  dir: Direction;
  page: number;
  pageSize: number;
}

/** The articles that were found. */
export interface ArticleResults {
  total: number;
  interpreted: string;
  articles: ArticleBrief[];
}

/** A report in a list. */
export interface ReportBrief {
  id: string;
  streamId: string;
  name: string;
  date: string;
  query: string;
  total: number;
}

/** A report with its articles. */
export interface Report extends ReportBrief {
  articles: ArticleBrief[];
}

/** What trials are asked for. */
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

/** What trials are sorted by. */
export type TrialSort = "start" | "title" | "status" | "phase";

/** A form with the order and the page. */
export interface TrialSearch extends TrialForm {
  sort: TrialSort;
  dir: Direction;
  page: number;
  pageSize: number;
}

/** A trial in a list. */
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

/** A trial in full. */
export interface Trial extends TrialBrief {
  summary: string;
  secondaryOutcomes: string[];
  collaborators: string[];
  age: string;
  design: string;
  url: string;
  articles: ArticleBrief[];
}

interface Facet extends Count {
  label: string;
}

/** The trials that were found. */
export interface TrialResults {
  total: number;
  facets: { phases: Facet[]; statuses: Facet[] };
  trials: TrialBrief[];
}

/** Whether a stream works, check by check. */
export interface Validation {
  valid: boolean;
  articles: number;
  checks: { id: string; status: "ok" | "warning" | "error"; label: string; message: string }[];
  coverage: { name: string; filled: number; total: number }[];
}

/** What a column says of a row. */
export type ColumnValue = boolean | number | string | null;
/** What a model says of a row, and the passage of it that shows it. */
export interface Cell {
  value: ColumnValue;
  evidence?: string;
  /** Does the evidence stand in the row word for word? */
  quoted: boolean;
}
/** What a column says, by row id. */
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
