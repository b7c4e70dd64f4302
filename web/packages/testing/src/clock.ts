import type { Clock } from "@pageside/core";

/** The time of the machine, or of the fake timers that a test runner has put in its place. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const timer = setTimeout(resolve, milliseconds);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

/** Time that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Lets that many milliseconds pass. Sleepers wake when it is time, in the order of time. */
  advance(milliseconds: number): Promise<void>;
  /**
   * Resolves when something sleeps: a script has reached its pause. If something has to happen
   * first (a module loads, a tool runs), await this before `advance`.
   */
  asleep(): Promise<void>;
  /** How many sleep. */
  readonly sleepers: number;
}

interface Sleeper {
  at: number;
  wake: () => void;
}

/**
 * Makes a clock for the pauses of a scripted agent, and, as `reconnect: { clock }`, for those of a
 * client between two attempts to connect. Nothing else depends on it: React, the client and the
 * test go on in real time.
 *
 * @example
 * const clock = fakeClock();
 * const agent = scriptedAgent([{ reply: ["Wait", pause(5000), " for it."] }], { clock });
 * const sent = client.send("go");
 * await clock.asleep();
 * await clock.advance(5000);
 * await sent;
 */
export function fakeClock(start = 0): FakeClock {
  let now = start;
  let sleepers: Sleeper[] = [];
  const waiting: (() => void)[] = [];
  return {
    now: () => now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const sleeper: Sleeper = { at: now + milliseconds, wake: resolve };
        sleepers.push(sleeper);
        for (const tell of waiting.splice(0)) tell();
        signal.addEventListener("abort", () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          resolve();
        });
      }),
    async advance(milliseconds) {
      const end = now + milliseconds;
      await settled(); // what is about to sleep begins now, not later
      for (;;) {
        const next = sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        sleepers = sleepers.filter((other) => other !== next);
        now = next.at;
        next.wake();
        await settled();
      }
      now = end;
    },
    async asleep() {
      if (sleepers.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    get sleepers() {
      return sleepers.length;
    },
  };
}

// The machine's, taken before a test runner replaces them: they also work under fake timers.
const { setTimeout: later } = globalThis;

/** Resolves after whatever is ready now has run. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => later(resolve, 0));
}
