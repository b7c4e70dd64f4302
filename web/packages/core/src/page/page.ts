/** What a page has besides context: the place, instructions, and what is switched off. */
import { Subscribable } from "../base/subscribable.js";
import { compact } from "../base/values.js";
import type { Capability, IncludedKind, InstructionEntry, Place } from "./types.js";

/** The milliseconds between a change and its announcement: about one frame. */
const FRAME = 16;

/** What the user switched off, as `"tool:search"`, and the listeners for changes of the page. */
export class Page {
  readonly #off = new Set<string>();
  /** What sources may contribute. A source that is not here may contribute anything. */
  #limits: readonly { source: string; capabilities: readonly Capability[] }[] = [];
  /** The contributions that were left out with a warning. */
  readonly #told = new Set<string>();
  readonly #changes = new Subscribable();
  #isDue = false;

  set(kind: IncludedKind, id: string, included: boolean): void {
    this.#off[included ? "delete" : "add"](`${kind}:${id}`);
    this.changed();
  }

  isOn(kind: IncludedKind, id: string): boolean {
    return !this.#off.has(`${kind}:${id}`);
  }

  /** Leaves out what the source contributes beyond its capabilities. The function undoes it. */
  restrict(source: string, capabilities: readonly Capability[]): () => void {
    const limit = { source, capabilities };
    this.#limits = [...this.#limits, limit];
    return this.registered(() => {
      this.#limits = this.#limits.filter((other) => other !== limit);
    });
  }

  /** Reports whether the source may contribute this. Warns once where it may not. */
  allows(capability: Capability, source: string | undefined): boolean {
    const limits = this.#limits.filter((limit) => limit.source === source);
    if (limits.length === 0 || limits.some(({ capabilities }) => capabilities.includes(capability))) return true;
    const what = `the ${capability} of the plug-in "${source}"`;
    if (!this.#told.has(what))
      console.warn(`Pageside: ${what} are left out, because its capabilities do not name "${capability}".`);
    this.#told.add(what);
    return false;
  }

  /** Calls the listener, at most once a frame, after something changed. The function undoes it. */
  readonly subscribe = this.#changes.subscribe;

  /**
   * Tells the listeners, at most once a frame. Uses a timer, because hidden tabs have no frames.
   */
  changed(): void {
    if (this.#isDue || !this.#changes.hasListeners) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.#changes.notify();
    }, FRAME);
  }

  /** Announces a registration now, and its undoing when the returned function is called. */
  registered(undo: () => void): () => void {
    this.changed();
    return () => {
      undo();
      this.changed();
    };
  }
}

/** Adds an entry, or replaces the one with its id. The function undoes only this registration. */
export function keep<Entry extends { id: string }>(entries: Map<string, Entry>, entry: Entry): () => void {
  const { id } = entry;
  entries.set(id, entry);
  return () => void (entries.get(id) === entry && entries.delete(id));
}

/** The instructions of the page. */
export class InstructionRegistry {
  readonly #entries = new Map<string, InstructionEntry>();
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  register(entry: InstructionEntry): () => void {
    return keep(this.#entries, entry);
  }

  list(): InstructionEntry[] {
    return [...this.#entries.values()]
      .filter(({ source }) => this.#page.allows("context", source))
      .sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
  }
}

/** The user's place: what `setPlace` said, and what components add to it. */
export class PlaceRegistry {
  #base: Place | undefined;
  #parts: Partial<Place>[] = [];

  set(place: Place | undefined): void {
    this.#base = place;
  }

  register(part: Partial<Place>): () => void {
    this.#parts.push(part);
    return () => {
      this.#parts = this.#parts.filter((other) => other !== part);
    };
  }

  current(): Place | undefined {
    const place: Partial<Place> = {};
    for (const { scope, ...path } of [this.#base ?? {}, ...this.#parts]) {
      Object.assign(place, compact(path));
      if (scope) place.scope = { ...place.scope, ...scope };
    }
    return place.page === undefined ? undefined : (place as Place);
  }
}
