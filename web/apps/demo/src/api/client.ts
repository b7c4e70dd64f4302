import type { Alert, Info, QueryRequest, QueryResult, RowDetail } from "./types.ts";

/**
 * Where a query is wrong: line and column count from 1, in Unicode code points; a length of 0
 * points at the end.
 */
export interface QueryErrorPlace {
  line: number;
  column: number;
  length: number;
  expected: string[];
}

/** A failed request, in words for the user. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly place: QueryErrorPlace | undefined;
  /** The field of the request that is wrong: `filters[0].value`. */
  readonly field: string | undefined;

  constructor(message: string, code: string, status: number, details?: unknown) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.place = readPlace(details);
    this.field = text(field(details, "field"));
  }
}

/**
 * Discover's own HTTP API. Every method rejects with an ApiError, or with the signal's reason when
 * it is aborted.
 */
export interface Api {
  info(signal?: AbortSignal): Promise<Info>;
  query(request: QueryRequest, signal?: AbortSignal): Promise<QueryResult>;
  /** A row of a source; default the log. */
  row(id: string, signal?: AbortSignal, source?: string): Promise<RowDetail>;
  alerts(): Promise<Alert[]>;
  deleteAlert(id: string): Promise<Alert>;
  restoreAlert(id: string): Promise<Alert>;
}

export function createApi(base = "/demo/discover", fetcher: typeof fetch = (...args) => fetch(...args)): Api {
  async function call<T>(path: string, init: RequestInit): Promise<T> {
    let response: Response;
    try {
      response = await fetcher(base + path, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new ApiError("The server cannot be reached. Is it running?", "unreachable", 0);
    }
    if (!response.ok) throw await readError(response);
    return (await response.json()) as T;
  }
  return {
    info: (signal) => call("/info", { signal }),
    query: (request, signal) =>
      call("/query", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(request),
        signal,
      }),
    row: (id, signal, source) =>
      call(`/rows/${encodeURIComponent(id)}${source ? `?source=${encodeURIComponent(source)}` : ""}`, { signal }),
    alerts: () => call<{ alerts: Alert[] }>("/alerts", {}).then(({ alerts }) => alerts),
    deleteAlert: (id) => call(`/alerts/${encodeURIComponent(id)}`, { method: "DELETE" }),
    restoreAlert: (id) => call(`/alerts/${encodeURIComponent(id)}/restore`, { method: "POST" }),
  };
}

async function readError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const error = field(body, "error");
  const message =
    text(field(error, "message")) ?? `The server answered ${response.status} ${response.statusText}`.trim();
  return new ApiError(message, text(field(error, "code")) ?? "http", response.status, field(error, "details"));
}

function readPlace(details: unknown): QueryErrorPlace | undefined {
  const line = field(details, "line");
  const column = field(details, "column");
  if (typeof line !== "number" || typeof column !== "number") return undefined;
  const length = field(details, "length");
  const expected = field(details, "expected");
  return {
    line,
    column,
    length: typeof length === "number" ? length : 0,
    expected: Array.isArray(expected) ? expected.filter((word) => typeof word === "string") : [],
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
