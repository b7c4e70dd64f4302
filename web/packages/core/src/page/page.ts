/** What a page has besides context: the place, instructions, and what is switched off. */
import { Subscribable } from "../base/subscribable.js";
import { compact } from "../base/values.js";
import type { IncludedKind, InstructionEntry, Place } from "./types.js";

/** The milliseconds between a change and its announcement: about one frame. */
const FRAME = 16;

/** What the user switched off, as `"tool:search"`, and the listeners for changes of the page. */
export class Page {
  readonly #off = new Set<string>();
  readonly #changes = new Subscribable();
  #isDue = false;

  set(kind: IncludedKind, id: string, included: boolean): void {
    this.#off[included ? "delete" : "add"](`${kind}:${id}`);
    this.changed();
  }

  isOn(kind: IncludedKind, id: string): boolean {
    return !this.#off.has(`${kind}:${id}`);
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

/** The instructions of the page. */
export class InstructionRegistry {
  #entries = new Map<string, InstructionEntry>();

  register(entry: InstructionEntry): () => void {
    this.#entries.set(entry.id, entry);
    return () => {
      if (this.#entries.get(entry.id) === entry) this.#entries.delete(entry.id);
    };
  }

  list(): InstructionEntry[] {
    return [...this.#entries.values()].sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
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
