/** The context entries of the page. */
import { membersOf } from "../base/values.js";
import { keep, type Page } from "./page.js";
import type { ContextDetail, ContextEntry, ContextEntryInfo } from "./types.js";

/** A context entry as it is sent, and its details in `forwardedProps.pageside.context`. */
export interface CollectedContext {
  item: { description: string; value: string };
  detail: ContextDetail;
}

/** The context entries of the page, and which of them are sent. */
export class ContextRegistry {
  /** The entries that the user mentioned in the message being answered. */
  mentioned: readonly string[] = [];
  readonly #entries = new Map<string, ContextEntry>();
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /**
   * Adds an entry, or replaces the one with its id. The function undoes only its own registration.
   */
  register(entry: ContextEntry): () => void {
    return keep(this.#entries, entry);
  }

  list(): ContextEntryInfo[] {
    return this.#distinct().map(({ entry: { value: _, items: __, prepare: ___, auto = true, ...info } }) => ({
      ...info,
      auto,
    }));
  }

  /** The entries that are sent now and have items. */
  withItems(): ContextEntry[] {
    return this.#sorted().filter((entry) => entry.items && this.#isSent(entry, this.mentioned));
  }

  /** The entries whose values take a moment to prepare. */
  slow(): ContextEntry[] {
    return this.#sorted().filter(({ prepare }) => prepare);
  }

  /** Reads the values now: those sent always, and those mentioned. */
  collect(mentions: readonly string[] = []): CollectedContext[] {
    return this.#distinct().flatMap(({ entry, page }) => {
      const value = this.#isSent(entry, mentions) ? (page ?? readValue(entry)) : undefined;
      if (value === undefined) return [];
      const { id, description, label, source } = entry;
      const kind = mentions.includes(id) ? "mention" : entry.kind;
      return [{ item: { description, value }, detail: { id, label, source, kind } }];
    });
  }

  /** A mention overrides the switch. */
  #isSent({ id, auto }: ContextEntry, mentions: readonly string[]): boolean {
    return mentions.includes(id) || (auto !== false && this.#page.isOn("context", id));
  }

  /** Leaves out a page entry that repeats an earlier one. */
  #distinct(): { entry: ContextEntry; page?: string }[] {
    const told = new Set<string>();
    return this.#sorted().flatMap((entry) => {
      if (entry.kind !== "page") return [{ entry }];
      const page = readValue(entry);
      if (page === undefined) return [{ entry }];
      return told.has(page) ? [] : [(told.add(page), { entry, page })];
    });
  }

  /** The page first, then in the order of registration. */
  #sorted(): ContextEntry[] {
    return [...this.#entries.values()]
      .filter(({ source }) => this.#page.allows("context", source))
      .sort((a, b) => Number(b.kind === "page") - Number(a.kind === "page"));
  }
}

/** The value as text; undefined if it cannot be read, so that the message is sent without it. */
function readValue({ description, value }: ContextEntry): string | undefined {
  try {
    const current = typeof value === "function" ? (value as () => unknown)() : value;
    return typeof current === "string" ? current : JSON.stringify(current, refusePromise);
  } catch (error) {
    console.warn(`Pageside: the context "${description}" is left out, as its value cannot be read.`, error);
    return undefined;
  }
}

/** As JSON a promise is `{}`, which a model takes for the truth. */
function refusePromise(_: string, value: unknown): unknown {
  if (typeof membersOf(value)["then"] === "function") throw new TypeError("It has a promise. Await it first.");
  return value;
}
