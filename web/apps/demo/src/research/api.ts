import { createCaller, HttpError } from "../shell/http.ts";
import type {
  Article,
  ArticleResults,
  ArticleSearch,
  Cell,
  Column,
  Paging,
  Report,
  ReportBrief,
  ResearchInfo,
  Scenario,
  Stream,
  StreamBrief,
  Trial,
  TrialResults,
  TrialForm,
  TrialSort,
} from "./types.ts";

const id = encodeURIComponent;
const call = createCaller("/demo/research");
const v1 = createCaller("/v1");

type Judging = Pick<Column, "criteria" | "type"> & { pmids?: string[]; ncts?: string[] };

/**
 * Research's HTTP API. Everything rejects with an HttpError, or with the signal's reason when it is
 * aborted.
 */
export const researchApi = {
  info: (signal: AbortSignal) => call<ResearchInfo>("/info", signal),
  streams: async (signal: AbortSignal) => (await call<{ streams: StreamBrief[] }>("/streams", signal)).streams,
  stream: (stream: string, signal?: AbortSignal) => call<Stream>(`/streams/${id(stream)}`, signal),
  createStream: (stream: Omit<Stream, "id" | "version">) => call<Stream>("/streams", undefined, stream),
  saveStream: (stream: Stream) => call<Stream>(`/streams/${id(stream.id)}`, undefined, stream, "PUT"),
  searchArticles: (search: ArticleSearch, signal: AbortSignal) =>
    call<ArticleResults>("/articles/search", signal, search),
  article: (pmid: string, signal: AbortSignal) => call<Article>(`/articles/${id(pmid)}`, signal),
  reports: async (signal: AbortSignal) => (await call<{ reports: ReportBrief[] }>("/reports", signal)).reports,
  report: (report: string, signal: AbortSignal) => call<Report>(`/reports/${id(report)}`, signal),
  createReport: (streamId: string) => call<Report>("/reports", undefined, { streamId }),
  searchTrials: (search: TrialForm & Paging<TrialSort>, signal: AbortSignal) =>
    call<TrialResults>("/trials/search", signal, search),
  trial: (nct: string, signal: AbortSignal) => call<Trial>(`/trials/${id(nct)}`, signal),
  judge: (rows: Judging, signal: AbortSignal) =>
    call<{ cells: Record<string, Cell>; note?: string }>("/columns/judge", signal, rows),
  scenarios: async (signal: AbortSignal) => (await call<{ scenarios: Scenario[] }>("/scenarios", signal)).scenarios,
};

/** The stored instructions of a stream; empty if there are none. */
export const streamInstructions = {
  read: (stream: string, signal: AbortSignal) =>
    v1<{ text: string }>(`/instructions/stream/${id(stream)}`, signal).then(
      ({ text }) => text,
      (error: unknown) => {
        if (error instanceof HttpError && error.status === 404) return "";
        throw error;
      },
    ),
  write: (stream: string, text: string) =>
    v1(
      `/instructions/stream/${id(stream)}`,
      undefined,
      text.trim() ? { text } : undefined,
      text.trim() ? "PUT" : "DELETE",
    ),
};
