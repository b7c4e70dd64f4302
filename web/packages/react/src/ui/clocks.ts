import { useEffect, useState } from "react";

const TICK_MS = 100;

/**
 * Milliseconds from `startedAt` to `endedAt`, or to now while that is open. 0 where the start is
 * unknown.
 */
export function useElapsed(startedAt: number, endedAt: number | undefined, live: boolean): number {
  const [now, setNow] = useState(startedAt);
  const ticking = live && startedAt > 0;

  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [ticking]);

  if (startedAt <= 0) return 0;
  return Math.max(0, (endedAt ?? now) - startedAt);
}
