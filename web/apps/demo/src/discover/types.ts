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

interface Contents {
  /** Rows; in the log, requests. */
  total: number;
  /** First and last row; null without any. */
  time: LogTime | null;
  fields: FieldInfo[];
}

/** A table that queries can read. */
interface SourceOption extends Contents {
  name: string;
  label: string;
  description: string;
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
  /** The most requests in one interval. */
  peak: number;
}

/** What the page knows about the data. */
export interface Info extends Contents {
  /** `generated` data come from the seeded generator, not from a file. */
  source: { name: string; file: string; generated: boolean; label: string };
  /** All data sources, the log first. */
  sources: SourceOption[];
  /** Lines that could not be read. */
  badLines: number;
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

/** A column of a result. */
export type Column = Pick<FieldInfo, "name" | "type">;

/** One value of a row. */
export type Cell = string | number | null;

/** Requests over time, by intervals. */
export interface HistogramData {
  interval: string;
  buckets: { from: string; count: number; errors: number }[];
}

/** The requests of one interval. */
export type Bucket = HistogramData["buckets"][number];

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
