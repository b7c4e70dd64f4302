import type { Extensible } from "../base/extensible.js";
import { Http, type Transport } from "../protocol/http.js";
import { clientToolsOf } from "../tools/page-calls.js";
import type { Shared } from "./session.js";

/** What a client's threads share, for functions of its server that are not its members. */
export function sharedOf(client: Extensible): Shared {
  // the folder of the tools knows only its part of it
  return clientToolsOf(client).parts as Shared;
}

/** What carries a client's requests. Made for the first: a page that asks nothing needs none. */
export function httpOf(shared: Shared): Transport {
  return (shared.http ??= new Http(shared.address));
}

/** A thread's path on the server. */
export function pathOfThread(threadId: string): string {
  return `/v1/threads/${encodeURIComponent(threadId)}`;
}
