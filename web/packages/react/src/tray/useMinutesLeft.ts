import { useEffect, useState } from "react";

const TICK_MS = 15_000;

/** Whole minutes until a moment, rounded up; `undefined` where there is none. */
export function useMinutesLeft(moment: string | undefined): number | undefined {
  const [now, setNow] = useState(Date.now);
  const end = moment === undefined ? NaN : Date.parse(moment);

  useEffect(() => {
    if (Number.isNaN(end)) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [end]);

  return Number.isNaN(end) ? undefined : Math.ceil((end - now) / 60_000);
}
