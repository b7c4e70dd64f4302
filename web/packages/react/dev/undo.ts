import { onTestFinished, vi } from "vitest";

/** How long an undo is offered. */
const OFFERED = 10_000;

/**
 * Until the end of the test an undo is offered without end: the steps of a test may take longer
 * than its ten seconds on a busy machine.
 */
export function offerUndoWithoutEnd(): void {
  const real = globalThis.setTimeout;
  const patient = (work: () => void, delay?: number) => (delay === OFFERED ? undefined : real(work, delay));
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(patient as typeof real);
  onTestFinished(() => spy.mockRestore());
}
