import { decodeView, encodeView } from "./url.ts";
import { defaultView, type View } from "./view.ts";

/** A query with its time range and filters, under a name. */
export interface SavedQuery {
  name: string;
  query: string;
  /** The view as a URL's search part. */
  search: string;
}

export interface SavedQueriesSnapshot {
  list: readonly SavedQuery[];
  /** The one that was deleted last and its place, until it is brought back or forgotten. */
  deleted: { saved: SavedQuery; index: number } | null;
}

type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

const key = "pageside-demo:saved-queries";

/** The user's saved queries, in this browser. It has never heard of React. */
export class SavedQueries {
  readonly #storage: Storage | undefined;
  readonly #listeners = new Set<() => void>();
  #snapshot: SavedQueriesSnapshot;

  /** Without a storage they last as long as the page. */
  constructor(storage: Storage | undefined) {
    this.#storage = storage;
    this.#snapshot = { list: read(storage), deleted: null };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getSnapshot = (): SavedQueriesSnapshot => this.#snapshot;

  /** Saves what the view asks for. A query of the same name gives way to it. */
  save(name: string, view: View): void {
    const { query, time, filters, sort, columns } = view;
    const search = encodeView({ ...defaultView, query, time, filters, sort, columns });
    const saved = { name: name.trim(), query, search };
    const others = this.#snapshot.list.filter((each) => !sameName(each.name, saved.name));
    this.#set({ list: [...others, saved], deleted: null });
  }

  /** The query of that name, in whatever case it is written. */
  find = (name: string): SavedQuery | undefined => this.#snapshot.list.find((each) => sameName(each.name, name));

  /** Deletes the query of that name and returns it; undefined where there is none. */
  remove(name: string): SavedQuery | undefined {
    const { list } = this.#snapshot;
    const saved = this.find(name);
    if (!saved) return undefined;
    const index = list.indexOf(saved);
    this.#set({ list: list.toSpliced(index, 1), deleted: { saved, index } });
    return saved;
  }

  /** Brings the query back that was deleted last, to where it stood. */
  restore(): void {
    const { list, deleted } = this.#snapshot;
    if (deleted) this.#set({ list: list.toSpliced(deleted.index, 0, deleted.saved), deleted: null });
  }

  #set(snapshot: SavedQueriesSnapshot): void {
    this.#snapshot = snapshot;
    try {
      this.#storage?.setItem(key, JSON.stringify(snapshot.list));
    } catch {
      // A full or forbidden storage: they last as long as the page.
    }
    for (const listener of this.#listeners) listener();
  }
}

/** The view that a saved query stands for. */
export const viewOf = ({ search }: SavedQuery): View => decodeView(search);

const sameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

/** What stands in the storage, as far as it makes sense. */
function read(storage: Storage | undefined): SavedQuery[] {
  try {
    const found: unknown = JSON.parse(storage?.getItem(key) ?? "[]");
    return Array.isArray(found) ? found.filter(isSaved) : [];
  } catch {
    return [];
  }
}

function isSaved(value: unknown): value is SavedQuery {
  const { name, query, search } = (value ?? {}) as Record<string, unknown>;
  return [name, query, search].every((each) => typeof each === "string") && name !== "";
}
