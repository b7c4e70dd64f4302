/** What a `fetch` was asked for. */

export interface Asked {
  url: URL;
  method: string;
  headers: Headers;
  text: string;
  signal: AbortSignal;
}

/** Reads the arguments of a `fetch`. Relative addresses are fine. */
export async function requestOf(target: RequestInfo | URL, init: RequestInit = {}): Promise<Asked> {
  const request = typeof target === "object" && "url" in target ? target : undefined;
  return {
    url: new URL(request?.url ?? String(target), "http://agent.test"),
    method: (init.method ?? request?.method ?? "GET").toUpperCase(),
    headers: new Headers(init.headers ?? request?.headers),
    text: typeof init.body === "string" ? init.body : ((await request?.text()) ?? ""),
    signal: init.signal ?? request?.signal ?? new AbortController().signal,
  };
}

/** The path from the API's root on, with its query, wherever the server is mounted. */
export function pathOf({ pathname, search }: URL): string {
  const root = pathname.lastIndexOf("/v1/");
  return pathname.slice(Math.max(0, root)) + search;
}
