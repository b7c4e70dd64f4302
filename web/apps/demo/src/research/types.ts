import type { Direction } from "../ui/table.tsx";

/* Research's HTTP API, as the server sends it. */

/** The types of fields and columns. */
export type FieldType = "text" | "number" | "yes_no" | "category";

/** How often a value occurs. */
export interface Count {
  value: string;
  /** What it is called, if that is not the value itself. */
  label?: string;
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
export interface StreamBrief extends Pick<Stream, "id" | "name" | "purpose"> {
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

/** Which rows are asked for, in which order. */
export interface Paging<Sort extends string> {
  sort: Sort;
  dir: Direction;
  page: number;
  pageSize: number;
}

/** What articles are asked for. */
export interface ArticleSearch extends Paging<"date" | "relevance"> {
  query: string;
  filters: Filters;
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

/** The trials that were found. */
export interface TrialResults {
  total: number;
  facets: { phases: Count[]; statuses: Count[] };
  trials: TrialBrief[];
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
