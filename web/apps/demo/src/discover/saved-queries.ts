import { decodeView, encodeView } from "./url.ts";
import type { View } from "./view.ts";

/** A query with its time range and filters, under a name. */
export interface SavedQuery {
  name: string;
  query: string;
  /** The view as a URL's search part. */
  search: string;
}

/** The saved queries at one time. */
interface SavedQueriesSnapshot {
  list: readonly SavedQuery[];
  /** The one that was deleted last, and its index, until it is brought back or forgotten. */
  deleted: { saved: SavedQuery; index: number } | null;
}

const key = "pageside-demo:saved-queries";

/** The user's saved queries, in this browser. */
export class SavedQueries {
  readonly #storage: Pick<Storage, "getItem" | "setItem">;
  readonly #listeners = new Set<() => void>();
  #snapshot: SavedQueriesSnapshot;

  constructor(storage: Pick<Storage, "getItem" | "setItem">) {
    this.#storage = storage;
    this.#snapshot = { list: JSON.parse(storage.getItem(key) ?? "[]") as SavedQuery[], deleted: null };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getSnapshot = (): SavedQueriesSnapshot => this.#snapshot;

  /** Saves the view's query, replacing one of the same name. */
  save(name: string, view: View): void {
    const saved = { name: name.trim(), query: view.query, search: encodeView({ ...view, page: 1, row: null }) };
    const others = this.#snapshot.list.filter((each) => each !== this.find(name));
    this.#set({ list: [...others, saved], deleted: null });
  }

  /** The query with that name, ignoring case. */
  find(name: string): SavedQuery | undefined {
    const plain = (text: string) => text.trim().toLowerCase();
    return this.#snapshot.list.find((each) => plain(each.name) === plain(name));
  }

  /** Deletes the query of that name and returns it; undefined if there is none. */
  remove(name: string): SavedQuery | undefined {
    const { list } = this.#snapshot;
    const saved = this.find(name);
    if (!saved) return undefined;
    const index = list.indexOf(saved);
    this.#set({ list: list.toSpliced(index, 1), deleted: { saved, index } });
    return saved;
  }

  /** Restores the query that was deleted last, in its old position. */
  restore(): void {
    const { list, deleted } = this.#snapshot;
    if (deleted) this.#set({ list: list.toSpliced(deleted.index, 0, deleted.saved), deleted: null });
  }

  #set(snapshot: SavedQueriesSnapshot): void {
    this.#snapshot = snapshot;
    this.#storage.setItem(key, JSON.stringify(snapshot.list));
    for (const listener of this.#listeners) listener();
  }
}

/** The view that a saved query stands for. */
export const viewOf = ({ search }: SavedQuery): View => decodeView(search);
