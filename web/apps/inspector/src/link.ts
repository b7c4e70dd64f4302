/**
 * What the address asks for: a run, two runs to compare, or the message of a thread that a chat
 * links to. `from` is the chat's page, for the way back.
 */
export interface Wanted {
  run?: string;
  compare?: [string, string];
  message?: { threadId: string; messageId: string };
  from?: string;
}

/** Reads the part of the address after "#". */
export function readHash(hash: string): Wanted {
  const text = hash.replace(/^#/, "");
  if (!text.includes("=")) return text ? { run: decodeURIComponent(text) } : {};
  const query = new URLSearchParams(text);
  const [threadId, messageId, run] = ["thread", "message", "run"].map((name) => query.get(name) ?? undefined);
  const [a, b] = query.getAll("compare");
  return {
    run,
    compare: a !== undefined && b !== undefined ? [a, b] : undefined,
    message: threadId && messageId ? { threadId, messageId } : undefined,
    from: query.get("from") ?? undefined,
  };
}

/** The address of a run. An id that holds "=" needs a name. */
export const hashOf = (run: string) =>
  run.includes("=") ? `#${new URLSearchParams({ run }).toString()}` : `#${encodeURIComponent(run)}`;

/** The address of a comparison. */
export const compareHash = (a: string, b: string) =>
  `#${new URLSearchParams([["compare", a], ["compare", b]]).toString()}`; // prettier-ignore

const KEY = "pageside.inspector.from";

/**
 * Keeps the page that the reader came from. A stranger may have made the link, so that only pages
 * of this server's origin count, and of the one that the browser says the reader comes from.
 */
export function keepOrigin(from: string | undefined, referrer = document.referrer): void {
  if (!from || !URL.canParse(from)) return;
  const { origin, protocol } = new URL(from);
  const known = [location.origin, URL.canParse(referrer) ? new URL(referrer).origin : ""];
  if (/^https?:$/.test(protocol) && known.includes(origin)) sessionStorage.setItem(KEY, from);
}

/** The address of the chat with a thread open, if it is known where the chat is. */
export function chatUrl(threadId: string): string | undefined {
  const from = sessionStorage.getItem(KEY);
  if (!from) return undefined;
  const url = new URL(from);
  url.searchParams.set("pageside-thread", threadId);
  return url.href;
}
