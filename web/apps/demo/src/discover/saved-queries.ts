import { Store } from "../ui/store.ts";
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
interface Saved {
  list: readonly SavedQuery[];
  /** The one that was deleted last, and the list with it, until it is brought back or forgotten. */
  deleted: { saved: SavedQuery; before: readonly SavedQuery[] } | null;
}

const key = "pageside-demo:saved-queries";

/** The user's saved queries, in this browser. */
export class SavedQueries extends Store<Saved> {
  constructor(storage: Pick<Storage, "getItem" | "setItem">) {
    super({ list: JSON.parse(storage.getItem(key) ?? "[]") as SavedQuery[], deleted: null });
    this.subscribe(() => storage.setItem(key, JSON.stringify(this.getSnapshot().list)));
  }

  /** Saves the view's query, replacing one of the same name. */
  save(name: string, view: View): void {
    const saved = { name: name.trim(), query: view.query, search: encodeView({ ...view, page: 1, row: null }) };
    const others = this.getSnapshot().list.filter((each) => each !== this.find(name));
    this.set({ list: [...others, saved], deleted: null });
  }

  /** The query with that name, ignoring case. */
  find(name: string): SavedQuery | undefined {
    const plain = (text: string) => text.trim().toLowerCase();
    return this.getSnapshot().list.find((each) => plain(each.name) === plain(name));
  }

  /** Deletes the query of that name and returns it; undefined if there is none. */
  remove(name: string): SavedQuery | undefined {
    const { list } = this.getSnapshot();
    const saved = this.find(name);
    if (!saved) return undefined;
    this.set({ list: list.filter((each) => each !== saved), deleted: { saved, before: list } });
    return saved;
  }

  /** Restores the query that was deleted last, in its old position. */
  restore(): void {
    const { deleted } = this.getSnapshot();
    if (deleted) this.set({ list: deleted.before, deleted: null });
  }
}

/** The view that a saved query stands for. */
export const viewOf = ({ search }: SavedQuery): View => decodeView(search);
