/** Requests to a Pageside server, and what their failures mean. */
import { Failure } from "./failure.js";

/** How to reach a server. */
export interface HttpOptions {
  /**
   * Base URL of the server.
   * @defaultValue same origin
   */
  url?: string;
  /** Sent with every request. A function is called for each. */
  headers?: Record<string, string> | (() => Record<string, string>);
  /**
   * Returns the user's token, which is sent with every request as `Authorization: Bearer …`. It is
   * called for each request, and once more, with `true`, if the server has refused the token: then
   * get a new one. Reject, or return an empty string, if nobody is signed in.
   */
  getToken?: (isRefused: boolean) => string | Promise<string>;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

/** What carries requests to a Pageside server, or what answers in its place. */
export type Transport = Pick<Http, "isKnown" | "read" | "send">;

/** Sends requests to a Pageside server. */
export class Http {
  /** Whether the server has ever answered. */
  isKnown = false;
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /** Sends a GET and returns the answer's JSON, without checking its type. */
  async read<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await this.send(path, { signal })).json() as Promise<T>;
  }

  /**
   * Sends a request (a POST if there is JSON) and returns the response. Rejects if the server
   * refuses it.
   */
  async send(path: string, { json, ...init }: RequestInit & { json?: object } = {}): Promise<Response> {
    const { url = "", headers, getToken, fetch: doFetch = fetch } = this.#options;
    const body = json && { "Content-Type": "application/json" };
    for (let isRefused = false; ; isRefused = true) {
      const token = getToken && (await tokenOf(getToken, isRefused));
      const response = await doFetch(url.replace(/\/+$/, "") + path, {
        ...init,
        method: init.method ?? (json && "POST"),
        headers: {
          ...body,
          ...init.headers,
          ...(typeof headers === "function" ? headers() : headers),
          ...(token && { Authorization: `Bearer ${token}` }),
        },
        body: json && JSON.stringify(json, wellFormed),
      });
      this.isKnown = true;
      if (response.ok) return response;
      if (response.status !== 401 || !getToken || isRefused) throw await readFailure(response);
      void response.body?.cancel().catch(() => undefined);
    }
  }
}

/** The user's token. The network may fail on the way to it, which says nothing about the user. */
async function tokenOf(getToken: NonNullable<HttpOptions["getToken"]>, isRefused: boolean): Promise<string> {
  try {
    return await getToken(isRefused);
  } catch (cause) {
    if (cause instanceof TypeError) throw cause;
    throw new Failure("unauthenticated", "There is no token of a user.", { status: 401, details: String(cause) });
  }
}

/**
 * Replaces lone surrogates (from texts cut by length) and U+0000: strict readers would refuse the
 * whole request.
 */
const wellFormed = (_: string, value: unknown) =>
  typeof value === "string" ? value.replace(/[\0\p{Cs}]/gu, "\ufffd") : value;

/** Reads `{"error": {code, message, details}}`, or a proxy's answer. */
async function readFailure(response: Response): Promise<Failure> {
  const { status } = response;
  // The same request may succeed later: the server was busy, or the user has to sign in again.
  const retryable = status >= 500 || [401, 408, 409, 425, 429].includes(status);
  const text = await response.text().catch(() => "");
  const { code, message, details } = parseError(text);
  const more = typeof details === "string" ? details : JSON.stringify(details);
  return new Failure(code ?? `http_${status}`, message ?? `The server answered with status ${status}.`, {
    status,
    retryAfter: response.headers.get("Retry-After"),
    retryable,
    details: code ? more : text.slice(0, 500),
  });
}

function parseError(text: string): { code?: string; message?: string; details?: unknown } {
  try {
    const { error }: { error?: object } = JSON.parse(text);
    return error ?? {};
  } catch {
    return {}; // no JSON, or null
  }
}
