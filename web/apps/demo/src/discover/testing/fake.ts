import { HttpError } from "../../shell/http.ts";
import type { Api } from "../api.ts";
import type { Address } from "../discover.ts";
import type { Alert, Cell, FieldInfo, Info, QueryResult } from "../types.ts";
import type { QueryRequest } from "../view.ts";

const fields: FieldInfo[] = [
  { name: "timestamp", type: "time", description: "" },
  { name: "method", type: "string", description: "" },
  { name: "path", type: "string", description: "" },
  { name: "status", type: "number", description: "" },
];
const log = { total: 100, time: { min: "2015-05-17T10:00:00Z", max: "2015-05-18T10:00:00Z" }, fields };
const errors = { total: 9, time: { min: "2015-05-17T10:00:00Z", max: "2015-05-18T09:00:00Z" } };

export const testInfo: Info = {
  ...log,
  source: { name: "access_log", file: "access.log", generated: false, label: "access.log" },
  sources: [
    { name: "access_log", label: "Access log", description: "", ...log },
    { name: "error_summary", label: "Error summary", description: "", ...errors, fields: fields.slice(0, 1) },
  ],
  badLines: 0,
  samples: [],
};

/** A result of `total` requests, with the rows of the asked page. */
export function rowsResult(request: QueryRequest, total: number): QueryResult {
  const first = (request.page - 1) * request.pageSize;
  const count = Math.max(0, Math.min(request.pageSize, total - first));
  const rows: Cell[][] = Array.from({ length: count }, (_, index) => [
    first + index + 1,
    "2015-05-17T10:00:00Z",
    "GET",
    `/${first + index + 1}`,
    200,
  ]);
  return {
    kind: "rows",
    columns: [{ name: "_id", type: "number" }, ...fields.map(({ name, type }) => ({ name, type }))],
    rows,
    total,
    matched: total,
    histogram: { interval: "1h", buckets: [{ from: "2015-05-17T10:00:00Z", count: total, errors: 0 }] },
    tookMs: 1,
  };
}

interface Pending {
  request: QueryRequest;
  answer(result?: QueryResult): void;
  fail(error: HttpError): void;
}

/** A server whose answers, and their timing, the test decides. */
export class FakeApi implements Api {
  readonly pending: Pending[] = [];
  readonly asked: QueryRequest[] = [];
  /** If set, answers at once. */
  auto: ((request: QueryRequest) => QueryResult) | null;

  constructor(auto: ((request: QueryRequest) => QueryResult) | null = null) {
    this.auto = auto;
  }

  info = () => Promise.resolve(testInfo);

  query(request: QueryRequest, signal?: AbortSignal): Promise<QueryResult> {
    this.asked.push(request);
    if (this.auto) {
      const auto = this.auto;
      return Promise.resolve().then(() => auto(request));
    }
    return new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      this.pending.push({
        request,
        answer: (result = rowsResult(request, 100)) => resolve(result),
        fail: reject,
      });
    });
  }

  saved: Alert[] = [];
  #deleted: Alert[] = [];

  alerts = () => Promise.resolve([...this.saved]);

  deleteAlert = (id: string) => {
    const alert = this.saved.find((each) => each.id === id)!;
    this.saved = this.saved.filter((each) => each !== alert);
    this.#deleted.push(alert);
    return Promise.resolve(alert);
  };

  restoreAlert = (id: string) => {
    const alert = this.#deleted.find((each) => each.id === id)!;
    this.saved = [...this.saved, alert];
    return Promise.resolve(alert);
  };

  row = (id: string) => Promise.resolve({ fields: { path: `/${id}` }, raw: `line ${id}` });
}

/** An address bar with a history. */
export class FakeAddress implements Address {
  readonly entries: string[];
  #at = 0;
  #listeners = new Set<() => void>();

  constructor(search = "") {
    this.entries = [search];
  }

  read = () => this.entries[this.#at]!;
  push = (search: string) => {
    this.entries.splice(++this.#at, Infinity, search);
  };
  replace = (search: string) => {
    this.entries[this.#at] = search;
  };
  onNavigate = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  go(steps: number): void {
    this.#at += steps;
    for (const listener of this.#listeners) listener();
  }
}

export const pplError = new HttpError('unknown field "statu"; did you mean status?', "ppl_error", 422, {
  line: 1,
  column: 27,
  length: 5,
  expected: ["status"],
});
