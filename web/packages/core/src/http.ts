/** Requests to a Pageside server, and what their failures mean. */
import { ProtocolError } from "./events.js";
import type { ClientError, ClientOptions } from "./types.js";

/** A request the server refused, with the code and the message it gave. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: string | undefined;

  constructor(status: number, code: string, message: string, details?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export class Http {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Sends a request and returns the response, once its status says that it was accepted. */
  async send(path: string, init: RequestInit & { json?: unknown } = {}): Promise<Response> {
    const { url = "", headers, fetch: doFetch = fetch } = this.#options;
    const { json, ...rest } = init;
    const own = typeof headers === "function" ? headers() : headers;
    const response = await doFetch(url.replace(/\/+$/, "") + path, {
      ...rest,
      headers: { ...(json !== undefined && { "Content-Type": "application/json" }), ...init.headers, ...own },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    if (!response.ok) throw await readError(response);
    return response;
  }

  async get(path: string, signal?: AbortSignal): Promise<unknown> {
    const response = await this.send(path, { signal });
    return response.json();
  }
}

async function readError(response: Response): Promise<HttpError> {
  const text = await response.text().catch(() => "");
  const { status } = response;
  try {
    const { code, message, details } = (JSON.parse(text) as { error: Record<string, unknown> }).error;
    const more = details === undefined || typeof details === "string" ? details : JSON.stringify(details);
    return new HttpError(
      status,
      String(code ?? `http_${status}`),
      String(message ?? response.statusText),
      more as string | undefined,
    );
  } catch {
    return new HttpError(
      status,
      `http_${status}`,
      `The server answered with status ${status}.`,
      text.slice(0, 500) || undefined,
    );
  }
}

/** What a failed request or a broken stream means to the user. */
export function toClientError(cause: unknown): ClientError {
  if (cause instanceof HttpError) {
    const { code, message, details, status } = cause;
    return { code, message, details, retryable: isRetryable(status) };
  }
  if (cause instanceof ProtocolError || cause instanceof RangeError) {
    return { code: "protocol", message: cause.message, retryable: true };
  }
  const details = cause instanceof Error ? cause.message : String(cause);
  return { code: "network", message: "The server could not be reached.", details, retryable: true };
}

/** A refused request may succeed later when the server was busy, or once the user has signed in again. */
function isRetryable(status: number): boolean {
  return status >= 500 || [401, 408, 409, 425, 429].includes(status);
}
