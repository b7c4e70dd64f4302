import { nextOrder, Subscribable } from "@pageside/core";

/**
 * Registrations of components by name. The highest order wins (see `useOrder`); undoing it restores
 * the one below. The last one of a name is remembered after its component has unmounted.
 */
export interface Stacks<Entry> {
  /** Without `order`, it ranks above all others. */
  register(name: string, entry: Entry, order?: number): () => void;
  /** The highest registration of a mounted component. */
  top(name: string): Entry | undefined;
  /** `top`, or else the last one that was mounted. */
  last(name: string): Entry | undefined;
  /** The names that a mounted component has registered. */
  names(): string[];
  /** Calls the listener after every change. The function undoes it. */
  subscribe(listener: () => void): () => void;
}

interface Item<Entry> {
  entry: Entry;
  order: number;
}

/** Makes stacks with nothing registered. */
export function createStacks<Entry>(): Stacks<Entry> {
  const stacks = new Map<string, Item<Entry>[]>();
  const last = new Map<string, Entry>();
  const changes = new Subscribable();
  const top = (name: string) => stacks.get(name)?.at(-1)?.entry;

  const change = (name: string, stack: Item<Entry>[]) => {
    stacks.set(name, stack);
    const entry = top(name);
    if (entry !== undefined) last.set(name, entry);
    changes.notify();
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
    names: () => [...stacks.keys()].filter((name) => top(name) !== undefined),
    subscribe: changes.subscribe,
  };
}
