import { Subscribable } from "./base/subscribable.js";

/**
 * At most one update in this many milliseconds while an answer streams: as often as an eye can
 * follow.
 */
const INTERVAL = 33;

/**
 * What is shown of something that changes often: gathers many small changes into few pictures, and
 * tells who looks. With a timer and no animation frame: those stop in hidden tabs.
 */
export class Picture<Value> {
  value: Value;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = 0;
  readonly #take: () => Value;
  readonly #changes = new Subscribable();

  constructor(take: () => Value) {
    this.#take = take;
    this.value = take();
  }

  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener);
  }

  /** A new picture soon. */
  request(): void {
    this.#timer ??= setTimeout(() => this.flush(), Math.max(0, this.#last + INTERVAL - Date.now()));
  }

  /** A new picture now. */
  flush(): void {
    this.#cancel();
    this.#last = Date.now();
    this.value = this.#take();
    this.#changes.notify();
  }

  /** Nobody looks any more. */
  close(): void {
    this.#changes.clear();
    this.#cancel();
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
