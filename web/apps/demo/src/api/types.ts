/** What the server says under `/demo/discover/`. Times are ISO 8601 in UTC. */

export type FieldType = "string" | "number" | "time";

export interface FieldInfo {
  name: string;
  type: FieldType;
  description: string;
}

/** Both ends belong to it. */
export interface TimeSpan {
  from: string;
  to: string;
}

export interface LogTime {
  min: string;
  max: string;
}

export interface SourceInfo {
  name: string;
  file: string;
  /** Made by the seeded generator rather than read from a file. */
  generated: boolean;
  label: string;
}

/** A table that queries can read. */
export interface SourceOption {
  name: string;
  label: string;
  description: string;
  /** Rows. */
  total: number;
  time: LogTime | null;
  fields: FieldInfo[];
}

/**
 * Watches the log: it fires in each interval in which more than `threshold` requests match its
 * query.
 */
export interface Alert {
  id: string;
  name: string;
  query: string;
  threshold: number;
  interval: string;
  /** Intervals of the log in which it would have fired. */
  fired: number;
  /** The most requests in one interval, and when that began. */
  peak: number;
  peakAt?: string;
}

export interface Info {
  source: SourceInfo;
  /** All of them; the log itself comes first. */
  sources: SourceOption[];
  /** Requests in the log. */
  total: number;
  /** Lines that could not be read. */
  badLines: number;
  /** First and last request; null for an empty log. */
  time: LogTime | null;
  fields: FieldInfo[];
  model: { name: string; scripted: boolean };
  samples: string[];
}

export type FilterOp = "is" | "is not" | "contains" | ">=" | "<=";

export interface Filter {
  field: string;
  op: FilterOp;
  value: string;
  disabled?: boolean;
}

export type SortDirection = "asc" | "desc";

export interface Sort {
  field: string;
  dir: SortDirection;
}

export interface QueryRequest {
  query: string;
  time: TimeSpan | null;
  filters: Filter[];
  /** From 1. */
  page: number;
  pageSize: number;
  sort: Sort | null;
}

export interface Column {
  name: string;
  type: FieldType;
}

export type Cell = string | number | null;

export interface Bucket {
  from: string;
  count: number;
  errors: number;
}

export interface HistogramData {
  interval: string;
  buckets: Bucket[];
}

export interface QueryResult {
  /**
   * `rows`: requests of the log, the first column is `_id`. `table`: what a stats command made of
   * them.
   */
  kind: "rows" | "table";
  columns: Column[];
  rows: Cell[][];
  /** Rows of the result, over all pages. */
  total: number;
  /** Requests that the conditions, the filters and the time range let through. */
  matched: number;
  histogram: HistogramData;
  tookMs: number;
  /** The whole query, with the filters and the time range in it. */
  ppl: string;
}

export interface RowDetail {
  fields: Record<string, Cell>;
  raw: string;
}
