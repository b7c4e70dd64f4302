// Builds @pageside/core as it is published: one file for each part that is loaded by itself. What
// several parts use is in the one that comes first, so that no bundler makes small files of it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const folder = fileURLToPath(new URL("../packages/core", import.meta.url));
const { exports, dependencies } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));

/** `./calls` → `["calls", "…/src/calls.ts"]`: the main entry is `index`. */
const entries = Object.values(exports)
  .flatMap(({ default: built }) => /dist\/(.+)\.js$/.exec(built ?? "")?.[1] ?? [])
  .map((name) => [name, `${folder}/src/${name}.ts`]);

/** What is loaded later, by the name of its file. */
const later = { thread: `${folder}/src/thread/ops.ts`, tools: `${folder}/src/tools/running.ts` };

/** The parts, in the order in which they are loaded. Each has all that its modules import. */
const groups = [
  { name: "client.part", test: /src\/index\.ts$/, priority: 3 },
  { name: "thread.part", test: /src\/(thread\/ops|calls|events|mentions|server|sse)\.ts$/, priority: 2 },
  { name: "tools.part", test: /src\/(tools\/)?running\.ts$/, priority: 1 },
];

const bundle = await rolldown({
  input: { ...Object.fromEntries(entries), ...later },
  external: Object.keys(dependencies),
  resolve: { extensionAlias: { ".js": [".ts"] } },
  transform: { target: "es2022" },
});
await bundle.write({
  dir: `${folder}/dist`,
  format: "esm",
  sourcemap: true,
  chunkFileNames: "[name].js",
  codeSplitting: { groups },
});
await bundle.close();
