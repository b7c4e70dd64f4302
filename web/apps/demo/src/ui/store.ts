import { useSyncExternalStore } from "react";

/** A value that components and others follow. */
export class Store<T> {
  readonly #listeners = new Set<() => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  getSnapshot = (): T => this.#value;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(value: T): void {
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }
}

/** The value of a store, as it is now. */
export const useStore = <T>({ subscribe, getSnapshot }: Store<T>): T => useSyncExternalStore(subscribe, getSnapshot);
