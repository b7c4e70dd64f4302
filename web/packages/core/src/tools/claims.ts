/** Claims tool calls with Web Locks: the tab that holds the lock named after a call runs it. */
import type { ToolCall } from "@ag-ui/core";

/** The calls that this tab may run. */
export interface Claim {
  /** The calls that were granted. */
  calls: readonly ToolCall[];
  release(): void;
}

const PREFIX = "pageside:call:";

const locksHere = () => (typeof navigator === "undefined" ? undefined : (navigator as Partial<Navigator>).locks);

/** The ids of those calls that no tab runs: of all, without Web Locks. */
export async function unclaimed(calls: readonly string[]): Promise<string[]> {
  const state = await locksHere()
    ?.query()
    .catch(() => undefined); // as in `isGranted`
  const held = new Set(state?.held?.map(({ name }) => name));
  return calls.filter((id) => !held.has(PREFIX + id));
}

/**
 * Claims the calls that no other tab holds. Without Web Locks (insecure context, no browser) it
 * claims all: calls then run only in the tab that began their run.
 */
export async function claim(calls: readonly ToolCall[]): Promise<Claim> {
  const locks = locksHere();
  if (!locks) return { calls, release: () => undefined };
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const granted = await Promise.all(calls.map(({ id }) => isGranted(locks, id, released)));
  return { calls: calls.filter((_, index) => granted[index]), release };
}

/** Resolves with whether the call's lock was granted. It is held until `released` resolves. */
function isGranted(locks: LockManager, id: string, released: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const hold = (lock: Lock | null) => {
      resolve(lock !== null);
      return lock ? released : undefined;
    };
    // A document without access to locks (an opaque origin) shares no storage with other tabs
    // either.
    locks.request(PREFIX + id, { ifAvailable: true }, hold).catch(() => resolve(true));
  });
}
