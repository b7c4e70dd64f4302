import { Subscribable } from "@pageside/core";

/** A list that some parts of a page add to, and others read with `useSyncExternalStore`. */
export interface List<Item> {
  /** Adds an item. The function removes it. */
  add(item: Item): () => void;
  /** The same array until something changes. */
  all(): readonly Item[];
  subscribe(listener: () => void): () => void;
}

/** Makes an empty list. */
export function createList<Item>(): List<Item> {
  let items: readonly Item[] = [];
  const changes = new Subscribable();
  const set = (next: readonly Item[]) => {
    items = next;
    changes.notify();
  };
  return {
    add(item) {
      set([...items, item]);
      return () => set(items.filter((other) => other !== item));
    },
    all: () => items,
    subscribe: changes.subscribe,
  };
}
