/** Waiting, for time and for the network. */

/** Resolves after so many milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

const { setImmediate: immediately } = globalThis as { setImmediate?: (work: () => void) => void };

/**
 * Resolves after everything that waits now has run, so that React has committed what the tools
 * changed. In Node, and so in tests, React commits in an "immediate", which a timer may overtake.
 */
export const macrotask = async (): Promise<void> => {
  await pause(0);
  if (immediately) await new Promise<void>((resolve) => immediately(resolve));
};

/** Where `online` events are dispatched; undefined outside a browser. */
export function onlineEvents(): Pick<EventTarget, "addEventListener"> | undefined {
  return typeof addEventListener === "function" ? globalThis : undefined;
}
