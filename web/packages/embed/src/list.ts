import { Subscribable } from "@pageside/core";

/** A list that is registered to from outside React and read inside. */
export interface List<Item> {
  /** The function takes the item out again. */
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
