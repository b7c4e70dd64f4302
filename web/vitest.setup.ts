// What tests wait for may take its time on a busy machine: one second, as vitest and the Testing
// Library have it, is too little.
import { beforeAll, vi } from "vitest";

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
