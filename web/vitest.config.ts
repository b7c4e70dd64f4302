import { readFileSync, readdirSync } from "node:fs";
import react from "@vitejs/plugin-react";
import type { Alias } from "vite";
import { defineConfig, type TestProjectInlineConfiguration as Project } from "vitest/config";
import { reacts } from "./compat/reacts.ts";
import { sourceAliases } from "./vite.shared.ts";

const path = (name: string) => new URL(name, import.meta.url).pathname;
const patience = path("vitest.setup.ts");
const jsdom = path("jsdom.ts");
const skipped = path("scripts/skipped.mjs");

/** What a world has beside what all have. */
type World = NonNullable<Project["test"]> & { setupFiles?: string[]; alias?: Alias[] };

// Tests stand beside the sources or in `test/`, those in Chromium elsewhere.
const filesOf = (...folders: string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(path(folder), { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\/(src|test)\/(?!browser\/).*\.test\.tsx?$/.test(file) && !file.includes("node_modules")),
  );

/** Test files by what they say of themselves. */
const saying = (what: RegExp) => (file: string) => what.test(readFileSync(path(file), "utf8"));
const replacesModules = saying(/\bvi\.(mock|doMock|resetModules)\(/);
const needsNoPage = saying(/^\/\/ @vitest-environment node$/m);

/**
 * The files of a world share their modules, which are loaded and compiled once, and the
 * environment: to start those takes longer than most tests. Files that replace modules have a world
 * each.
 */
function world(name: string, files: string[], { setupFiles = [], alias = [], ...options }: World): Project[] {
  const alone = files.filter(replacesModules);
  const shared = files.filter((file) => !alone.includes(file));
  const part = (name: string, include: string[], isolate: boolean): Project => ({
    // Without `extends`, which reads and compiles this file once more for each of them.
    plugins: [react()],
    resolve: {
      alias: [
        ...alias,
        ...sourceAliases,
        // As an application maps it that was written to these names.
        { find: "@osd/context-provider", replacement: path("packages/context-provider/src/index.ts") },
      ],
    },
    test: {
      name,
      include,
      isolate,
      // Guards against what hangs: on a busy machine a module takes seconds to come.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 30_000 } },
      ...options,
      setupFiles: [patience, ...setupFiles],
    },
  });
  return [part(name, shared, false), ...(alone.length > 0 ? [part(`${name} alone`, alone, true)] : [])];
}

const setupFiles = [path("packages/react/test/setup.ts")];
const ofPackages = filesOf("packages/react", "packages/context-provider", "packages/testing");
const ofDemo = filesOf("apps/demo").filter((file) => file.startsWith("apps/demo/src/"));

export default defineConfig({
  test: {
    teardownTimeout: 60_000,
    reporters: ["default", skipped],
    projects: [
      ...world(
        "node",
        [
          ...filesOf("packages/core"),
          ...ofPackages.filter(needsNoPage),
          ...ofDemo.filter((file) => file.endsWith(".ts")),
        ],
        { environment: "node", setupFiles },
      ),
      ...world(
        "tray",
        ofPackages.filter((file) => !needsNoPage(file)),
        { environment: jsdom, setupFiles },
      ),
      ...world(
        "pages",
        [...filesOf("packages/embed", "apps/inspector"), ...ofDemo.filter((file) => file.endsWith(".tsx"))],
        { environment: jsdom },
      ),
      ...reacts.flatMap(({ name, folders, ...options }) =>
        world(
          name,
          filesOf(...folders).filter((file) => file.endsWith(".tsx")),
          { environment: jsdom, ...options },
        ),
      ),
    ],
  },
});
