/** Code is highlighted in turns: so many characters of it in one frame, or one block. */
const PER_FRAME = 6_000;

interface Waiting {
  size: number;
  wake: () => void;
}

/** Whose turn it is. Shared by all code of the page. */
class PaintingTurns {
  #left = PER_FRAME;
  #isScheduled = false;
  readonly #waiting = new Set<Waiting>();

  /** Reports whether code of this size may be highlighted in this frame. */
  take(size: number): boolean {
    if (size > this.#left && this.#left < PER_FRAME) return false;
    this.#left -= size;
    this.#schedule();
    return true;
  }

  /** Calls `wake` in the frame in which it may be. The function undoes it. */
  wait(size: number, wake: () => void): () => void {
    const waiting = { size, wake };
    this.#waiting.add(waiting);
    this.#schedule();
    return () => this.#waiting.delete(waiting);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#left = PER_FRAME;
      this.#wake();
    });
  }

  #wake(): void {
    let room = PER_FRAME;
    for (const waiting of this.#waiting) {
      if (waiting.size > room && room < PER_FRAME) break;
      room -= waiting.size;
      this.#waiting.delete(waiting);
      waiting.wake();
    }
    if (this.#waiting.size > 0) this.#schedule();
  }
}

export const paintingTurns = new PaintingTurns();
