import { defineConfig } from "vitest/config";

/** The test that drives the real server in Chromium: `npm run test:browser`. */
export default defineConfig({
  test: {
    name: "browser",
    environment: "node",
    include: ["test/**/*.test.ts"],
    // Single steps give up after 20 s (test/harness/discover.ts); these are the net below them.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // What is on screen soon.
    expect: { poll: { timeout: 20_000 } },
    teardownTimeout: 15_000,
    bail: 3,
    // Prints every test as it ends.
    reporters: ["verbose"],
    // Each file has a server and a browser of its own.
    maxWorkers: 2,
  },
});
