/** What the server says under `/demo/discover/`. Times are ISO 8601 in UTC. */

/** A field of a source. */
export interface FieldInfo {
  name: string;
  type: "string" | "number" | "time";
  description: string;
}

/** Both ends are included. */
export interface TimeSpan {
  from: string;
  to: string;
}

/** The first and the last time of a source. */
export interface LogTime {
  min: string;
  max: string;
}

/** A table that queries can read. */
interface SourceOption {
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

/** What the page knows about the data. */
export interface Info {
  /** `generated` data come from the seeded generator, not from a file. */
  source: { name: string; file: string; generated: boolean; label: string };
  /** All data sources, the log first. */
  sources: SourceOption[];
  /** Requests in the log. */
  total: number;
  /** Lines that could not be read. */
  badLines: number;
  /** First and last request; null for an empty log. */
  time: LogTime | null;
  fields: FieldInfo[];
  samples: string[];
}

/** A condition in addition to the query. */
export interface Filter {
  field: string;
  op: "is" | "is not" | "contains" | ">=" | "<=";
  value: string;
  disabled?: boolean;
}

/** The order of the rows. */
export interface Sort {
  field: string;
  dir: "asc" | "desc";
}

/** A query request. */
export interface QueryRequest {
  query: string;
  time: TimeSpan | null;
  filters: Filter[];
  /** From 1. */
  page: number;
  pageSize: number;
  sort: Sort | null;
}

/** A column of a result. */
export type Column = Pick<FieldInfo, "name" | "type">;

/** One value of a row. */
export type Cell = string | number | null;

/** The requests of one interval. */
export interface Bucket {
  from: string;
  count: number;
  errors: number;
}

/** Requests over time. */
export interface HistogramData {
  interval: string;
  buckets: Bucket[];
}

/** The answer to a query. */
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
}

/** One row in full. */
export interface RowDetail {
  fields: Record<string, Cell>;
  raw: string;
}
