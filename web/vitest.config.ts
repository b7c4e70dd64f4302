import { existsSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { compatProjects } from "./compat/projects.ts";
import { sourceAliases } from "./vite.shared.ts";

const path = (name: string) => new URL(name, import.meta.url).pathname;
const patience = path("vitest.setup.ts");
const skipped = path("scripts/skipped.mjs");

// Tests stand beside the sources or in `test/`; one that needs a document starts with `//
// @vitest-environment jsdom` (files ending in .tsx of the react package get it by themselves).
const project = (name: string, environment: "node" | "jsdom", setupFiles: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    root: `./packages/${name}`,
    environment,
    setupFiles,
    include: ["src/**/*.test.{ts,tsx}", "test/**/*.test.{ts,tsx}"],
    exclude: ["**/browser/**"],
  },
});

// An application brings its own configuration.
const applications = ["apps/demo/vitest.config.ts", "apps/inspector/vitest.config.ts"].filter((path) =>
  existsSync(new URL(path, import.meta.url)),
);

export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: [
      ...sourceAliases,
      // As an application maps it that was written to these names.
      { find: "@osd/context-provider", replacement: path("packages/react/src/context-provider.ts") },
    ],
  },
  test: {
    // Guards against what hangs: on a busy machine a module takes seconds to come.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    setupFiles: [patience],
    reporters: ["default", skipped],
    projects: [
      project("core", "node"),
      project("react", "jsdom", ["./test/setup.ts"]),
      project("testing", "jsdom", ["../react/test/setup.ts"]),
      project("embed", "jsdom"),
      ...compatProjects,
      ...applications,
    ],
  },
});
