import type { ThreadSnapshot } from "@pageside/core";
import { useEffect, useState } from "react";

const TICK_MS = 500;

/**
 * Whole seconds until the server tries again, counted from when it said so; `undefined` where it
 * waits for nothing.
 */
export function useSecondsLeft(retrying: ThreadSnapshot["retrying"]): number | undefined {
  const wait = retrying?.waitSeconds;
  const [{ of, left }, setLeft] = useState({ of: retrying, left: wait });
  if (of !== retrying) setLeft({ of: retrying, left: wait });

  useEffect(() => {
    if (!wait) return;
    const end = Date.now() + wait * 1000;
    const timer = setInterval(() => setLeft({ of: retrying, left: (end - Date.now()) / 1000 }), TICK_MS);
    return () => clearInterval(timer);
  }, [retrying, wait]);

  return left && left > 0 ? Math.ceil(left) : undefined;
}
