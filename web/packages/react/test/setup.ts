/**
 * Tests of the tray see turns at once, as a browser does that had a moment. In `beforeAll`, so that what a file mocks is
 * mocked here too.
 */
import { beforeAll } from "vitest";

beforeAll(async () => {
  if (typeof document === "undefined") return;
  const { TurnList } = await import("../src/tray/turnsPart.js");
  await TurnList.preload();
});
