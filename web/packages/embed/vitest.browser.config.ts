import { defineConfig } from "vitest/config";

/** The script in Chromium, with the real server: `npm run test:browser -w @pageside/embed`, after `make build`. */
export default defineConfig({
  test: {
    name: "embed in a browser",
    root: import.meta.dirname,
    environment: "node",
    include: ["test/browser/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    reporters: ["verbose"],
  },
});
