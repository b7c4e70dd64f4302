import { existsSync, readFileSync, readdirSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { compatProjects } from "./compat/projects.ts";
import { sourceAliases } from "./vite.shared.ts";

const path = (name: string) => new URL(name, import.meta.url).pathname;
const patience = path("vitest.setup.ts");
const jsdom = path("jsdom.ts");
const skipped = path("scripts/skipped.mjs");

// Tests stand beside the sources or in `test/`.
//
// The files of a package share one world, so that the modules are loaded and compiled once, which
// halves the time. Those that replace modules have a world each.
const projects = (name: string, environment: string, setupFiles: string[] = []) => {
  const root = path(`./packages/${name}`);
  const files = testFiles(root);
  const alone = files.filter((file) => REPLACES.test(readFileSync(`${root}/${file}`, "utf8")));
  const shared = files.filter((file) => !alone.includes(file));
  const part = (name: string, include: string[], isolate: boolean) => ({
    extends: true as const,
    test: { name, root, environment, setupFiles, include, isolate },
  });
  return [part(name, shared, false), ...(alone.length > 0 ? [part(`${name} alone`, alone, true)] : [])];
};

const REPLACES = /\bvi\.(mock|doMock|resetModules)\(/;

const testFiles = (root: string): string[] =>
  ["src", "test"]
    .filter((folder) => existsSync(`${root}/${folder}`))
    .flatMap((folder) =>
      readdirSync(`${root}/${folder}`, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
    )
    .filter((file) => /\.test\.tsx?$/.test(file) && !file.includes("/browser/"));

const application = (name: string, environment: string, include: string) => ({
  extends: true as const,
  test: { name, root: path(`./apps/${name.split(" ")[0]}`), environment, include: [include], isolate: false },
});

export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: [
      ...sourceAliases,
      // As an application maps it that was written to these names.
      { find: "@osd/context-provider", replacement: path("packages/context-provider/src/index.ts") },
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
      ...projects("core", "node"),
      ...projects("react", jsdom, ["./test/setup.ts"]),
      ...projects("context-provider", jsdom, ["../react/test/setup.ts"]),
      ...projects("testing", jsdom, ["../react/test/setup.ts"]),
      ...projects("embed", jsdom),
      ...compatProjects,
      application("demo", "node", "src/**/*.test.ts"),
      application("demo pages", jsdom, "src/**/*.test.tsx"),
      application("inspector", jsdom, "src/**/*.test.ts"),
    ],
  },
});
