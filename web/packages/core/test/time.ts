import { vi } from "vitest";

/**
 * Lets faked time pass until the work is done, also where it goes on only once a module has been
 * loaded in real time.
 */
export async function whileTimePasses<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const end = () => void (isOver = true);
  work.then(end, end);
  while (!isOver) await vi.advanceTimersByTimeAsync(50);
  return work;
}
