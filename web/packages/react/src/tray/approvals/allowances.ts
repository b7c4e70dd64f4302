/**
 * What the user has allowed the page to do without being asked: one call of a tool or action, with
 * exactly its arguments, by each user, of each agent, until the tab is closed. What tools of the
 * server may do without asking is kept by the server.
 */
import { type ActionConfirmation, type PagesideClient, Subscribable } from "@pageside/core";
import { useSyncExternalStore } from "react";

/**
 * A call of a tool of the page that can be allowed: the tool as it is, and the arguments it is
 * called with.
 */
interface Allowable {
  tool: string;
  definition: string;
  args: string;
}

interface Definition {
  description?: string;
  parameters?: unknown;
  destructive?: boolean;
}

/** More than that are not kept: who allowed the oldest is asked again. */
const MOST = 200;
const DEEPEST = 32;

const ALLOWANCES = Symbol("allowances");

/** What the user of a client has allowed. */
export const allowancesOf = (client: PagesideClient) => client.extension(ALLOWANCES, (of) => new Allowances(of));

/**
 * A call of a tool of the page. Undefined where what it does cannot be taken back, which is asked
 * each time, or where its arguments are not data that could be told apart.
 */
export function toAllowable(
  tool: string,
  { description = "", parameters = {}, destructive }: Definition,
  args: unknown,
): Allowable | undefined {
  const definition = textOf([description, parameters]);
  const called = textOf(args);
  return destructive || definition === undefined || called === undefined
    ? undefined
    : { tool, definition, args: called };
}

/** A run of an action of the page: the same as a call of the tool that it is to the assistant. */
export function toAllowableAction(question: ActionConfirmation, args: unknown): Allowable | undefined {
  const { actionId, name, description = name } = question;
  return toAllowable(actionId, { ...question, description }, args);
}

/** One text for the same data, in whatever order its names stand; none for what is no data. */
function textOf(value: unknown, depth = 0): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== "object" || depth > DEEPEST) return undefined;
  if (Array.isArray(value)) return joined(value.map((each) => textOf(each, depth + 1)), "[", "]"); // prettier-ignore
  if (![null, Object.prototype].includes(Object.getPrototypeOf(value) as object | null)) return undefined;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = entries.map(([name, each]) => {
    const text = textOf(each, depth + 1);
    return text && `${JSON.stringify(name)}:${text}`;
  });
  return joined(texts, "{", "}");
}

const joined = (texts: (string | undefined)[], open: string, close: string) =>
  texts.includes(undefined) ? undefined : `${open}${texts.join(",")}${close}`;

const isSame = (a: Allowable, b: Allowable) => a.tool === b.tool && a.definition === b.definition && a.args === b.args;

class Allowances {
  readonly #key: string;
  readonly #changes = new Subscribable();
  #kept: readonly Allowable[];

  constructor(client: PagesideClient) {
    const { url, agent, user } = client.identity;
    this.#key = `pageside:allowed:${JSON.stringify([url, agent, user])}`;
    this.#kept = read(this.#key);
  }

  /** From now on. What cannot be told apart from other calls is not kept. */
  allow(asked: Allowable | undefined): void {
    if (asked) this.#change([...this.#kept.filter((each) => !isSame(each, asked)), asked].slice(-MOST));
  }

  isAllowed(asked: Allowable | undefined): boolean {
    return asked !== undefined && this.#kept.some((each) => isSame(each, asked));
  }

  /** The user wants to be asked again. */
  revoke(allowed: Allowable): void {
    this.#change(this.#kept.filter((each) => !isSame(each, allowed)));
  }

  /** The same array until something changes. */
  readonly all = (): readonly Allowable[] => this.#kept;

  readonly subscribe = this.#changes.subscribe;

  #change(next: readonly Allowable[]): void {
    this.#kept = next;
    write(this.#key, next);
    this.#changes.notify();
  }
}

function read(key: string): readonly Allowable[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isKept) : [];
  } catch {
    return []; // no storage, or something else stands there
  }
}

function isKept(value: unknown): value is Allowable {
  const { tool, definition, args } = (value ?? {}) as Record<string, unknown>;
  if (typeof tool !== "string" || typeof definition !== "string" || typeof args !== "string") return false;
  JSON.parse(args); // or none of it is ours
  return true;
}

function write(key: string, kept: readonly Allowable[]): void {
  try {
    if (kept.length > 0) sessionStorage.setItem(key, JSON.stringify(kept));
    else sessionStorage.removeItem(key);
  } catch {
    // It is full, or switched off: it holds until the page is left.
  }
}

/** What the user has allowed. Renders again when that changes. */
export function useAllowances(client: PagesideClient): Allowances {
  const allowances = allowancesOf(client);
  useSyncExternalStore(allowances.subscribe, allowances.all, allowances.all);
  return allowances;
}
