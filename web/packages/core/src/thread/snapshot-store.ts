import { Subscribable } from "../base/subscribable.js";

/**
 * The shortest time between two updates while an answer streams, in milliseconds: as fast as the
 * eye can follow.
 */
const INTERVAL = 33;

/**
 * The snapshot of something that changes often: combines many small changes into few snapshots and
 * calls the listeners. Uses a timer, because animation frames stop in hidden tabs.
 */
export class SnapshotStore<Value> {
  value: Value;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = 0;
  readonly #take: (last?: Value) => Value;
  readonly #changes = new Subscribable();
  /** Calls the listener after every new snapshot. The function undoes it. */
  readonly subscribe = this.#changes.subscribe;

  constructor(take: (last?: Value) => Value) {
    this.#take = take;
    this.value = take();
  }

  /** Takes a new snapshot now, or soon with what changes by then. */
  readonly changed = (now: boolean): void => {
    if (now) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), Math.max(0, this.#last + INTERVAL - Date.now()));
  };

  /** Takes a new snapshot now. */
  flush(): void {
    this.#cancel();
    this.#last = Date.now();
    this.value = this.#take(this.value);
    this.#changes.notify();
  }

  /** Forgets the listeners, and drops a snapshot that was requested. */
  close(): void {
    this.#changes.clear();
    this.#cancel();
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
