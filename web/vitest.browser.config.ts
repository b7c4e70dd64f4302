import { defineConfig } from "vitest/config";
import { isLong } from "./long.ts";

const path = (name: string) => new URL(name, import.meta.url).pathname;

/**
 * The packages and applications in Chromium, most of them with the real server, after `make build`:
 * `npm run browser`, or `npm run browser -- embed/test/browser/share apps/demo` for some.
 */
export default defineConfig({
  test: {
    include: ["packages/*/test/browser/**/*.test.{ts,mjs}", "apps/*/test/**/*.test.ts"],
    environment: "node",
    globalSetup: [path("packages/react/test/browser/build.mjs")],
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
    reporters: ["verbose", path("scripts/skipped.mjs")],
  },
});
