/**
 * The listeners of something that changes. What one of them throws goes to the console; the others
 * are still called.
 *
 * @example
 * const changes = new Subscribable();
 * const undo = changes.subscribe(() => console.log("changed"));
 * changes.notify();
 * undo();
 */
export class Subscribable {
  readonly #listeners = new Set<() => void>();

  /** Calls the listener after every change. The function undoes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  /** Reports whether there are listeners. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls every listener that is subscribed now. */
  notify(): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        console.error(error);
      }
    }
  }

  /** Forgets all listeners. */
  clear(): void {
    this.#listeners.clear();
  }
}
