/** The requests of a client without a Pageside server: the agent's own, and what needs nobody. */
import { Failure } from "./failure.js";
import { Http, type HttpOptions } from "./http.js";

/** How to reach an agent. */
export type AgentAddress = HttpOptions & { url: string };

/** What the page keeps of a thread. */
export interface KeptThreads {
  /** The events that tell the thread; undefined if it is not kept. */
  eventsOf(threadId: string): readonly object[] | undefined;
}

const RUNS = /^\/v1\/agents\/[^/]*\/run$/;
const THREAD = /^\/v1\/threads\/([^/]+)\/events\?/;
const PAYLOAD = /^\/v1\/threads\/[^/]+\/payloads\//;

/**
 * Sends runs to the agent, tells threads that the page has kept, and lets payloads be decided in
 * the page. Whatever else needs a Pageside server is refused.
 */
export class AgentHttp {
  readonly isKnown = true;
  readonly #url: string;
  readonly #http: Http;
  readonly #kept: KeptThreads;

  constructor({ url, ...options }: AgentAddress, kept: KeptThreads) {
    this.#url = url;
    this.#http = new Http(options);
    this.#kept = kept;
  }

  read<T>(): Promise<T> {
    return Promise.reject(noServer());
  }

  async send(path: string, init: RequestInit & { json?: object } = {}): Promise<Response> {
    if (RUNS.test(path)) return this.#run(init);
    if (PAYLOAD.test(path)) return new Response(null, { status: 204 });
    const threadId = THREAD.exec(path)?.[1];
    const events = threadId === undefined ? undefined : this.#kept.eventsOf(decodeURIComponent(threadId));
    if (!events) throw noServer();
    return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  }

  async #run(init: RequestInit & { json?: object }): Promise<Response> {
    const response = await this.#http.send(this.#url, init).catch((cause: unknown) => {
      throw init.signal?.aborted ? cause : failureOf(cause);
    });
    const type = response.headers.get("Content-Type") ?? "";
    if (/^text\/event-stream\b/i.test(type)) return response;
    void response.body?.cancel().catch(() => undefined);
    const message = `The agent answered with ${type || "nothing"} instead of an event stream: is its address right?`;
    throw new Failure("agent_protocol", message, { retryable: false });
  }
}

const noServer = () =>
  new Failure("no_server", "This needs a Pageside server, and the page talks to an agent without one.", {
    status: 404,
    retryable: false,
  });

/** By HTTP status, the code and the words for a request that the agent did not take. */
function refusalOf(status: number): [code: string, words: string] {
  if (status === 401 || status === 403) return ["agent_refused", "refused the user's credentials"];
  if (status === 404) return ["agent_not_found", "is not at its address"];
  if (status === 429) return ["agent_busy", "has too many requests: try again later"];
  if (status >= 500) return ["agent_unavailable", "does not work at the moment"];
  return ["agent_rejected", "did not accept the request"];
}

/**
 * The failure of a request to the agent. It has no status: nothing is tried again by itself, since
 * an agent need not know a run that it is sent twice.
 */
function failureOf(cause: unknown): Failure {
  if (!(cause instanceof Failure) || cause.status === undefined) {
    return new Failure("agent_unreachable", "The agent could not be reached.", { details: String(cause) });
  }
  const { status, retryAfter, error } = cause;
  const [code, words] = refusalOf(status);
  const { retryable, details } = error;
  return new Failure(code, `The agent ${words} (${status}).`, {
    retryAfter,
    retryable,
    details: details ?? error.message,
  });
}
