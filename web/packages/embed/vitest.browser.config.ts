import { defineConfig } from "vitest/config";

const skipped = new URL("../../scripts/skipped.mjs", import.meta.url).pathname;

/**
 * The script in Chromium, with the real server: `npm run test:browser -w @pageside/embed`, after
 * `make build`.
 */
export default defineConfig({
  test: {
    name: "embed in a browser",
    root: import.meta.dirname,
    environment: "node",
    include: ["test/browser/**/*.test.ts"],
    // Guards against what hangs: single steps give up after minutes and say for what they waited.
    testTimeout: 400_000,
    hookTimeout: 300_000,
    teardownTimeout: 180_000,
    expect: { poll: { timeout: 180_000, interval: 100 } },
    // Each file has servers and a browser of its own, but not what drives them.
    isolate: false,
    maxWorkers: 2,
    reporters: ["verbose", skipped],
  },
});
