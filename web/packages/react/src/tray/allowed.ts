/**
 * What the user has allowed without being asked. Tools of the page: each user, of each agent, until the tab is closed, as
 * long as the tool takes what it took then. Tools of the server: in one thread, until the page is left.
 */
import type { PagesideClient } from "@pageside/core";

/** A tool of the page that can be allowed, and what it takes. */
export interface Allowable {
  tool: string;
  schema: string;
}

/** One that is allowed; with a thread only there. */
export interface Allowed {
  tool: string;
  threadId?: string;
}

interface Kept extends Allowed {
  schema?: string;
}

const held = new WeakMap<PagesideClient, Allowances>();

export function allowancesOf(client: PagesideClient): Allowances {
  let allowances = held.get(client);
  if (!allowances) held.set(client, (allowances = new Allowances(client)));
  return allowances;
}

/** A tool of the page by its name. Undefined where there is none, or where what it does cannot be taken back: that is asked each time. */
export function allowable(client: PagesideClient, name: string): Allowable | undefined {
  const entry = client.getToolEntries().find((each) => each.name === name);
  return entry && toAllowable(name, entry);
}

export function toAllowable(
  tool: string,
  { parameters = {}, destructive }: { parameters?: unknown; destructive?: boolean },
): Allowable | undefined {
  return destructive ? undefined : { tool, schema: JSON.stringify(parameters) };
}

export class Allowances {
  readonly #client: PagesideClient;
  readonly #key: string;
  readonly #listeners = new Set<() => void>();
  #kept: readonly Kept[];

  constructor(client: PagesideClient) {
    const { url, agent, user } = client.identity;
    this.#client = client;
    this.#key = `pageside:allowed:${JSON.stringify([url, agent, user])}`;
    this.#kept = read(this.#key);
  }

  /** A tool of the page, from now on. */
  allow({ tool, schema }: Allowable): void {
    this.#change([...this.#kept.filter((each) => each.threadId || each.tool !== tool), { tool, schema }]);
  }

  /** A tool of the server, in the open thread. */
  allowInThread(tool: string): void {
    if (!this.isAllowedInThread(tool)) this.#change([...this.#kept, { tool, threadId: this.#threadId }]);
  }

  isAllowed(asked: Allowable | undefined): boolean {
    const isIt = ({ tool, schema, threadId }: Kept) => !threadId && tool === asked?.tool && schema === asked.schema;
    return this.#kept.some(isIt);
  }

  isAllowedInThread(asked: string): boolean {
    return this.#kept.some((each) => each.threadId === this.#threadId && each.tool === asked);
  }

  /** The user wants to be asked again. */
  revoke(allowed: Allowed): void {
    this.#change(this.#kept.filter(({ tool, threadId }) => tool !== allowed.tool || threadId !== allowed.threadId));
  }

  /** The same array until something changes. */
  readonly all = (): readonly Allowed[] => this.#kept;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get #threadId(): string {
    return this.#client.getSnapshot().threadId;
  }

  #change(next: readonly Kept[]): void {
    this.#kept = next;
    write(this.#key, next.filter(({ threadId }) => !threadId)); // prettier-ignore
    for (const listener of [...this.#listeners]) listener();
  }
}

function read(key: string): readonly Kept[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isKept) : [];
  } catch {
    return []; // no storage, or something else stands there
  }
}

function isKept(value: unknown): value is Kept {
  const { tool, schema, threadId } = (value ?? {}) as Record<string, unknown>;
  return typeof tool === "string" && typeof schema === "string" && threadId === undefined;
}

function write(key: string, kept: readonly Kept[]): void {
  try {
    if (kept.length > 0) sessionStorage.setItem(key, JSON.stringify(kept));
    else sessionStorage.removeItem(key);
  } catch {
    // It is full, or switched off: it holds until the page is left.
  }
}
