import { defineConfig } from "vitest/config";

const skipped = new URL("../../scripts/skipped.mjs", import.meta.url).pathname;

/** The test that drives the real server in Chromium: `npm run test:browser`. */
export default defineConfig({
  test: {
    name: "browser",
    environment: "node",
    include: ["test/**/*.test.ts"],
    // Ends tests that hang. Single steps give up after minutes (test/harness/demo-page.ts) and say
    // for what they waited.
    testTimeout: 400_000,
    hookTimeout: 300_000,
    teardownTimeout: 180_000,
    // Checks wait for what soon appears on screen.
    expect: { poll: { timeout: 180_000, interval: 100 } },
    bail: 3,
    // Prints every test as it ends, and what was skipped.
    reporters: ["verbose", skipped],
    // Each file has a server and a browser of its own, but not what drives them.
    isolate: false,
    maxWorkers: 2,
  },
});
