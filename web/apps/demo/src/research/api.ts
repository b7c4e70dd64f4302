import { createCaller, type Caller } from "../shell/http.ts";
import type {
  Article,
  ArticleResults,
  ArticleSearch,
  ColumnValues,
  Direction,
  FieldType,
  Match,
  NewStream,
  Report,
  ReportBrief,
  ResearchInfo,
  Scenario,
  Stream,
  StreamBrief,
  Trial,
  TrialForm,
  TrialResults,
  TrialSort,
  Validation,
} from "./types.ts";

const id = encodeURIComponent;

/**
 * Research's HTTP API. Everything rejects with an HttpError, or with the signal's reason when it is
 * aborted.
 */
export function createResearchApi(call: Caller = createCaller("/demo/research")) {
  return {
    info: (signal?: AbortSignal) => call<ResearchInfo>("/info", { signal }),
    streams: (signal?: AbortSignal) =>
      call<{ streams: StreamBrief[] }>("/streams", { signal }).then(({ streams }) => streams),
    stream: (streamId: string, signal?: AbortSignal) => call<Stream>(`/streams/${id(streamId)}`, { signal }),
    createStream: (body: NewStream) => call<Stream>("/streams", { method: "POST", body }),
    saveStream: (body: Stream) => call<Stream>(`/streams/${id(body.id)}`, { method: "PUT", body }),
    validate: (stream: Stream, signal?: AbortSignal) =>
      call<Validation>(`/streams/${id(stream.id)}/validate`, { method: "POST", body: stream, signal }),
    searchArticles: (body: ArticleSearch, signal?: AbortSignal) =>
      call<ArticleResults>("/articles/search", { method: "POST", body, signal }),
    article: (pmid: string, signal?: AbortSignal) => call<Article>(`/articles/${id(pmid)}`, { signal }),
    reports: (signal?: AbortSignal) =>
      call<{ reports: ReportBrief[] }>("/reports", { signal }).then(({ reports }) => reports),
    report: (reportId: string, signal?: AbortSignal) => call<Report>(`/reports/${id(reportId)}`, { signal }),
    createReport: (streamId: string, name?: string) =>
      call<Report>("/reports", { method: "POST", body: { streamId, ...(name && { name }) } }),
    searchTrials: (
      body: TrialForm & { sort: TrialSort; dir: Direction; page: number; pageSize: number },
      signal?: AbortSignal,
    ) => call<TrialResults>("/trials/search", { method: "POST", body, signal }),
    trial: (nct: string, signal?: AbortSignal) => call<Trial>(`/trials/${id(nct)}`, { signal }),
    previewColumn: (body: { match: Match; type: FieldType; pmids?: string[]; ncts?: string[] }, signal?: AbortSignal) =>
      call<{ values: ColumnValues }>("/columns/preview", { method: "POST", body, signal }).then((r) => r.values),
    scenarios: (signal?: AbortSignal) =>
      call<{ scenarios: Scenario[] }>("/scenarios", { signal }).then(({ scenarios }) => scenarios),
  };
}

export type ResearchApi = ReturnType<typeof createResearchApi>;

export const researchApi = createResearchApi();

const v1 = createCaller("/v1");

/** The instructions that are stored for a stream; an empty text where there are none. */
export const streamInstructions = {
  read: (streamId: string, signal?: AbortSignal) =>
    v1<{ text: string }>(`/instructions/stream/${id(streamId)}`, { signal }).then(
      ({ text }) => text,
      (error: unknown) => {
        if (error instanceof Error && "status" in error && error.status === 404) return "";
        throw error;
      },
    ),
  write: (streamId: string, text: string) =>
    text.trim() === ""
      ? v1<undefined>(`/instructions/stream/${id(streamId)}`, { method: "DELETE" })
      : v1<unknown>(`/instructions/stream/${id(streamId)}`, { method: "PUT", body: { text } }).then(() => undefined),
};
