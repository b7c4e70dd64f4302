import { defineConfig } from "vitest/config";

/** The test that drives the real server in Chromium: `npm run test:browser`. */
export default defineConfig({
  test: {
    name: "browser",
    environment: "node",
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
