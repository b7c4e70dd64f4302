import { seed } from "../../../seed.js";

/**
 * A small seeded generator: a failing case can be run again by its number, and by the seed of the
 * whole run.
 */
export class Random {
  #state: number;

  constructor(number: number) {
    this.#state = ((seed + number) % 2 ** 21) * 2654435761 + 1;
  }

  /** A number from 0 up to, not including, `below` (mulberry32). */
  int(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below) | 0;
  }

  chance(percent: number): boolean {
    return this.int(100) < percent;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)]!;
  }

  /** Cuts bytes into pieces of random size. */
  cut(bytes: Uint8Array): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const size = 1 + this.int(this.chance(30) ? 3 : 40);
      pieces.push(bytes.slice(at, at + size));
      at += size;
    }
    return pieces;
  }
}
