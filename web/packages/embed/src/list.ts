/** A list that is registered to from outside React and read inside. */
export interface List<Item> {
  /** The function takes the item out again. */
  add(item: Item): () => void;
  /** The same array until something changes. */
  all(): readonly Item[];
  subscribe(listener: () => void): () => void;
}

export function createList<Item>(): List<Item> {
  let items: readonly Item[] = [];
  const listeners = new Set<() => void>();
  const set = (next: readonly Item[]) => {
    items = next;
    for (const listener of [...listeners]) listener();
  };
  return {
    add(item) {
      set([...items, item]);
      return () => set(items.filter((other) => other !== item));
    },
    all: () => items,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
