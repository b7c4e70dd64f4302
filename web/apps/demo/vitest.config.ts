import react from "@vitejs/plugin-react";
import { defineProject } from "vitest/config";
import { sourceAliases } from "../../vite.shared.ts";

export default defineProject({
  plugins: [react()],
  resolve: { alias: sourceAliases },
  test: {
    name: "demo",
    environment: "node",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    setupFiles: [new URL("../../vitest.setup.ts", import.meta.url).pathname],
    include: ["src/**/*.test.{ts,tsx}"],
  },
});
