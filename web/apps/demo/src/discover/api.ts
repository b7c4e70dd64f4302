import { createCaller } from "../shell/http.ts";
import type { Alert, Info, QueryResult, RowDetail } from "./types.ts";
import type { QueryRequest } from "./view.ts";

const id = encodeURIComponent;

/** Discover's own HTTP API. */
export function createApi(call = createCaller("/demo/discover")) {
  return {
    info: () => call<Info>("/info"),
    query: (request: QueryRequest, signal?: AbortSignal) => call<QueryResult>("/query", signal, request),
    row: (row: string, source: string, signal?: AbortSignal) =>
      call<RowDetail>(`/rows/${id(row)}?source=${id(source)}`, signal),
    alerts: () => call<{ alerts: Alert[] | null }>("/alerts").then(({ alerts }) => alerts ?? []),
    deleteAlert: (alert: string) => call<Alert>(`/alerts/${id(alert)}`, undefined, undefined, "DELETE"),
    restoreAlert: (alert: string) => call<Alert>(`/alerts/${id(alert)}/restore`, undefined, undefined, "POST"),
  };
}

/** What `createApi` makes. */
export type Api = ReturnType<typeof createApi>;
