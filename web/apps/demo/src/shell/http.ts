/** A request that was refused or not answered, in words for the user. */
export class HttpError extends Error {
  readonly code: string;
  /** 0 where the server could not be reached. */
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, code: string, status: number, details: unknown = {}) {
    super(message);
    this.name = "HttpError";
    this.code = code;
    this.status = status;
    this.details = isRecord(details) ? details : {};
  }
}

export interface CallOptions {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON. */
  body?: unknown;
  signal?: AbortSignal;
}

export type Caller = <T>(path: string, options?: CallOptions) => Promise<T>;

/**
 * Calls an API that speaks JSON. Rejects with an HttpError, or with the signal's reason when it is
 * aborted.
 */
export function createCaller(base: string, fetcher: typeof fetch = (...args) => fetch(...args)): Caller {
  return async <T>(path: string, { method = "GET", body, signal }: CallOptions = {}) => {
    const init: RequestInit = { method, signal };
    if (body !== undefined) {
      init.headers = { "Content-Type": "application/json" };
      init.body = JSON.stringify(body);
    }
    let response: Response;
    try {
      response = await fetcher(base + path, init);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new HttpError("The server cannot be reached. Is it running?", "unreachable", 0);
    }
    if (!response.ok) throw await readError(response);
    if (response.status === 204) return undefined as T;
    return (await response.json()) as T;
  };
}

async function readError(response: Response): Promise<HttpError> {
  const body: unknown = await response.json().catch(() => null);
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const message = text(error.message) ?? `The server answered ${response.status} ${response.statusText}`.trim();
  return new HttpError(message, text(error.code) ?? "http", response.status, error.details);
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
