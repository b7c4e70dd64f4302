import type { ThreadSnapshot } from "@pageside/core";
import { useEffect, useState } from "react";

/** How often elapsed time, seconds left and minutes left are counted, in milliseconds. */
const TICK_MS = { elapsed: 100, seconds: 500, minutes: 15_000 };

/**
 * Milliseconds from `startedAt` to `endedAt`, or to now while that is open. 0 if the start is
 * unknown.
 */
export function useElapsed(startedAt: number, endedAt: number | undefined, live: boolean): number {
  const [now, setNow] = useState(startedAt);
  const ticking = live && startedAt > 0;

  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS.elapsed);
    return () => clearInterval(timer);
  }, [ticking]);

  if (startedAt <= 0) return 0;
  return Math.max(0, (endedAt ?? now) - startedAt);
}

/** Whole seconds until the server tries again, counted from when it said so; else `undefined`. */
export function useSecondsLeft(retrying: ThreadSnapshot["retrying"]): number | undefined {
  const wait = retrying?.waitSeconds;
  const [{ of, left }, setLeft] = useState({ of: retrying, left: wait });
  if (of !== retrying) setLeft({ of: retrying, left: wait });

  useEffect(() => {
    if (!wait) return;
    const end = Date.now() + wait * 1000;
    const timer = setInterval(() => setLeft({ of: retrying, left: (end - Date.now()) / 1000 }), TICK_MS.seconds);
    return () => clearInterval(timer);
  }, [retrying, wait]);

  return left && left > 0 ? Math.ceil(left) : undefined;
}

/** Whole minutes until a moment, rounded up; `undefined` where there is none. */
export function useMinutesLeft(moment: string | undefined): number | undefined {
  const [now, setNow] = useState(Date.now);
  const end = moment === undefined ? NaN : Date.parse(moment);

  useEffect(() => {
    if (Number.isNaN(end)) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS.minutes);
    return () => clearInterval(timer);
  }, [end]);

  return Number.isNaN(end) ? undefined : Math.ceil((end - now) / 60_000);
}
