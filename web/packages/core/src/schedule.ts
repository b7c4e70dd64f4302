/** At most one update in this many milliseconds while an answer streams: as often as an eye can follow. */
const INTERVAL = 33;

/** Gathers many small changes into few updates. A timer and no animation frame: those stop in hidden tabs. */
export class Batcher {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = 0;
  readonly #update: () => void;

  constructor(update: () => void) {
    this.#update = update;
  }

  /** Updates soon. */
  request(): void {
    this.#timer ??= setTimeout(() => this.flush(), Math.max(0, this.#last + INTERVAL - Date.now()));
  }

  /** Updates now. */
  flush(): void {
    this.cancel();
    this.#last = Date.now();
    this.#update();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

const { setImmediate: immediately } = globalThis as { setImmediate?: (work: () => void) => void };

/**
 * Resolves after whatever waits now has run: React then has committed what the tools changed. In tests, which run in Node,
 * it does so in an "immediate", which a timer may be ahead of.
 */
export const macrotask = async (): Promise<void> => {
  await pause(0);
  if (immediately) await new Promise<void>((resolve) => immediately(resolve));
};
