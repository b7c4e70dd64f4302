import { defineConfig } from "vitest/config";
import { isLong } from "./long.ts";

const skipped = new URL("scripts/skipped.mjs", import.meta.url).pathname;

const project = (name: string, root: string, include: string) => ({
  extends: true as const,
  test: { name, root: new URL(root, import.meta.url).pathname, include: [include] },
});

/**
 * The packages and applications in Chromium, most of them with the real server, after `make build`:
 * `npm run browser`, or `npm run browser -- --project embed share` for some.
 */
export default defineConfig({
  test: {
    environment: "node",
    // Guards against what hangs: single steps give up after minutes and say for what they waited.
    // The long version shows all texts in one test.
    testTimeout: isLong ? 1_500_000 : 400_000,
    hookTimeout: 300_000,
    teardownTimeout: 180_000,
    // Checks wait for what soon appears on screen.
    expect: { poll: { timeout: 180_000, interval: 50 } },
    // Files share what drives them and the browser (scripts/stage.ts), and have servers of their
    // own.
    isolate: false,
    maxWorkers: 2,
    // Prints every test as it ends, and what was skipped.
    reporters: ["verbose", skipped],
    projects: [
      project("tray", "./packages/react", "test/browser/**/*.test.mjs"),
      project("embed", "./packages/embed", "test/browser/**/*.test.ts"),
      project("demo", "./apps/demo", "test/**/*.test.ts"),
    ],
  },
});
