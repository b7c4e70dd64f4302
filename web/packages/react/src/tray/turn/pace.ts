/** The time over which arriving text is shown, in milliseconds. */
const SPREAD_MS = 170;
/**
 * Nothing is shown later than so many milliseconds after it arrived, however late the frames are.
 */
const LIMIT_MS = 200;
/** A late frame is made up for in about so many milliseconds. */
const CATCH_UP_MS = 40;

interface Arrival {
  at: number;
  /** Of the whole text, from then on. */
  length: number;
}

/**
 * How much of a growing text is shown at which moment: the mean of what had arrived in the last
 * `SPREAD_MS`. Text that comes evenly is shown evenly, half of that time behind; text that comes at
 * once is shown in small steps. A late frame takes a step as long as the others; where frames are
 * so far apart that `LIMIT_MS` comes into sight, what is left is divided evenly among those left.
 */
export class Pace {
  #text: string;
  #shown: number;
  /** All of the first one is shown. */
  #arrivals: Arrival[] = [];
  #last: number | undefined;
  /** How long a frame usually takes, in milliseconds. */
  #frame = 1000 / 60;

  /** `shown` characters of `text` are on screen already. */
  constructor(text: string, shown: number) {
    this.#text = text;
    this.#shown = shown;
    this.#arrivals = [{ at: -Infinity, length: shown }];
  }

  /** Takes the text as it is now. One that does not continue the last one is shown at once. */
  arrive(text: string, now: number): void {
    if (!text.startsWith(this.#text)) return this.skip(text);
    const { length } = this.#arrivals.at(-1)!;
    if (this.#shown >= length) this.#last = undefined; // it may have been still for a while
    this.#text = text;
    if (text.length > length) this.#arrivals.push({ at: now, length: text.length });
  }

  /** Takes the text as it is now, and shows all of it. */
  skip(text: string): void {
    this.#text = text;
    this.#shown = text.length;
    this.#arrivals = [{ at: -Infinity, length: text.length }];
  }

  /** How many of its characters a frame at `now` shows. */
  show(now: number): number {
    if (this.#shown < this.#text.length) this.#advance(now);
    this.#last = now;
    return Math.floor(this.#shown);
  }

  #advance(now: number): void {
    const gap = now - (this.#last ?? now - this.#frame);
    const usual = Math.min(gap, this.#frame);
    this.#frame += (gap - this.#frame) / 8;
    const due = this.#mean(now);
    const even = due - this.#mean(now - usual);
    const missing = due - even - this.#shown;
    const step = Math.max(even + (missing * usual) / CATCH_UP_MS, this.#needed(now, Math.max(gap, this.#frame)));
    this.#shown = Math.max(
      this.#shown,
      Math.min(due, this.#shown + step),
      this.#arrivedBy(now + this.#frame - LIMIT_MS),
    );
    while (this.#arrivals.length > 1 && this.#arrivals[1]!.at < now - LIMIT_MS - usual) this.#arrivals.shift();
  }

  /** The step that, repeated every `frame` milliseconds, shows everything within its limit. */
  #needed(now: number, frame: number): number {
    let step = 0;
    for (const { at, length } of this.#arrivals) {
      const frames = 1 + Math.max(0, Math.floor((at + LIMIT_MS - now) / frame));
      step = Math.max(step, (length - this.#shown) / frames);
    }
    return step;
  }

  #arrivedBy(moment: number): number {
    return this.#arrivals.findLast(({ at }) => at <= moment)?.length ?? 0;
  }

  /** Of what had arrived in the `SPREAD_MS` before a moment. */
  #mean(moment: number): number {
    let before = this.#arrivals[0]!.length;
    let mean = before;
    for (const { at, length } of this.#arrivals) {
      mean += (length - before) * Math.min(1, Math.max(0, (moment - at) / SPREAD_MS));
      before = length;
    }
    return mean;
  }
}
