import type {
  Article,
  ArticleBrief,
  Filters,
  Report,
  ReportBrief,
  Stream,
  TrialBrief,
} from "../../src/research/types.ts";

/** The raw data, as the API has it: what a test computes its own numbers from. */
export class Raw {
  readonly #base: string;

  constructor(serverUrl: string) {
    this.#base = `${serverUrl}/demo/research`;
  }

  async #call<T>(path: string, body?: unknown, method = "POST"): Promise<T> {
    const init =
      body === undefined ? {} : { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const response = await fetch(this.#base + path, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  trials = async (form: object = {}): Promise<TrialBrief[]> =>
    (await this.#call<{ trials: TrialBrief[] }>("/trials/search", { ...form, pageSize: 250 })).trials;

  articles = async (query: string, filters: Filters = {}): Promise<ArticleBrief[]> =>
    (await this.#call<{ articles: ArticleBrief[] }>("/articles/search", { query, filters, pageSize: 200 })).articles;

  count = async (query: string, filters: Filters = {}): Promise<number> =>
    (await this.#call<{ total: number }>("/articles/search", { query, filters, pageSize: 1 })).total;

  article = (pmid: string) => this.#call<Article>(`/articles/${pmid}`);
  report = (id: string) => this.#call<Report>(`/reports/${id}`);
  reports = async () => (await this.#call<{ reports: ReportBrief[] }>("/reports")).reports;
  stream = (id: string) => this.#call<Stream>(`/streams/${id}`);
  save = (stream: Stream) => this.#call<Stream>(`/streams/${stream.id}`, stream, "PUT");
}

/** How often each value occurs, most first. */
export function tally(values: Iterable<string>): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}
