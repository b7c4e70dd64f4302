import { nextOrder } from "@pageside/core";

/**
 * What components register by name. The registration of the highest order wins (see `useOrder`),
 * undoing it restores the one below. The last one of a name is remembered after its component is
 * gone.
 */
export interface Stacks<Entry> {
  /** `order` is above all others where it is left out. */
  register(name: string, entry: Entry, order?: number): () => void;
  /** The uppermost registration of a component that is there. */
  top(name: string): Entry | undefined;
  /** `top`, or else the one that was there last. */
  last(name: string): Entry | undefined;
  subscribe(listener: () => void): () => void;
}

interface Item<Entry> {
  entry: Entry;
  order: number;
}

export function createStacks<Entry>(): Stacks<Entry> {
  const stacks = new Map<string, Item<Entry>[]>();
  const last = new Map<string, Entry>();
  const listeners = new Set<() => void>();
  const top = (name: string) => stacks.get(name)?.at(-1)?.entry;

  const change = (name: string, stack: Item<Entry>[]) => {
    stacks.set(name, stack);
    const entry = top(name);
    if (entry !== undefined) last.set(name, entry);
    listeners.forEach((listener) => listener());
  };

  return {
    register(name, entry, order = nextOrder()) {
      const item = { entry, order };
      change(name, [...(stacks.get(name) ?? []), item].sort((a, b) => a.order - b.order)); // prettier-ignore
      return () =>
        change(
          name,
          (stacks.get(name) ?? []).filter((other) => other !== item),
        );
    },
    top,
    last: (name) => last.get(name),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
