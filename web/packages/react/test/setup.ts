/**
 * Tests of the tray see all of it at once, as a browser does that had a moment. In `beforeAll`, so
 * that what a file mocks is mocked here too. What they wait for may take its time on a busy
 * machine.
 */
import { configure } from "@pageside/testing";
import { beforeAll } from "vitest";

configure({ timeout: 60_000 });

beforeAll(async () => {
  if (typeof document === "undefined") return;
  const { panelsPart } = await import("../src/tray/panels/later.js");
  const { questionsPart } = await import("../src/tray/approvals/later.js");
  const { findPart } = await import("../src/tray/transcript/finding.js");
  const { loadHooksPart } = await import("../src/hooks/later.js");
  for (const part of [panelsPart, questionsPart, findPart]) await part.load();
  // Or a file that ends while it loads leaves the others of its world without it.
  await loadHooksPart();
});
