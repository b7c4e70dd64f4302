/** Details of a refusal: the position in the query, or the field of the request. */
interface ErrorDetails {
  /** From 1, in Unicode code points. */
  line?: number;
  column?: number;
  /** From 0. */
  position?: number;
  /** 0 is the end of the text. */
  length?: number;
  expected?: string[];
  /** `filters[0].value`. */
  field?: string;
}

/** A request that was refused or not answered, in words for the user. */
export class HttpError extends Error {
  readonly code: string;
  /** 0 where the server could not be reached. */
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(message: string, code: string, status: number, details: ErrorDetails = {}) {
    super(message);
    this.name = "HttpError";
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

/**
 * Calls paths of an API; a body is sent as JSON. Rejects with an HttpError, or with the signal's
 * reason when it is aborted.
 */
export function createCaller(base: string, fetcher: typeof fetch = (...args) => fetch(...args)) {
  return async <T>(path: string, signal?: AbortSignal, body?: unknown, method = body ? "POST" : "GET"): Promise<T> => {
    const json = body !== undefined && {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    };
    const response = await fetcher(base + path, { method, signal, ...json }).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new HttpError("The server cannot be reached. Is it running?", "unreachable", 0);
    });
    if (!response.ok) throw await readError(response);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
}

interface Refusal {
  error?: Partial<Pick<HttpError, "message" | "code" | "details">>;
}

async function readError(response: Response): Promise<HttpError> {
  const body = (await response.json().catch(() => null)) as Refusal | null;
  const { message, code = "http", details } = body?.error ?? {};
  const fallback = `The server answered ${response.status} ${response.statusText}`.trim();
  return new HttpError(message || fallback, code, response.status, details);
}
