/**
 * What the page may do without asking: the user has allowed a call of a tool or action with exactly
 * its arguments, for one user and agent, until the tab is closed. The server keeps the allowances
 * of its own tools.
 */
import { membersOf } from "../base/values.js";
import { Subscribable } from "../base/subscribable.js";

/**
 * A call of a tool of the page that can be allowed: the tool as it is, and the arguments it is
 * called with.
 */
export interface Allowable {
  tool: string;
  definition: string;
  args: string;
}

/** What a tool or an action says of itself. Allowances of an earlier version of it do not hold. */
export interface Definition {
  description?: string;
  parameters?: unknown;
  destructive?: boolean;
}

/** The most allowances. Beyond that the oldest are dropped. */
const MOST = 200;
const DEEPEST = 32;

/**
 * A call of a tool of the page. Undefined if it is destructive, which is asked each time, or where
 * its arguments cannot be compared.
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

/** The same text for the same data, regardless of the order of names; undefined for no data. */
function textOf(value: unknown, depth = 0): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== "object" || depth > DEEPEST) return undefined;
  if (Array.isArray(value)) return joined(value.map((each) => textOf(each, depth + 1)), "[", "]"); // prettier-ignore
  if (![null, Object.prototype].includes(Object.getPrototypeOf(value))) return undefined;
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

/** The allowances of a client's user. */
export class Allowances {
  readonly #key: string;
  readonly #changes = new Subscribable();
  #kept: readonly Allowable[];

  /** `owner` is the user, and whom the client talks to. */
  constructor(owner: string) {
    this.#key = `pageside:allowed:${owner}`;
    this.#kept = read(this.#key);
  }

  /** Allows a call from now on. Undefined is ignored. */
  allow(asked: Allowable | undefined): void {
    if (asked) this.#change([...this.#kept.filter((each) => !isSame(each, asked)), asked].slice(-MOST));
  }

  /** Reports whether a call is allowed. */
  readonly isAllowed = (asked: Allowable | undefined): boolean =>
    asked !== undefined && this.#kept.some((each) => isSame(each, asked));

  /** Revokes it. */
  revoke(allowed: Allowable): void {
    this.#change(this.#kept.filter((each) => !isSame(each, allowed)));
  }

  /** The same array until something changes. */
  readonly all = (): readonly Allowable[] => this.#kept;

  /** Calls the listener after every change. The function undoes it. */
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
    return []; // no storage, or something else is kept there
  }
}

function isKept(value: unknown): value is Allowable {
  const { tool, definition, args } = membersOf(value);
  if (typeof tool !== "string" || typeof definition !== "string" || typeof args !== "string") return false;
  JSON.parse(args); // throws if it is not our data
  return true;
}

function write(key: string, kept: readonly Allowable[]): void {
  try {
    if (kept.length > 0) sessionStorage.setItem(key, JSON.stringify(kept));
    else sessionStorage.removeItem(key);
  } catch {
    // Storage is full or switched off: what is allowed holds until the page is left.
  }
}
