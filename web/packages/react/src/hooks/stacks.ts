/**
 * What components register by name. The newest registration of a name wins, undoing it restores the one below. The last
 * one of a name is remembered after its component is gone.
 */
export interface Stacks<Entry> {
  register(name: string, entry: Entry): () => void;
  /** The newest registration of a component that is there. */
  top(name: string): Entry | undefined;
  /** `top`, or else the one that was there last. */
  last(name: string): Entry | undefined;
  subscribe(listener: () => void): () => void;
}

export function createStacks<Entry>(): Stacks<Entry> {
  const stacks = new Map<string, { entry: Entry }[]>();
  const last = new Map<string, Entry>();
  const listeners = new Set<() => void>();
  const top = (name: string) => stacks.get(name)?.at(-1)?.entry;

  const change = (name: string, stack: { entry: Entry }[]) => {
    stacks.set(name, stack);
    const entry = top(name);
    if (entry !== undefined) last.set(name, entry);
    listeners.forEach((listener) => listener());
  };

  return {
    register(name, entry) {
      const item = { entry };
      change(name, [...(stacks.get(name) ?? []), item]);
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
