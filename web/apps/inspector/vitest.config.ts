import { defineProject } from "vitest/config";

export default defineProject({
  test: {
    name: "inspector",
    environment: "jsdom",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    setupFiles: [new URL("../../vitest.setup.ts", import.meta.url).pathname],
    include: ["src/**/*.test.ts"],
  },
});
