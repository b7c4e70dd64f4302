// What tests wait for may take its time on a busy machine: one second, as vitest and the Testing
// Library have it, is too little.
import { afterEach, beforeAll, vi } from "vitest";

const PATIENCE = 30_000;

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

const patient = <T extends { timeout?: number }>(options: number | T | undefined) =>
  typeof options === "number" ? options : { timeout: PATIENCE, interval: 20, ...options };

beforeAll(async () => {
  if (typeof document === "undefined") return;
  const { configure } = await import("@testing-library/dom");
  configure({ asyncUtilTimeout: PATIENCE });
});

// Files share React, so an `act` that nobody awaits would hold up what the next one draws.
afterEach(() => {
  const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
  const pending = environment.IS_REACT_ACT_ENVIRONMENT !== undefined;
  delete environment.IS_REACT_ACT_ENVIRONMENT;
  if (pending) throw new Error("This test does not await one of its calls of act().");
});
