/** Requests to a Pageside server, and what their failures mean. */
import { Failure } from "./failure.js";
import type { ClientOptions } from "./types.js";

export class Http {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Sends a request and returns the response, once its status says that it was accepted. */
  async send(path: string, { json, ...init }: RequestInit & { json?: object } = {}): Promise<Response> {
    const { url = "", headers, fetch: doFetch = fetch } = this.#options;
    const body = json && { "Content-Type": "application/json" };
    const response = await doFetch(url.replace(/\/+$/, "") + path, {
      ...init,
      headers: { ...body, ...init.headers, ...(typeof headers === "function" ? headers() : headers) },
      body: json && JSON.stringify(json),
    });
    if (!response.ok) throw await readFailure(response);
    return response;
  }
}

/** Reads `{"error": {code, message, details}}`, or whatever a proxy answered in its place. */
async function readFailure(response: Response): Promise<Failure> {
  const { status } = response;
  // The same request may succeed later where the server was busy, or once the user has signed in again.
  const retryable = status >= 500 || [401, 408, 409, 425, 429].includes(status);
  const text = await response.text().catch(() => "");
  try {
    const { code, message, details } = (
      JSON.parse(text) as { error: { code: string; message: string; details?: unknown } }
    ).error;
    const more = typeof details === "string" ? details : JSON.stringify(details);
    return new Failure(code, message, { status, retryable, details: more });
  } catch {
    return new Failure(`http_${status}`, `The server answered with status ${status}.`, {
      status,
      retryable,
      details: text.slice(0, 500),
    });
  }
}
