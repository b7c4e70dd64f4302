/** Waiting, for time and for the network. */

/** Resolves after so many milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

const { setImmediate: immediately } = globalThis as { setImmediate?: (work: () => void) => void };

/**
 * Resolves after whatever waits now has run: React then has committed what the tools changed. In
 * tests, which run in Node, it does so in an "immediate", which a timer may be ahead of.
 */
export const macrotask = async (): Promise<void> => {
  await pause(0);
  if (immediately) await new Promise<void>((resolve) => immediately(resolve));
};

/** Where "online" is heard; nowhere outside a browser. */
export function onlineEvents(): Pick<EventTarget, "addEventListener"> | undefined {
  return typeof addEventListener === "function" ? globalThis : undefined;
}
